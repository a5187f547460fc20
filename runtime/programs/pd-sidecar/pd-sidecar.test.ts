import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newLog } from "../../manager/log.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";
import {
  decoded,
  events,
  json,
  prefilled,
  RecordingEngine,
  transfer,
} from "./recording-engine.fixture.ts";
import { type PdSidecarOptions, startPdSidecar } from "./start.ts";

/** Two engines that stand in, and the sidecar in front of the second. */
let prefiller: RecordingEngine;
let decoder: RecordingEngine;
let sidecar: Awaited<ReturnType<typeof startPdSidecar>>;

const log = newLog({ verbosity: -1, write: () => {}, now: Date.now });

function optionsOf(args: readonly string[], env = {}): PdSidecarOptions {
  const invocation = readCommandLine(program, args, env);
  if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
  return invocation.options;
}

const start = (args: readonly string[] = [], env = {}) =>
  startPdSidecar(
    optionsOf(
      [
        ...["--port=0", "--metrics-port=0", "--health-port=0", "--secure-proxy=false"],
        ...["--model-server-host=127.0.0.1", `--model-server-port=${decoder.port}`],
        ...["--enable-ssrf-protection=false", ...args],
      ],
      env,
    ),
    log,
  );

async function restart(args: readonly string[] = [], env = {}) {
  await sidecar.stop("SIGINT");
  sidecar = await start(args, env);
}

beforeEach(async () => {
  prefiller = await new RecordingEngine(prefilled).start();
  decoder = await new RecordingEngine(decoded).start();
  sidecar = await start();
});

afterEach(async () => {
  await Promise.all([prefiller.stop(), decoder.stop()]);
  await sidecar.stop("SIGINT");
});

const urlOf = (path: string) => `http://127.0.0.1:${sidecar.ports.serving[0]}${path}`;

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(
  body: string | Buffer | undefined,
  headers: Record<string, string> = {},
  path = "/v1/chat/completions",
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      urlOf(path),
      {
        method: body === undefined ? "GET" : "POST",
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () =>
            resolve({
              status: response.statusCode as number,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          )
          .on("error", reject);
      },
    );
    sent.on("error", reject).end(body);
  });
}

const named = (address = prefiller.address) => ({ "x-prefiller-host-port": address });

/** Digits that no double holds, and spaces that nobody's writer makes. */
const chat =
  '{ "model":"m", "messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890 ,"max_tokens":7}';
const streamed = chat.replace("{ ", '{"stream":true,"stream_options":{"include_usage":true}, ');

const counted = async (series: string) => {
  const page = await (await fetch(`http://127.0.0.1:${sidecar.ports.metrics}/metrics`)).text();
  const line = page.split("\n").find((line) => line.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.split(" ").at(-1));
};
const locally = (reason: string) => counted(`pd_sidecar_local_prefills_total{reason="${reason}"}`);

