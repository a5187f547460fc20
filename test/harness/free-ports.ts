import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Free ports of 127.0.0.1. Held open together, so that they are different ones. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
