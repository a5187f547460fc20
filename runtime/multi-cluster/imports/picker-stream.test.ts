import { connect } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import { frame } from "../../../testing/ext-proc/http2-connection.ts";
import { pickerStream } from "./picker-stream.ts";

/** Frames of HTTP/2 with which a server allows 1 GiB: SETTINGS with an initial window, and WINDOW_UPDATE. */
const largeWindows = Buffer.concat([
  frame(4, 0, 0, Buffer.from([0, 4, 0x40, 0, 0, 0])),
  frame(8, 0, 0, Buffer.from([0x40, 0, 0, 0])),
]);

it("a closed stream ends immediately if the picker reads nothing", async () => {
  const server = createServer((socket) => socket.pause().write(largeWindows));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  session.on("error", () => {});
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  const unused = () => expect.unreachable("the stream is closed");
  const stream = session.request({ ":method": "POST", ":path": "/" });
  const picker = pickerStream(stream, reachOf({ networks: undefined, loopback: true }), {
    ...{ answered: unused, declined: unused, leaving: unused, drained: unused, ended: unused },
    unavailable: unused,
  });
  // More than the buffers of two sockets.
  session
    .request({ ":method": "POST", ":path": "/" })
    .on("error", () => {})
    .write(Buffer.alloc(2 ** 24));
  expect(picker.write(Buffer.alloc(2 ** 20))).toBe(false);
  const closed = new Promise((resolve) => stream.once("close", resolve));
  picker.close();
  await closed;
  expect(session.destroyed).toBe(false);
});
