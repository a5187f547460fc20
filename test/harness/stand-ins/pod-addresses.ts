import { createHash } from "node:crypto";

/**
 * Hands out addresses of 127.0.0.0/8, so that a test may run a server where a pod would. Each scope draws from a
 * /16 of its own, since several test processes share the loopback interface.
 */
export function podAddresses(scope: string): (taken: ReadonlySet<string>) => string {
  const network = `127.${((createHash("sha256").update(scope).digest()[0] ?? 0) % 254) + 1}`;
  let last = 0;
  return (taken) => {
    for (let tried = 0; tried < lastHost; tried++) {
      last = (last % lastHost) + 1;
      const address = `${network}.${Math.floor(last / 256)}.${last % 256}`;
      if (!taken.has(address)) return address;
    }
    throw new Error(`all addresses of ${network}.0.0/16 are taken`);
  };
}

const lastHost = 65_534;
