import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";

const lowest = 15_000;

/** The first port that the kernel hands out by itself: to any connection that goes out, at any time. */
const [firstEphemeral = 32_768] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8")
  .trim()
  .split(/\s+/)
  .map(Number);

/**
 * Different free ports of this machine. None is an ephemeral port, so that a server which is stopped and started
 * again on its port finds the port free.
 */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = lowest + Math.floor(Math.random() * (firstEphemeral - lowest));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("listening", () => resolve(true)).once("error", () => resolve(false));
      server.listen(port);
    });
    if (!isFree) continue;
    held.push(server);
    ports.push(port);
  }
  await Promise.all(held.map((server) => once(server.close(), "close")));
  return ports;
}
