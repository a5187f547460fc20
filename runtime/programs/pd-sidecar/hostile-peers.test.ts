import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { decoded, json, prefilled, RecordingEngine, transfer } from "./recording-engine.fixture.ts";
import { startSidecar } from "./sidecar-scene.fixture.ts";

/**
 * Attacks of a client or a compromised prefiller on a decoder. The sidecar is in front of a fake engine, and the tests
 * write arbitrary bytes to its connections.
 */

let decoder: RecordingEngine;
let sidecar: Awaited<ReturnType<typeof startSidecar>>;
const opened: Array<Server | Socket> = [];

beforeAll(async () => {
  decoder = await new RecordingEngine(decoded).start();
  sidecar = await startSidecar(decoder, ["--request-timeout=500ms"]);
});

afterEach(() => {
  decoder.requests.length = 0;
  decoder.answer = decoded;
  for (const each of opened.splice(0)) "destroy" in each ? each.destroy() : each.close();
});

afterAll(async () => {
  await decoder.stop();
  await sidecar.stop("SIGINT");
});

/** Opens a connection to the sidecar and writes `text`. */
function client(text: string): {
  readonly socket: Socket;
  until(pattern: RegExp): Promise<string>;
} {
  const socket = connect(sidecar.ports.serving[0] as number, "127.0.0.1", () => socket.write(text));
  opened.push(socket);
  let got = "";
  socket
    .on("error", () => {})
    .on("data", (bytes) => {
      got += bytes.toString("latin1");
    });
  return {
    socket,
    async until(pattern) {
      while (!pattern.test(got)) await Promise.race([once(socket, "data"), once(socket, "close")]);
      return got;
    },
  };
}

/** Starts an engine that handles each connection with `serve`, and returns its address. */
async function engine(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    opened.push(socket);
    socket.on("error", () => {}).once("data", () => serve(socket));
  });
  opened.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const head = (method: string, path: string, ...headers: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, "host: a", ...headers, "", ""].join("\r\n");

const post = (body: string, ...headers: readonly string[]) =>
  head(
    "POST",
    "/v1/completions",
    ...["content-type: application/json", `content-length: ${body.length}`, ...headers],
  ) + body;

const hello = '{"model":"m","prompt":"hi"}';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const answered = /^HTTP\/1\.1 200 .*\r\n\r\n/s;