describe("without a prefiller", () => {
  it("a request goes to the engine beside it, byte for byte", async () => {
    const { status, text } = await send(streamed, {
      "x-request-id": "mine",
      "accept-encoding": "br",
    });
    expect([status, text]).toEqual([200, events.join("")]);
    expect(decoder.last).toMatchObject({
      text: streamed,
      headers: { "x-request-id": "mine", "accept-encoding": "br" },
    });
    expect(prefiller.requests).toEqual([]);
  });

  it("everything else is the engine's: health, metrics, other methods, bodies that are not JSON", async () => {
    decoder.answer = json("not yet", 503);
    expect(await send(undefined, {}, "/health")).toMatchObject({ status: 503, text: "not yet" });
    const upload = { "content-type": "multipart/form-data; boundary=x" };
    await send("--x--", upload, "/v1/audio/transcriptions");
    expect(decoder.last).toMatchObject({ path: "/v1/audio/transcriptions", text: "--x--" });
    await send("", {}, "/reset_prefix_cache");
    await send("[1]", {}, "/tokens");
    expect(decoder.requests.map(({ path }) => path)).toContain("/reset_prefix_cache");
    expect(decoder.last.text).toBe("[1]");
  });

  it.each([
    ['{"kv_transfer_params":{"do_remote_prefill":true},"a":1}', '{"a":1}'],
    ['{"a":1, "kv_transfer_params":{"x":"}"} }', '{"a":1}'],
    ['{"kv_transfer_params":null}', "{}"],
    [
      '{"bootstrap_room":1 ,"kv_transfer_params":1, "a":[1,2],"bootstrap_host":"h"}',
      '{ "a":[1,2]}',
    ],
    [String.raw`{"\u006bv_transfer_params":{"do_remote_prefill":true},"a":1}`, '{"a":1}'],
    ['{"vllm_xargs":{"kv_transfer_params":1,"b":2}}', '{"vllm_xargs":{"b":2}}'],
    ['{"kv_transfer_params":1,"kv_transfer_params":2,"a":{"kv":1}}', '{"a":{"kv":1}}'],
  ])("fields that tell engines of a KV cache are not the client's: %s", async (body, left) => {
    for (const path of ["/v1/chat/completions", "/invocations", "/v1/chat%2Fcompletions"]) {
      await send(body, {}, path);
      expect(decoder.last.json).toEqual(JSON.parse(left));
    }
  });

  it.each([
    ['{"a":NaN,"kv_transfer_params":{}}'],
    ["\ufeff{}"],
    ["{"],
    [Buffer.from('{"kv_transfer_params":1}', "utf16le")],
    [Buffer.from('{"kv_transfer_params":1}', "utf16le").swap16()],
  ])("what an engine may read as JSON and the sidecar does not is refused: %j", async (body) => {
    for (const path of ["/v1/chat/completions", "/invocations"])
      expect(await send(body, {}, path)).toMatchObject({ status: 400 });
    expect(decoder.requests).toEqual([]);
  });

  it("an engine that does not listen yet is a 503", async () => {
    await decoder.stop();
    const { status, text } = await send(chat);
    expect([status, JSON.parse(text)]).toEqual([
      503,
      expect.objectContaining({ object: "error", code: 503 }),
    ]);
    decoder = await new RecordingEngine(decoded).start();
  });

  it("headers that route end here", async () => {
    const routing = { "x-encoder-hosts-ports": "a:1", "x-kv-cache-source-host-port": "a:1" };
    await send(chat, { ...routing, "x-data-parallel-rank": "7" });
    for (const name of [...Object.keys(routing), "x-data-parallel-rank"])
      expect(decoder.last.headers).not.toHaveProperty(name);
  });
});

describe("nixlv2", () => {
  it("asks the prefiller for one token, and hands its transfer object to the decoder as it came", async () => {
    const { status, headers, text } = await send(chat, named());
    expect(status).toBe(200);
    expect(prefiller.last.json).toMatchObject({
      ...{ stream: false, max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 },
      kv_transfer_params: { do_remote_decode: true, do_remote_prefill: false, remote_host: null },
    });
    expect(prefiller.last.text).toContain('"seed":12345678901234567890 ');
    expect(decoder.last.text).toBe(`{"kv_transfer_params":${transfer},${chat.slice(1)}`);
    expect(prefiller.last.headers).not.toHaveProperty("x-prefiller-host-port");
    expect(decoder.last.headers).not.toHaveProperty("x-prefiller-host-port");
    expect(headers["x-prefilled-by"]).toBe(prefiller.address);
    // The decoder's 189 are what the prefiller sent it.
    expect(JSON.parse(text).usage.prompt_tokens_details.cached_tokens).toBe(32);
  });

  it("streams: the prefiller does not, the decoder does, and only the number of cached tokens changes", async () => {
    const { headers, text } = await send(streamed, named());
    expect(prefiller.last.json).not.toHaveProperty("stream_options");
    expect(prefiller.last.json.stream).toBe(false);
    expect(decoder.last.json).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(text).toBe(events.join("").replace('"cached_tokens":189', '"cached_tokens":32'));
  });

  it.each([
    ["/v1/completions", { max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 }],
    ["/v1/messages", { max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 }],
    ["/v1/responses?x=1", { max_output_tokens: 1 }],
    [
      "/inference/v1/generate",
      { sampling_params: { temperature: 0.5, max_tokens: 1, min_tokens: 1 } },
    ],
  ])("limits %s in its own words", async (path, limits) => {
    const params = { temperature: 0.5, max_tokens: 9 };
    const body = { model: "m", max_output_tokens: 9, sampling_params: params };
    const extra = { extra_args: { kv_transfer_params: 1 } };
    await send(
      JSON.stringify({ ...body, sampling_params: { ...params, ...extra } }),
      named(),
      path,
    );
    expect(prefiller.last.path).toBe(path);
    expect(prefiller.last.text).not.toContain('"kv_transfer_params":1');
    expect(prefiller.last.json).toMatchObject({ ...body, ...limits });
    expect(decoder.last.json).toMatchObject(body);
  });

  it("both legs have one request id, and the client's trace", async () => {
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "a=b",
    };
    await send(chat, { ...named(), ...trace, "x-request-id": "mine" });
    for (const { headers } of [prefiller.last, decoder.last])
      expect(headers).toMatchObject({ ...trace, "x-request-id": "mine" });
    await send(chat, named());
    expect(decoder.last.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(prefiller.last.headers["x-request-id"]).toBe(decoder.last.headers["x-request-id"]);
  });

  it("a prefiller of the same pod is not asked", async () => {
    await restart([], { POD_IP: "127.0.0.1" });
    expect((await send(chat, named())).status).toBe(200);
    expect(prefiller.requests).toEqual([]);
    expect(decoder.last.text).toBe(chat);
    expect(await locally("same-pod")).toBe(1);
  });
});

