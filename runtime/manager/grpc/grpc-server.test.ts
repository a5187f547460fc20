import { existsSync, readFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { Client, credentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FrameReader, frames } from "./grpc-frames.ts";
import { GrpcServer, type Methods } from "./grpc-server.ts";
import { readMessage, respond, respondWith } from "./unary.ts";

const identity = (bytes: Buffer): Buffer => bytes;
const path = "/test.Echo/Sizes";
const unaryPath = "/test.Echo/Size";

const sizeAsText = (message: Buffer) => Buffer.from(String(message.length));

/** Methods that respond to messages with their length. */
const methods: Methods = {
  [path](stream) {
    const reader = new FrameReader(-1);
    respond(stream);
    stream.on("error", () => {});
    stream.on("data", (bytes: Buffer) =>
      reader.push(bytes, (message) => stream.write(frames([sizeAsText(message)]))),
    );
    stream.on("end", () => stream.end());
  },
  [unaryPath]: (stream) =>
    readMessage(stream, 100, (message) => respondWith(stream, sizeAsText(message))),
};

const server = new GrpcServer(methods);
let port: number;
beforeAll(async () => {
  port = await server.listen(0, "127.0.0.1");
});
afterAll(() => server.abort());

const sizeOf = (length: number) =>
  new Promise<string>((resolve, reject) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_send_message_length": -1,
    });
    const call = client.makeBidiStreamRequest(path, identity, identity);
    call.on("error", reject);
    call.on("data", (bytes) => {
      resolve(String(bytes));
      call.end();
      client.close();
    });
    call.write(Buffer.alloc(length));
  });

it.each([0, 1, 220_000, 20 * 2 ** 20])("accepts a message of %i bytes", async (length) => {
  expect(await sizeOf(length)).toBe(String(length));
});

describe("a method of one message", () => {
  const call = async (path: string, message: Buffer) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    return new Promise<string>((resolve) =>
      client.makeUnaryRequest(path, identity, identity, message, (error, response) =>
        resolve(error === null ? String(response) : `${status[error.code]}: ${error.details}`),
      ),
    ).finally(() => client.close());
  };

  it.each([
    ["responds to a message", unaryPath, 7, "7"],
    ["responds to an empty message", unaryPath, 0, "0"],
    [
      "refuses a message that is too long",
      unaryPath,
      101,
      "RESOURCE_EXHAUSTED: a message of 101 bytes is larger than 100",
    ],
    [
      "is refused if there is none",
      "/test.Echo/Other",
      7,
      "UNIMPLEMENTED: there is no method /test.Echo/Other",
    ],
  ])("%s", async (_, path, length, response) => {
    expect(await call(path, Buffer.alloc(length))).toBe(response);
  });

  it("refuses a request without a message", async () => {
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":method": "POST", ":path": unaryPath });
    const headers = new Promise<Record<string, unknown>>((resolve) =>
      stream.once("response", resolve),
    );
    stream.end();
    expect(await headers).toMatchObject({ "grpc-status": "3" });
    session.destroy();
  });
});

it("stop sends GOAWAY to a client without a request", async () => {
  const stopping = new GrpcServer(methods);
  const session = connect(`http://127.0.0.1:${await stopping.listen(0, "127.0.0.1")}`);
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  const goneAway = new Promise((resolve) => session.once("goaway", resolve));
  await stopping.stop();
  expect(await goneAway).toBe(0);
});

it("announces a window of 256 KiB per stream and 16 MiB per connection", async () => {
  const session = connect(`http://127.0.0.1:${port}`);
  const settings = await new Promise<{ initialWindowSize?: number }>((resolve) => {
    session.once("remoteSettings", resolve);
    session.request({ ":method": "POST", ":path": path }).on("error", () => {});
  });
  expect(settings.initialWindowSize).toBe(2 ** 18);
  await new Promise((resolve) => session.ping(resolve));
  expect(session.state.remoteWindowSize).toBe(2 ** 24);
  session.destroy();
});

// The kernel lists the timer of each connection; 02 is keepalive.
it.runIf(existsSync("/proc/net/tcp"))("B6: connections have TCP keepalive", async () => {
  const session = connect(`http://127.0.0.1:${port}`);
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const timers = () =>
    readFileSync("/proc/net/tcp", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, address, , state]) => address?.endsWith(local) && state === "01")
      .map(([, , , , , timer]) => timer?.slice(0, 2));
  await expect.poll(timers).toEqual(["02"]);
  session.destroy();
});

