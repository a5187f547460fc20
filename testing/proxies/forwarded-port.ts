import { createServer, connect as dial } from "node:net";
import type { Stoppable } from "../processes/stop-all.ts";

/** Accepts connections at `address:port` and forwards them to a port of this machine. */
export async function forwardPort(
  address: string,
  port: number,
  target: () => number,
): Promise<Stoppable> {
  const server = createServer((socket) => {
    const other = dial(target(), "127.0.0.1");
    socket.pipe(other).pipe(socket);
    socket.on("error", () => other.destroy());
    other.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  return { stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
