import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Http2Connection, headerBlock, openHttp2 } from "./http2-connection.ts";

const post = headerBlock([
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/"],
  [":authority", "test"],
  ["x-other", "value"],
]);

describe("HTTP/2 connection", () => {
  let server: Http2Server;
  let connection: Http2Connection;
  let serve: (stream: ServerHttp2Stream) => void;

  beforeEach(async () => {
    server = createServer();
    server.on("stream", (stream) => serve(stream));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    connection = await openHttp2("127.0.0.1", (server.address() as AddressInfo).port);
  });
  afterEach(() => {
    connection.close();
    server.close();
  });

  /** Sends a body and answers what came back. */
  const exchange = (body: Buffer) =>
    new Promise<Buffer>((resolve, reject) => {
      const received: Buffer[] = [];
      const stream = connection.open(post, {
        onData: (payload) => received.push(Buffer.from(payload)),
        onEnd: (failure) =>
          failure === undefined ? resolve(Buffer.concat(received)) : reject(new Error(failure)),
      });
      stream.write(body, true);
    });

  it("sends and receives bodies of many frames", async () => {
    serve = (stream) => stream.pipe(stream);
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    expect((await exchange(body)).equals(body)).toBe(true);
  });

  it("waits if the connection's window is full, although the windows of its streams are not", async () => {
    serve = (stream) => {
      stream.resume().on("end", () => stream.end("done"));
    };
    const answers = Array.from({ length: 8 }, () => exchange(Buffer.alloc(30_000)));
    expect((await Promise.all(answers)).map(String)).toEqual(Array(8).fill("done"));
  });

  it("reports reset streams and closed connections", async () => {
    serve = (stream) => stream.on("error", () => {}).close(7);
    await expect(exchange(Buffer.alloc(1))).rejects.toThrow("RST_STREAM with code 7");
    serve = (stream) => stream.session?.destroy();
    await expect(exchange(Buffer.alloc(1))).rejects.toThrow(/GOAWAY|closed/);
    expect(connection.usable).toBe(false);
  });

  it("finishes its streams and opens no more after a GOAWAY", async () => {
    serve = (stream) => {
      stream.session?.goaway(0, 1);
      stream.resume().on("end", () => stream.end("done"));
    };
    expect(String(await exchange(Buffer.alloc(1)))).toBe("done");
    expect(connection.usable).toBe(false);
  });
});