describe("a prefiller that fails", () => {
  it.each([
    ["answers 500", json("{}", 500), "server-error"],
    ["is overloaded", json("{}", 429), "server-error"],
    ["answers no JSON", json("<html>"), "unreadable"],
    ["hands over nothing", json('{"kv_transfer_params":null}'), "no-transfer"],
    [
      "breaks off",
      (_: unknown, response: { destroy(): void }) => void response.destroy(),
      "unreachable",
    ],
  ])("%s: the decoder prefills", async (_, answer, reason) => {
    prefiller.answer = answer as RecordingEngine["answer"];
    const { status, headers } = await send(chat, named());
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty("x-prefilled-by");
    expect(headers["x-prefill-failed"]).toBe(`${prefiller.address} ${reason}`);
    expect(decoder.requests.map(({ text }) => text)).toEqual([chat]);
    expect(await locally(reason)).toBe(1);
  });

  it("is gone: the decoder prefills", async () => {
    const gone = prefiller.address;
    await prefiller.stop();
    prefiller = await new RecordingEngine(prefilled).start();
    expect((await send(chat, named(gone))).status).toBe(200);
    expect(await locally("unreachable")).toBe(1);
  });

  it("takes too long: the decoder prefills", async () => {
    await restart(["--prefill-timeout=50ms"]);
    prefiller.answer = () => {};
    expect((await send(chat, named())).status).toBe(200);
    await expect.poll(() => prefiller.cancelled).toBe(1);
  });

  it("says that the client is wrong: the client is told", async () => {
    prefiller.answer = json('{"error":"too long"}', 400);
    expect(await send(chat, named())).toMatchObject({ status: 400, text: '{"error":"too long"}' });
    expect(decoder.requests).toEqual([]);
  });

  it("is asked again where the flags say so", async () => {
    await restart(["--prefill-max-retries=2", "--prefill-retry-backoff=1ms"]);
    prefiller.answer = (request, response) =>
      prefiller.requests.length < 3
        ? json("{}", 503)(request, response)
        : prefilled(request, response);
    expect((await send(chat, named())).headers["x-prefilled-by"]).toBe(prefiller.address);
    expect(prefiller.requests).toHaveLength(3);
  });

  it("fails the request where the flags say so", async () => {
    await restart(["--prefill-fallback=fail"]);
    prefiller.answer = json('{"error":"mine"}', 500);
    expect(await send(chat, named())).toMatchObject({ status: 500, text: '{"error":"mine"}' });
    expect(await send(chat, named("127.0.0.1:1"))).toMatchObject({
      status: 502,
      headers: { "x-prefill-failed": "127.0.0.1:1 unreachable" },
    });
    expect(decoder.requests).toEqual([]);
  });
});