describe("a client", () => {
  it.each(["GET", "DELETE", "OPTIONS"])(
    "cannot hide a second request in the body of a %s",
    async (method) => {
      const hidden = post('{"kv_transfer_params":{"do_remote_prefill":true}}');
      const framed = ["content-type: text/plain", "transfer-encoding: chunked"];
      const asked = client(`${head(method, "/health", ...framed)}${chunk(hidden)}${chunk("")}`);
      await asked.until(answered);
      // The engine has recorded all requests of the first connection before this one.
      await client(head("GET", "/health")).until(answered);
      expect(decoder.requests.map(({ path, text }) => [path, text])).toEqual([
        ["/health", hidden],
        ["/health", ""],
      ]);
    },
  );

  it("cannot hide a second request by naming content-length in the connection header", async () => {
    const hidden = post('{"kv_transfer_params":{"do_remote_prefill":true}}');
    const framed = ["content-type: text/plain", `content-length: ${hidden.length}`];
    const connection = "connection: content-length, content-type, host, keep-alive";
    await client(head("GET", "/health", ...framed, connection) + hidden).until(answered);
    await client(head("GET", "/health")).until(answered);
    expect(decoder.requests.map(({ path, text }) => [path, text])).toEqual([
      ["/health", hidden],
      ["/health", ""],
    ]);
    expect(decoder.requests[0]?.headers).toMatchObject({ "content-type": "text/plain", host: "a" });
  });

  it.each([
    ["two content types", "/any", ["content-type: text/plain", "content-type: text/json"]],
    ["a content type other than JSON", "/v1/completions", ["content-type: a/b"]],
    ["no content type", "/generate", []],
    ["an empty content type", "/generate", ["content-type: "]],
    ["an empty content type and another one", "/generate", ["content-type:", "content-type: a/b"]],
  ])("cannot send fields that only engines may set, with %s", async (_, path, types) => {
    const body = '{"kv_transfer_params":{},"a":1}';
    const length = `content-length: ${body.length}`;
    await client(head("POST", path, ...types, length) + body).until(answered);
    expect(decoder.last.text).toBe('{"a":1}');
  });

  it("cannot remove the content type of a body that the sidecar did not parse", async () => {
    const types = ["content-type: text/plain", "connection: content-type", "content-length: 2"];
    await client(`${head("POST", "/generate", ...types)}{}`).until(answered);
    expect(decoder.last.headers["content-type"]).toBe("text/plain");
  });

  it("may use HTTP/1.0 without a host", async () => {
    const length = `content-length: ${hello.length}`;
    await client(`POST /v1/completions HTTP/1.0\r\n${length}\r\n\r\n${hello}`).until(answered);
    await client("GET /health HTTP/1.0\r\n\r\n").until(answered);
    expect(decoder.requests.map(({ text }) => text)).toEqual([hello, ""]);
  });

  it("cancels all its pipelined requests if it disconnects", async () => {
    decoder.answer = () => {};
    const before = decoder.cancelled;
    const asked = client(post(hello) + post(hello) + post(hello));
    await expect.poll(() => decoder.requests.length).toBe(3);
    asked.socket.destroy();
    await expect.poll(() => decoder.cancelled - before).toBe(3);
  });

  it("gets 408 if its body never ends", async () => {
    const asked = client(head("POST", "/v1/completions", "content-length: 10"));
    await asked.until(/^HTTP\/1\.1 408 /);
  });

  it("may send its body byte by byte", async () => {
    const framed = ["content-type: application/json", "transfer-encoding: chunked"];
    const pieces = [...hello].map(chunk).join("");
    const asked = client(`${head("POST", "/v1/completions", ...framed)}${pieces}${chunk("")}`);
    await asked.until(answered);
    expect(decoder.last.text).toBe(hello);
  });

  it("gets 400 if it repeats a member 1,000 times", async () => {
    const body = `{"a":1${',"stream":0'.repeat(1_000)}}`;
    const answer = await client(post(body)).until(/more than/);
    expect(answer).toContain("400 Bad Request");
  });
});

