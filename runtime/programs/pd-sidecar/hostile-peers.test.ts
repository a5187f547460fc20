import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { decoded, json, prefilled, RecordingEngine } from "./recording-engine.fixture.ts";
import { startSidecar } from "./sidecar-scene.fixture.ts";

/**
 * What a client, and a prefiller that was taken over, may do to a decoder: a sidecar in front of an engine that stands in,
 * and connections on which tests write what they like.
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

/** Opens a connection to the sidecar, and writes. */
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

/** An engine that answers every connection as a test says. */
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
    "has no second request read from the body of a %s",
    async (method) => {
      const hidden = post('{"kv_transfer_params":{"do_remote_prefill":true}}');
      const framed = ["content-type: text/plain", "transfer-encoding: chunked"];
      const asked = client(`${head(method, "/health", ...framed)}${chunk(hidden)}${chunk("")}`);
      await asked.until(answered);
      // Whatever the engine read on that connection is there before this.
      await client(head("GET", "/health")).until(answered);
      expect(decoder.requests.map(({ path, text }) => [path, text])).toEqual([
        ["/health", hidden],
        ["/health", ""],
      ]);
    },
  );

  it("passes no field of engines under two types of content", async () => {
    const body = '{"kv_transfer_params":{},"a":1}';
    const types = ["content-type: text/plain", "content-type: application/json"];
    const length = `content-length: ${body.length}`;
    await client(head("POST", "/anything", ...types, length) + body).until(answered);
    await client(head("POST", "/v1/completions", "content-type: a/b", length) + body).until(
      answered,
    );
    expect(decoder.requests.map(({ text }) => text)).toEqual(['{"a":1}', '{"a":1}']);
  });

  it("a client that never ends its body is answered 408", async () => {
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

  it("a client that repeats a member without end is refused", async () => {
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
    ["an answer without end", endless(`HTTP/1.1 200 OK\r\n${chunked}`)],
    ["an error without end", endless(`HTTP/1.1 500 No\r\n${chunked}`)],
    ["no HTTP", (socket) => socket.write("\0".repeat(100))],
    [
      "two lengths",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}"),
    ],
    [
      "headers without end",
      (socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${"b".repeat(2 ** 20)}`),
    ],
    ["half of an answer", (socket) => socket.end(`HTTP/1.1 200 OK\r\n${chunked}5\r\n{"a"`)],
  ])("a prefiller that answers %s is left, and the decoder prefills", async (_, serve) => {
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

  it("splits no answer by what it says", async () => {
    const address = await engine((socket) => {
      const text = '{"kv_transfer_params":"\\r\\nx: y"}';
      socket.write(`HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    });
    const answer = await client(named(address)).until(answered);
    expect(answer.split("\r\n\r\n")[0]).not.toMatch(/^x: y|x-a/m);
    expect(decoder.last.json.kv_transfer_params).toBe("\r\nx: y");
  });
});

describe("a decoder's engine", () => {
  it("an engine that answers 101 is answered for with 502", async () => {
    const address = await engine(() => {});
    expect(address).toBeDefined();
    decoder.answer = (_, response) =>
      void response.socket?.write("HTTP/1.1 101 Hi\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    await client(head("GET", "/health")).until(/^HTTP\/1\.1 502 /);
    await client(post(hello)).until(/^HTTP\/1\.1 502 /);
  });

  it("may say of a status what nobody can hand on", async () => {
    decoder.answer = (_, response) =>
      void response.socket?.end("HTTP/1.1 200 \u00e9\u0001 ok\r\ncontent-length: 2\r\n\r\nhi");
    const answer = await client(post(hello)).until(/\r\n\r\n/);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("is asked once more without the transfer, with the body as it came", async () => {
    const prefiller = await new RecordingEngine(prefilled).start();
    const statuses = [500, 200];
    decoder.answer = (request, response) => json('{"id":"d"}', statuses.shift())(request, response);
    await client(post(hello, `x-prefiller-host-port: ${prefiller.address}`)).until(answered);
    expect(decoder.last.text).toBe(hello);
    await prefiller.stop();
  });
});