describe("a decoder that fails", () => {
  it("is asked once again, without the transfer", async () => {
    decoder.answer = (request, response) =>
      "kv_transfer_params" in request.json
        ? json("{}", 500)(request, response)
        : decoded(request, response);
    expect(await send(chat, named())).toMatchObject({
      status: 200,
      headers: { "x-prefill-failed": `${prefiller.address} transfer` },
    });
    expect(decoder.requests.map(({ text }) => text.includes("kv_transfer_params"))).toEqual([
      true,
      false,
    ]);
    expect(await counted("pd_sidecar_decode_repeats_total")).toBe(1);
  });

  it("is not asked a third time", async () => {
    decoder.answer = json('{"error":"x"}', 500);
    const { status, text, headers } = await send(chat, named());
    expect([status, text]).toEqual([500, '{"error":"x"}']);
    // It fails without the prefiller, too.
    expect(headers).not.toHaveProperty("x-prefill-failed");
    expect(decoder.requests).toHaveLength(2);
  });

  it("breaks off in the middle: so does the answer", async () => {
    decoder.answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events[0]);
      setImmediate(() => response.destroy());
    };
    await expect(send(streamed, named())).rejects.toThrow();
    expect(decoder.requests).toHaveLength(1);
  });
});

/** By the sequences that their engines document; engines of these kinds do not run here. */
describe("connectors whose legs run at once", () => {
  it("sglang: both engines get the request, and a room to meet in", async () => {
    await restart(["--kv-connector=sglang", "--sglang-bootstrap-port=9000"]);
    expect((await send(streamed, named())).text).toBe(events.join(""));
    const { bootstrap_room: room } = decoder.last.json;
    expect(Number.isSafeInteger(room)).toBe(true);
    for (const { json } of [prefiller.last, decoder.last])
      expect(json).toMatchObject({
        ...{ stream: true, max_tokens: 7 },
        ...{ bootstrap_host: "127.0.0.1", bootstrap_port: 9000, bootstrap_room: room },
      });
    await send(chat, named());
    expect(decoder.last.json.bootstrap_room).not.toBe(room);
  });

  it("offloading: the decoder asks the prefiller's tier for the blocks of an id", async () => {
    await restart(["--kv-connector=offloading"]);
    await send(chat, named());
    const params = decoder.last.json.kv_transfer_params as Record<
      string,
      { kv_request_id: string }
    >;
    const id = params.remote_prefiller?.kv_request_id;
    expect(params).toEqual({
      remote_prefiller: { kv_request_id: id, remote_host: "127.0.0.1", remote_port: 7777 },
    });
    expect(prefiller.last.json).toMatchObject({
      ...{ max_tokens: 1, stream: false },
      kv_transfer_params: { remote_decoder: { kv_request_id: id } },
    });
    expect(decoder.last.json.max_tokens).toBe(7);
  });

  it("mooncake: the bootstrap server names the engine", async () => {
    const bootstrap = await new RecordingEngine(json('{"3":{"engine_id":"e3"}}')).start();
    try {
      await restart(["--kv-connector=mooncake", `--mooncake-bootstrap-port=${bootstrap.port}`]);
      await send(chat, named());
      expect(bootstrap.last.path).toBe("/query");
      const { transfer_id: id } = decoder.last.json.kv_transfer_params as { transfer_id: string };
      expect(id).toMatch(/^xfer-/);
      expect(decoder.last.json.kv_transfer_params).toEqual({
        ...{ do_remote_prefill: true, do_remote_decode: false, transfer_id: id },
        ...{ remote_bootstrap_addr: `http://${bootstrap.address}`, remote_engine_id: "e3" },
      });
      expect(prefiller.last.headers["x-data-parallel-rank"]).toBe("3");
      expect(prefiller.last.json.kv_transfer_params).toMatchObject({ transfer_id: id });
    } finally {
      await bootstrap.stop();
    }
    expect((await send(chat, named())).status).toBe(200);
    expect(await locally("unreachable")).toBe(1);
  });

  it.each(["sglang", "offloading"])(
    "%s: a prefiller that fails ends the decoder's wait",
    async (name) => {
      await restart([`--kv-connector=${name}`]);
      prefiller.answer = json("{}", 500);
      decoder.answer = (request, response) => {
        // It waits for the blocks, as an engine does, until it is asked to prefill.
        if (/bootstrap_room|kv_transfer_params/.test(request.text)) return;
        decoded(request, response);
      };
      expect((await send(chat, named())).status).toBe(200);
      await expect.poll(() => decoder.cancelled).toBe(1);
      expect(decoder.last.text).toBe(chat);
    },
  );

  it("sglang: a decoder that fails ends the prefill", async () => {
    await restart(["--kv-connector=sglang"]);
    prefiller.answer = () => {};
    decoder.answer = (request, response) =>
      request.text === chat ? decoded(request, response) : json("{}", 500)(request, response);
    expect((await send(chat, named())).status).toBe(200);
    await expect.poll(() => prefiller.cancelled).toBe(1);
  });
});