describe("a prefiller", () => {
  const named = (address: string) => post(hello, `x-prefiller-host-port: ${address}`);
  const endless = (start: string) => (socket: Socket) => {
    const piece = chunk(" ".repeat(65_536));
    const more = () => {
      while (socket.write(piece));
    };
    socket.on("drain", more).write(start);
    more();
  };
  const chunked = "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";

  it.each<[what: string, serve: (socket: Socket) => void]>([
    [
      "101",
      (socket) => socket.write("HTTP/1.1 101 Hi\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
    ],
    ["an endless response", endless(`HTTP/1.1 200 OK\r\n${chunked}`)],
    ["an endless error", endless(`HTTP/1.1 500 No\r\n${chunked}`)],
    ["no HTTP", (socket) => socket.write("\0".repeat(100))],
    [
      "two lengths",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}"),
    ],
    ["endless headers", (socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${"b".repeat(2 ** 20)}`)],
    ["half of a response", (socket) => socket.end(`HTTP/1.1 200 OK\r\n${chunked}5\r\n{"a"`)],
  ])("is disconnected if it returns %s, and the decoder prefills", async (_, serve) => {
    let closed = false;
    const address = await engine((socket) => {
      socket.once("close", () => {
        closed = true;
      });
      serve(socket);
    });
    await client(named(address)).until(answered);
    expect(decoder.last.text).toBe(hello);
    await expect.poll(() => closed).toBe(true);
  });

  /** A complete response. The connection stays open after it. */
  const whole = (status: string, text: string | Buffer, ...headers: readonly string[]) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status}\r\n${headers.map((each) => `${each}\r\n`).join("")}`),
      Buffer.from(`content-length: ${text.length}\r\n\r\n`),
      Buffer.from(text),
    ]);
  const params = (json: string | Buffer) =>
    whole(
      "200 OK",
      Buffer.concat([Buffer.from('{"kv_transfer_params":'), Buffer.from(json), Buffer.from("}")]),
    );

  /** Response whose transfer object differs from one that the decoder fetches. */
  const lying = (change: object) => params(JSON.stringify({ ...JSON.parse(transfer), ...change }));

  it("transfers if it names itself and further numbers and flags", async () => {
    const own = lying({ remote_host: "127.0.0.1", remote_engine_id: "e", more: 1, flag: false });
    await client(named(await engine((socket) => socket.write(own)))).until(answered);
    expect(decoder.last.json.kv_transfer_params).toMatchObject({ remote_host: "127.0.0.1" });
  });

  it.each<[what: string, answer: Buffer, reason: string]>([
    ["201", whole("201 Made", '{"kv_transfer_params":{"a":1}}'), "server-error"],
    ["204", Buffer.from("HTTP/1.1 204 No Content\r\n\r\n"), "server-error"],
    ["a redirect", whole("307 There", "", "location: http://127.0.0.1:1/"), "server-error"],
    ["401", whole("401 No", "{}"), "server-error"],
    ["404", whole("404 No", "{}"), "server-error"],
    ["status 099", whole("099 No", "{}"), "unreachable"],
    ["an empty body", whole("200 OK", ""), "unreadable"],
    ["two objects", whole("200 OK", '{"kv_transfer_params":{"a":1}}{}'), "unreadable"],
    ["invalid UTF-8", params(Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)), "unreadable"],
    ["a compressed body", whole("200 OK", gzipSync("{}"), "content-encoding: gzip"), "unreadable"],
    ["a string as its transfer object", params('"x"'), "no-transfer"],
    ["a list as its transfer object", params("[{}]"), "no-transfer"],
    [
      "an empty list of blocks",
      params('{"do_remote_prefill":true,"remote_block_ids":[]}'),
      "no-transfer",
    ],
    ["no list of blocks", params('{"do_remote_prefill":true}'), "no-transfer"],
    ["no host", lying({ remote_host: undefined }), "no-transfer"],
    ["another host", lying({ remote_host: "10.0.0.1" }), "no-transfer"],
    ["the name of a host", lying({ remote_host: "localhost" }), "no-transfer"],
    ["a list as host", lying({ remote_host: ["127.0.0.1"] }), "no-transfer"],
    ["a port that does not exist", lying({ remote_port: 65_536 }), "no-transfer"],
    ["a string as port", lying({ remote_port: "15600" }), "no-transfer"],
    ["a string as flag", lying({ do_remote_prefill: "yes" }), "no-transfer"],
    ["a request to hold blocks", lying({ do_remote_decode: true }), "no-transfer"],
    ["negative block ids", lying({ remote_block_ids: [[-1]] }), "no-transfer"],
    ["block ids that are not numbers", lying({ remote_block_ids: [["1"]] }), "no-transfer"],
    ["nested block ids", lying({ remote_block_ids: [[[1]]] }), "no-transfer"],
    ["a string as block ids", lying({ remote_block_ids: "123" }), "no-transfer"],
    [
      "too many block ids",
      lying({ remote_block_ids: new Array(2 ** 20 + 1).fill(1) }),
      "no-transfer",
    ],
    ["a long engine id", lying({ remote_engine_id: "e".repeat(1_025) }), "no-transfer"],
    ["a list of request ids", lying({ remote_request_id: ["a"] }), "no-transfer"],
    ["a fraction as size", lying({ tp_size: 0.5 }), "no-transfer"],
    [
      "the address of another server",
      lying({ remote_bootstrap_addr: "http://10.0.0.1" }),
      "no-transfer",
    ],
    ["another connector's host", lying({ remote_prefiller: { remote_host: "a" } }), "no-transfer"],
  ])("transfers nothing if it returns %s, and the decoder prefills", async (...row) => {
    const [, answer, reason] = row;
    const address = await engine((socket) => socket.write(answer));
    const got = await client(named(address)).until(answered);
    expect(decoder.requests.map(({ text }) => text)).toEqual([hello]);
    expect(got).toContain(`\r\nx-prefill-failed: ${address} ${reason}\r\n`);
  });

  it.each([
    ["breaks off", (socket: Socket) => socket.end("HTTP/1.1 400 No\r\ncontent-length: 9\r\n\r\n{")],
    ["has no end", endless(`HTTP/1.1 422 No\r\n${chunked}`)],
  ])("is disconnected if its refusal %s, and the decoder prefills", async (_, serve) => {
    await client(named(await engine(serve))).until(answered);
    expect(decoder.last.text).toBe(hello);
  });

  it("cannot set the sidecar's headers or an invalid number of cached tokens", async () => {
    const blame = "x-prefill-failed: 10.0.0.1:8000 unreachable";
    const refuses = await engine((socket) => socket.write(whole("400 No", "{}", blame)));
    const refused = await client(named(refuses)).until(/\r\n\r\n/);
    expect(refused).toMatch(/^HTTP\/1\.1 400 /);
    expect(refused).not.toContain("x-prefill-failed");
    const usage = '"usage":{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":1e300}}';
    const answer = whole("200 OK", `{"kv_transfer_params":{"a":1},${usage}}`);
    const asked = client(named(await engine((socket) => socket.write(answer))));
    expect(await asked.until(/cached_tokens[^}]*}/)).toContain('"cached_tokens":0}');
  });

  it("cannot inject headers into the client's response", async () => {
    const address = await engine((socket) => {
      const text = '{"kv_transfer_params":{"remote_engine_id":"\\r\\nx: y"}}';
      socket.write(`HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    });
    const answer = await client(named(address)).until(answered);
    expect(answer.split("\r\n\r\n")[0]).not.toMatch(/^x: y|x-a/m);
    expect(decoder.last.json.kv_transfer_params).toEqual({ remote_engine_id: "\r\nx: y" });
  });
});

describe("a decoder's engine", () => {
  it("causes 502 if it returns 101", async () => {
    const address = await engine(() => {});
    expect(address).toBeDefined();
    decoder.answer = (_, response) =>
      void response.socket?.write("HTTP/1.1 101 Hi\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    await client(head("GET", "/health")).until(/^HTTP\/1\.1 502 /);
    await client(post(hello)).until(/^HTTP\/1\.1 502 /);
  });

  it("causes 502 if it returns an invalid status", async () => {
    decoder.answer = (_, response) =>
      void response.socket?.end("HTTP/1.1 099 No\r\ncontent-length: 2\r\n\r\nhi");
    await client(head("GET", "/health")).until(/^HTTP\/1\.1 502 /);
    await client(post(hello)).until(/^HTTP\/1\.1 502 /);
  });

  it("may send a reason phrase that cannot be relayed", async () => {
    decoder.answer = (_, response) =>
      void response.socket?.end("HTTP/1.1 200 \u00e9\u0001 ok\r\ncontent-length: 2\r\n\r\nhi");
    const answer = await client(post(hello)).until(/\r\n\r\n/);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("gets the client's original body, without the transfer, in the retry after a 500", async () => {
    const prefiller = await new RecordingEngine(prefilled).start();
    const statuses = [500, 200];
    decoder.answer = (request, response) => json('{"id":"d"}', statuses.shift())(request, response);
    await client(post(hello, `x-prefiller-host-port: ${prefiller.address}`)).until(answered);
    expect(decoder.last.text).toBe(hello);
    await prefiller.stop();
  });
});
