import { request as httpRequest } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";
import { decoded, events, json, RecordingEngine, transfer } from "./recording-engine.fixture.ts";
import { chat, SidecarScene, startSidecar, streamed } from "./sidecar-scene.fixture.ts";

const scene = new SidecarScene();
const { send, named, locally, restart } = scene;
beforeEach(() => scene.start());
afterEach(() => scene.stop());

describe("without a prefiller", () => {
  it("a request is forwarded to the decoder byte for byte", async () => {
    const { status, text } = await send(streamed, {
      "x-request-id": "mine",
      "accept-encoding": "br",
    });
    expect([status, text]).toEqual([200, events.join("")]);
    expect(scene.decoder.last).toMatchObject({
      text: streamed,
      headers: { "x-request-id": "mine", "accept-encoding": "br" },
    });
    expect(scene.prefiller.requests).toEqual([]);
  });

  it("health checks, other paths and bodies that are not JSON are forwarded to the decoder", async () => {
    scene.decoder.answer = json("not yet", 503);
    expect(await send(undefined, {}, "/health")).toMatchObject({ status: 503, text: "not yet" });
    const upload = { "content-type": "multipart/form-data; boundary=x" };
    await send("--x--", upload, "/v1/audio/transcriptions");
    expect(scene.decoder.last).toMatchObject({ path: "/v1/audio/transcriptions", text: "--x--" });
    await send("", {}, "/reset_prefix_cache");
    await send("[1]", {}, "/tokens");
    expect(scene.decoder.requests.map(({ path }) => path)).toContain("/reset_prefix_cache");
    expect(scene.decoder.last.text).toBe("[1]");
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
  ])("KV cache fields are removed from a client's request: %s", async (body, left) => {
    for (const path of ["/v1/chat/completions", "/invocations", "/v1/chat%2Fcompletions"]) {
      await send(body, {}, path);
      expect(scene.decoder.last.json).toEqual(JSON.parse(left));
    }
  });

  it.each([
    ['{"a":NaN,"kv_transfer_params":{}}'],
    ["\ufeff{}"],
    ["{"],
    [Buffer.from('{"kv_transfer_params":1}', "utf16le")],
    [Buffer.from('{"kv_transfer_params":1}', "utf16le").swap16()],
  ])("a body that only a lenient JSON parser accepts is refused: %j", async (body) => {
    for (const path of ["/v1/chat/completions", "/invocations"])
      expect(await send(body, {}, path)).toMatchObject({ status: 400 });
    expect(scene.decoder.requests).toEqual([]);
  });

  it("a decoder that does not listen yet causes 503", async () => {
    await scene.decoder.stop();
    const { status, text } = await send(chat);
    expect([status, JSON.parse(text)]).toEqual([
      503,
      expect.objectContaining({ object: "error", code: 503 }),
    ]);
    scene.decoder = await new RecordingEngine(decoded).start();
  });

  it("routing headers are removed", async () => {
    const routing = { "x-encoder-hosts-ports": "a:1", "x-kv-cache-source-host-port": "a:1" };
    await send(chat, { ...routing, "x-data-parallel-rank": "7" });
    for (const name of [...Object.keys(routing), "x-data-parallel-rank"])
      expect(scene.decoder.last.headers).not.toHaveProperty(name);
  });
});

