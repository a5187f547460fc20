import { connect } from "node:http2";
import {
  Client,
  credentials,
  type Server,
  ServerCredentials,
  type ServerDuplexStream,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bind, newGrpcServer } from "./grpc-server.ts";

const identity = (bytes: Buffer): Buffer => bytes;
const path = "/test.Echo/Sizes";

/** A method that responds to each message with its length. */
const definition = {
  Sizes: {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  },
} as const;

let server: Server;
let port: number;
beforeAll(async () => {
  server = newGrpcServer();
  server.addService(definition, {
    Sizes(call: ServerDuplexStream<Buffer, Buffer>) {
      call.on("data", (bytes) => call.write(Buffer.from(String(bytes.length))));
      call.on("end", () => call.end());
      call.on("error", () => {});
    },
  });
  port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure());
});
afterAll(() => server.forceShutdown());

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

it("announces a window of 256 KiB per stream and 16 MiB per connection", async () => {
  const session = connect(`http://127.0.0.1:${port}`);
  const settings = await new Promise<{ initialWindowSize?: number }>((resolve) =>
    session.once("remoteSettings", resolve),
  );
  expect(settings.initialWindowSize).toBe(2 ** 18);
  await new Promise((resolve) => session.ping(resolve));
  expect(session.state.remoteWindowSize).toBe(2 ** 24);
  session.destroy();
});

it("B6: ends a connection that only resets streams, and no other connection", async () => {
  const strict = newGrpcServer({ resets: { burst: 1_000, rate: 1 } });
  const at = await bind(strict, "127.0.0.1:0", ServerCredentials.createInsecure());
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
  strict.forceShutdown();
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