it("B6: ends a connection that only resets streams, and no other connection", async () => {
  const strict = new GrpcServer(methods, { resets: { burst: 1_000, rate: 1 } });
  const at = await strict.listen(0, "127.0.0.1");
  const honest = connect(`http://127.0.0.1:${at}`);
  const hostile = connect(`http://127.0.0.1:${at}`);
  hostile.on("error", () => {});
  for (let resets = 0; !hostile.closed && !hostile.destroyed && resets < 10_000; resets += 100) {
    for (let each = 0; each < 100; each += 1) {
      const stream = hostile.request({ ":method": "POST", ":path": path });
      stream.on("error", () => {});
      stream.close(8);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => hostile.destroyed, { timeout: 10_000 }).toBe(true);
  await new Promise<void>((resolve, reject) =>
    honest.ping((error) => (error ? reject(error) : resolve())),
  );
  honest.destroy();
  strict.abort();
});

it("closes connections beyond the limit of an address, and the oldest beyond the limit of all", async () => {
  const small = new GrpcServer(methods, { connectionsOfAddress: 2, connections: 3 });
  const at = await small.listen(0, "127.0.0.1");
  const dial = (localAddress: string) => {
    const socket = connectTcp({ port: at, host: "127.0.0.1", localAddress });
    return connect(`http://127.0.0.1:${at}`, { createConnection: () => socket }).on(
      "error",
      () => {},
    );
  };
  const accepted = (session: ClientHttp2Session) =>
    new Promise<boolean>((resolve) => {
      session.once("remoteSettings", () => resolve(true));
      session.once("close", () => resolve(false));
    });
  const sessions: ClientHttp2Session[] = [];
  const results: boolean[] = [];
  for (const address of ["127.0.0.2", "127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
    const session = dial(address);
    sessions.push(session);
    results.push(await accepted(session));
  }
  expect(results).toEqual([true, true, false, true, true]);
  const closed = () => sessions.map((session) => session.destroyed);
  await expect.poll(closed).toEqual([true, false, true, false, false]);
  for (const session of sessions) session.destroy();
  small.abort();
});

it("keeps a connection on which clients cancel 5,000 requests in a row", async () => {
  const session = connect(`http://127.0.0.1:${port}`);
  const goneAway: number[] = [];
  session.on("goaway", (code) => goneAway.push(code)).on("error", () => {});
  for (let round = 0; round < 50; round += 1) {
    await Promise.all(
      Array.from({ length: 100 }, () => {
        const stream = session.request({
          ":method": "POST",
          ":path": path,
          "content-type": "application/grpc",
          te: "trailers",
        });
        stream.on("error", () => {});
        stream.write(Buffer.from([0, 0, 0, 0, 1, 7]));
        return new Promise<void>((resolve) => {
          stream.once("close", () => resolve());
          stream.once("response", () => stream.close(8));
        });
      }),
    );
  }
  expect(goneAway).toEqual([]);
  expect(session.destroyed).toBe(false);
  session.destroy();
});

it("stop rejects new connections and lets open streams end", async () => {
  const own = new GrpcServer(methods);
  const port = await own.listen(0, "127.0.0.1");
  const session = connect(`http://127.0.0.1:${port}`);
  const message = Buffer.from([0, 0, 0, 0, 1, 7]);
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const answered = () => new Promise((resolve) => stream.once("data", resolve));
  stream.write(message);
  await answered();
  let stopped = false;
  const stopping = own.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => session.once("goaway", resolve));
  const refused = connect(`http://127.0.0.1:${port}`);
  await expect(new Promise((_, reject) => refused.once("error", reject))).rejects.toThrow(
    "ECONNREFUSED",
  );
  stream.write(message);
  expect(await answered()).toEqual(frames([Buffer.from("1")]));
  expect(stopped).toBe(false);
  const status = new Promise((resolve) =>
    stream.once("trailers", (trailers) => resolve(trailers["grpc-status"])),
  );
  stream.end();
  expect(await status).toBe("0");
  await stopping;
});
