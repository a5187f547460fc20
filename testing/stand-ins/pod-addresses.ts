import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Addresses of 127.0.0.0/8 at which a test may run a pod's servers, and that no other process of this machine assigns.
 */
export interface PodNetwork {
  /** For example `127.7`: the first half of each address. */
  readonly prefix: string;
  /** An address that is not taken. */
  next(taken: ReadonlySet<string>): string;
  /** Releases the network for other processes. */
  release(): Promise<void>;
}

/**
 * Claims a /16: all processes of a machine share the loopback interface. The claim is a socket that listens on the
 * network's last address, so that the kernel allows one at a time and ends it with the process.
 */
export async function claimPodNetwork(): Promise<PodNetwork> {
  for (let tried = 0; tried < networks; tried += 1) {
    const prefix = `127.${((process.pid + tried) % networks) + 1}`;
    const claim = await listen(`${prefix}.255.254`);
    if (claim === undefined) continue;
    let last = 0;
    return {
      prefix,
      next(taken) {
        for (let tried = 0; tried < lastHost; tried += 1) {
          last = (last % lastHost) + 1;
          const address = `${prefix}.${Math.floor(last / 256)}.${last % 256}`;
          if (!taken.has(address)) return address;
        }
        throw new Error(`all addresses of ${prefix}.0.0/16 are taken`);
      },
      async release() {
        const closed = once(claim, "close");
        claim.close();
        await closed;
      },
    };
  }
  throw new Error(
    `each of the networks 127.1.0.0/16 to 127.${networks}.0.0/16 has a listener on port ${claimPort}; end the clusters that run`,
  );
}

const networks = 254;
const lastHost = 65_533;
/** Above the ports that Linux gives to connections of its own. */
const claimPort = 61_716;

/** Undefined if another process listens already. */
async function listen(host: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ host, port: claimPort, exclusive: true });
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
  return server.unref();
}
