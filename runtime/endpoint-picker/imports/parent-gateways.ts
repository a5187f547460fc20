import { connect, isIP, type Socket } from "node:net";
import { hostPort } from "../../../scheduling/endpoint.ts";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { NameLookups } from "./name-lookups.ts";
import type { RemoteAddress } from "./remote-cluster.ts";

/** All gateways of the process share it. */
const lookups = new NameLookups();

export interface ParentGatewaysOptions {
  readonly addresses: readonly RemoteAddress[];
  /** The addresses to which requests may be sent: names are resolved first. */
  readonly reach: Reach;
  /** A gateway closed its connection, as one that ends does. */
  readonly onLost: () => void;
}

/** Gateways of another cluster: which of them take connections. Gateways are told addresses by IP, so names are resolved. */
export class ParentGateways {
  readonly #options: ParentGatewaysOptions;
  /** Connections of the last look, by `ip:port`: their end tells before the next look does. */
  #open: ReadonlyMap<string, Socket> = new Map();
  #known: readonly string[] = [];

  constructor(options: ParentGatewaysOptions) {
    this.#options = options;
  }

  /** `ip:port` of those that took a connection at the last look. */
  get reachable(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** `ip:port` of all whose name had an address at the last look that found any. */
  get known(): readonly string[] {
    return this.#known;
  }

  /**
   * Connects to each anew.
   *
   * @param timeoutMs milliseconds
   * @throws Error of the first where none takes a connection
   */
  async probe(timeoutMs: number): Promise<void> {
    const { addresses, reach } = this.#options;
    const known: string[] = [];
    const looks = addresses.map(async ({ host, port }) => {
      const ips = isIP(host) === 0 ? await lookups.addressesOf(host, timeoutMs) : [host];
      known.push(...ips.filter((ip) => reach(ip) === undefined).map((ip) => hostPort(ip, port)));
      return Promise.allSettled(
        ips.map(async (address) => {
          const problem = reach(address);
          if (problem !== undefined) throw new Error(`${hostPort(address, port)} ${problem}`);
          return connected(address, port, timeoutMs);
        }),
      );
    });
    const found = (await Promise.allSettled(looks)).flatMap((look) =>
      look.status === "fulfilled" ? look.value : [look],
    );
    if (known.length > 0) this.#known = known;
    const before = this.#open;
    this.#open = new Map(
      found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
    );
    for (const socket of before.values()) socket.destroy();
    for (const [key, socket] of this.#open) {
      socket.on("close", () => {
        if (this.#open.get(key) !== socket) return;
        this.#open = new Map([...this.#open].filter(([other]) => other !== key));
        this.#options.onLost();
      });
      socket.resume();
    }
    const failed = found.find(({ status }) => status === "rejected");
    if (this.#open.size === 0 && failed?.status === "rejected") throw failed.reason;
  }

  close(): void {
    const before = this.#open;
    this.#open = new Map();
    for (const socket of before.values()) socket.destroy();
  }
}

/** An open connection and its `ip:port`. */
function connected(ip: string, port: number, timeout: number): Promise<readonly [string, Socket]> {
  const where = hostPort(ip, port);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: ip, port });
    const timer = setTimeout(
      () => socket.destroy(new Error(`${where}: no connection within ${timeout} ms`)),
      timeout,
    );
    socket.on("error", reject);
    socket.on("close", () => clearTimeout(timer));
    socket.on("connect", () => {
      clearTimeout(timer);
      resolve([where, socket]);
    });
  });
}
