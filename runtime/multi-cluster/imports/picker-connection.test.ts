import { once } from "node:events";
import { createServer, type Http2Stream, type ServerHttp2Session } from "node:http2";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import { PickerConnection } from "./picker-connection.ts";
import { plaintext } from "./remote-security.ts";

/** A connection to a picker that answers late or not at all. */

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const timeout = 500;

/** A picker behind a TCP proxy that the test can pause. */
async function heldPicker() {
  const sessions: ServerHttp2Session[] = [];
  const server = createServer();
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200 });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets: Socket[] = [];
  const wire = createTcpServer((from) => {
    const to = connect((server.address() as AddressInfo).port, "127.0.0.1");
    for (const socket of [from, to]) socket.on("error", () => {});
    from.pipe(to).pipe(from);
    sockets.push(from, to);
  });
  wire.listen(0, "127.0.0.1");
  await once(wire, "listening");
  const losses: Error[] = [];
  const connection = new PickerConnection({
    addresses: [{ host: "127.0.0.1", port: (wire.address() as AddressInfo).port }],
    service: "epp",
    cluster: "a",
    reach: reachOf({ networks: undefined, loopback: true }),
    security: plaintext,
    onLost: (error) => losses.push(error),
  });
  cleanups.push(
    () => server.close(),
    () => wire.close(),
    () => {
      for (const socket of sockets) socket.destroy();
    },
    () => connection.close(),
  );
  return {
    connection,
    losses,
    connections: () => sessions.length,
    hold() {
      for (const socket of sockets) socket.unpipe();
      for (const socket of sockets) socket.pause();
    },
    release() {
      for (let at = 0; at < sockets.length; at += 2)
        sockets[at]?.pipe(sockets[at + 1] as Socket).pipe(sockets[at] as Socket);
    },
  };
}

const opened = async (connection: PickerConnection): Promise<Http2Stream> => {
  const stream = connection.open();
  stream.on("error", () => {});
  await once(stream, "response");
  return stream;
};

it("a late answer keeps the open streams, and the next stream gets a new connection", async () => {
  const picker = await heldPicker();
  const before = await opened(picker.connection);
  picker.hold();
  await expect(picker.connection.probe(timeout)).rejects.toThrow(`no answer within ${timeout} ms`);
  picker.release();
  await opened(picker.connection);
  expect(picker.connections()).toBe(2);
  await picker.connection.probe(5_000);
  expect(before.destroyed).toBe(false);
  expect(picker.losses).toEqual([]);
});

it("all streams end if there is no answer", async () => {
  const picker = await heldPicker();
  const before = await opened(picker.connection);
  picker.hold();
  await expect(picker.connection.probe(timeout)).rejects.toThrow();
  await expect.poll(() => before.destroyed).toBe(true);
});

it("new certificates lead to a new connection for the next stream, and open streams continue", async () => {
  const picker = await heldPicker();
  const before = await opened(picker.connection);
  picker.connection.renew();
  await opened(picker.connection);
  expect(picker.connections()).toBe(2);
  expect(before.destroyed).toBe(false);
});