it("shared-storage: the prefiller first, and the decoder is told nothing", async () => {
  await restart(["--kv-connector=shared-storage"]);
  await send(chat, named());
  expect(prefiller.last.json).toMatchObject({ max_tokens: 1, stream: false });
  expect(decoder.last.text).toBe(chat);
});

describe("a client that goes", () => {
  const leave = async (body: string, headers: Record<string, string>, engine: RecordingEngine) => {
    const sent = httpRequest(urlOf("/v1/chat/completions"), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    sent.on("error", () => {}).end(body);
    await expect.poll(() => engine.requests.length).toBe(1);
    sent.destroy();
    await expect.poll(() => engine.cancelled).toBe(1);
  };

  it("ends the prefill, and nothing is decoded", async () => {
    prefiller.answer = () => {};
    await leave(chat, named(), prefiller);
    await send(chat);
    expect(decoder.requests.map(({ text }) => text)).toEqual([chat]);
  });

  it("ends the decoding", async () => {
    decoder.answer = () => {};
    await leave(chat, named(), decoder);
  });
});

it("an answer waits for a client that does not read", async () => {
  let written = 0;
  const piece = Buffer.alloc(64 * 1024, "x");
  decoder.answer = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = () => {
      while (written < 512 && !response.destroyed) {
        written += 1;
        if (!response.write(piece)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  };
  const bytes = await new Promise<number>((resolve, reject) => {
    const sent = httpRequest(urlOf("/v1/chat/completions"), { method: "POST" }, (response) => {
      // What is on its way fills the buffers, and then it stands.
      let before = -1;
      const look = setInterval(() => {
        if (before !== written) {
          before = written;
          return;
        }
        clearInterval(look);
        const stood = written;
        let total = 0;
        response.on("data", (chunk: Buffer) => {
          total += chunk.length;
        });
        response.on("end", () =>
          stood < 512 ? resolve(total) : reject(new Error("it did not wait")),
        );
      }, 300);
    });
    sent.on("error", reject).end(chat);
  });
  expect(bytes).toBe(512 * piece.length);
});

it("each rank has a port, and the first one's serves them all by a header", async () => {
  const base = 20_000 + (process.pid % 10_000);
  const ranks = await Promise.all(
    [base + 2, base + 3].map((port) => new RecordingEngine(decoded).start(port)),
  );
  try {
    const args = [`--port=${base}`, `--model-server-port=${base + 2}`, "--data-parallel-size=2"];
    await restart(args, { POD_IP: "10.0.0.9" });
    expect(sidecar.ports.serving).toEqual([base, base + 1]);
    const rank = (port: number) => ({ "x-data-parallel-host-port": `10.0.0.9:${port}` });
    expect((await send(chat, rank(base + 1))).status).toBe(200);
    expect((await send(chat, rank(base + 2))).status).toBe(400);
    await send(chat);
    await send(chat, rank(base));
    expect(ranks.map(({ requests }) => requests.length)).toEqual([2, 1]);
  } finally {
    await Promise.all(ranks.map((engine) => engine.stop()));
  }
});

it("a body beyond the limit is refused", async () => {
  await restart(["--max-request-body-size=1000"]);
  expect((await send(JSON.stringify({ prompt: "x".repeat(1000) }))).status).toBe(413);
});

it("asks to be told who the prefillers are", () => {
  expect(readCommandLine(program, [])).toEqual({
    kind: "wrong",
    problems: [expect.stringContaining("--prefiller-selector")],
  });
});