describe("nixlv2", () => {
  it("limits the prefiller to one token and sends its transfer object to the decoder unchanged", async () => {
    const { status, headers, text } = await send(chat, named());
    expect(status).toBe(200);
    expect(scene.prefiller.last.json).toMatchObject({
      ...{ stream: false, max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 },
      kv_transfer_params: { do_remote_decode: true, do_remote_prefill: false, remote_host: null },
    });
    expect(scene.prefiller.last.text).toContain('"seed":12345678901234567890 ');
    expect(scene.decoder.last.text).toBe(`{"kv_transfer_params":${transfer},${chat.slice(1)}`);
    expect(scene.prefiller.last.headers).not.toHaveProperty("x-prefiller-host-port");
    expect(scene.decoder.last.headers).not.toHaveProperty("x-prefiller-host-port");
    expect(headers["x-prefilled-by"]).toBe(scene.prefiller.address);
    // The decoder reports 189, because it counts the tokens received from the prefiller as cached.
    expect(JSON.parse(text).usage.prompt_tokens_details.cached_tokens).toBe(32);
  });

  it("streams from the decoder only, and changes only the number of cached tokens", async () => {
    const { headers, text } = await send(streamed, named());
    expect(scene.prefiller.last.json).not.toHaveProperty("stream_options");
    expect(scene.prefiller.last.json.stream).toBe(false);
    expect(scene.decoder.last.json).toMatchObject({
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
  ])("limits %s to one token with the fields of that API", async (path, limits) => {
    const params = { temperature: 0.5, max_tokens: 9 };
    const body = { model: "m", max_output_tokens: 9, sampling_params: params };
    const extra = { extra_args: { kv_transfer_params: 1 } };
    await send(
      JSON.stringify({ ...body, sampling_params: { ...params, ...extra } }),
      named(),
      path,
    );
    expect(scene.prefiller.last.path).toBe(path);
    expect(scene.prefiller.last.text).not.toContain('"kv_transfer_params":1');
    expect(scene.prefiller.last.json).toMatchObject({ ...body, ...limits });
    expect(scene.decoder.last.json).toMatchObject(body);
  });

  it("sends both legs the same request id and the client's trace headers", async () => {
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "a=b",
    };
    await send(chat, { ...named(), ...trace, "x-request-id": "mine" });
    for (const { headers } of [scene.prefiller.last, scene.decoder.last])
      expect(headers).toMatchObject({ ...trace, "x-request-id": "mine" });
    await send(chat, named());
    expect(scene.decoder.last.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(scene.prefiller.last.headers["x-request-id"]).toBe(
      scene.decoder.last.headers["x-request-id"],
    );
  });

  it("does not use a prefiller in the same pod", async () => {
    await restart([], { POD_IP: "127.0.0.1" });
    expect((await send(chat, named())).status).toBe(200);
    expect(scene.prefiller.requests).toEqual([]);
    expect(scene.decoder.last.text).toBe(chat);
    expect(await locally("same-pod")).toBe(1);
  });
});

describe("a client that disconnects", () => {
  const leave = async (body: string, headers: Record<string, string>, engine: RecordingEngine) => {
    const sent = httpRequest(scene.urlOf("/v1/chat/completions"), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    sent.on("error", () => {}).end(body);
    await expect.poll(() => engine.requests.length).toBe(1);
    sent.destroy();
    await expect.poll(() => engine.cancelled).toBe(1);
  };

  it("cancels the prefill, and the decoder gets no request", async () => {
    scene.prefiller.answer = () => {};
    await leave(chat, named(), scene.prefiller);
    await send(chat);
    expect(scene.decoder.requests.map(({ text }) => text)).toEqual([chat]);
  });

  it("cancels the decode", async () => {
    scene.decoder.answer = () => {};
    await leave(chat, named(), scene.decoder);
  });
});

it("sidecars and engines may have IPv6 addresses", async () => {
  const own = transfer.replace('"127.0.0.1"', '"0:0:0:0:0:0:0:1"');
  const [prefiller, decoder] = await Promise.all(
    [json(`{"kv_transfer_params":${own}}`), decoded].map((answer) =>
      new RecordingEngine(answer).start(0, "::1"),
    ),
  );
  if (prefiller === undefined || decoder === undefined) throw new Error("no engines");
  const sidecar = await startSidecar(decoder, ["--bind-address=::1"]);
  const headers = {
    "content-type": "application/json",
    "x-prefiller-host-port": `[::1]:${prefiller.port}`,
  };
  const url = `http://[::1]:${sidecar.ports.serving[0]}/v1/chat/completions`;
  const answer = await fetch(url, { method: "POST", headers, body: chat });
  expect(answer.headers.get("x-prefilled-by")).toBe(`[::1]:${prefiller.port}`);
  expect(await answer.json()).toMatchObject({ id: "d" });
  await Promise.all([sidecar.stop("SIGINT"), prefiller.stop(), decoder.stop()]);
});

it("the decoder's response waits for a client that does not read", async () => {
  let written = 0;
  const piece = Buffer.alloc(64 * 1024, "x");
  scene.decoder.answer = (_, response) => {
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
    const sent = httpRequest(
      scene.urlOf("/v1/chat/completions"),
      { method: "POST" },
      (response) => {
        // Starts to read when the buffers are full and the decoder has stopped writing.
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
      },
    );
    sent.on("error", reject).end(chat);
  });
  expect(bytes).toBe(512 * piece.length);
});

it("each rank has a port, and the first port serves all ranks by header", async () => {
  const base = 20_000 + (process.pid % 10_000);
  const ranks = await Promise.all(
    [base + 2, base + 3].map((port) => new RecordingEngine(decoded).start(port)),
  );
  try {
    const args = [`--port=${base}`, `--model-server-port=${base + 2}`, "--data-parallel-size=2"];
    await restart(args, { POD_IP: "10.0.0.9" });
    expect(scene.sidecar.ports.serving).toEqual([base, base + 1]);
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

it("a body over the limit gets 413", async () => {
  await restart(["--max-request-body-size=1000"]);
  expect((await send(JSON.stringify({ prompt: "x".repeat(1000) }))).status).toBe(413);
});

it("the command line requires --prefiller-selector", () => {
  expect(readCommandLine(program, [])).toEqual({
    kind: "wrong",
    problems: [expect.stringContaining("--prefiller-selector")],
  });
});
