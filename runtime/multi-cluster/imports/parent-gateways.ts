import { isIP } from "node:net";
import { hostPort } from "../../../scheduling/endpoints/endpoint.ts";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { type FoundGateway, type GatewayProbe, probeGateway } from "./gateway-probe.ts";
import { NameLookups } from "./name-lookups.ts";
import type { RemoteAddress } from "./remote-cluster.ts";

/** Shared by all gateways of the process. */
const lookups = new NameLookups();

export interface ParentGatewaysOptions {
  readonly addresses: readonly RemoteAddress[];
  /** Allowed destination addresses, checked after name resolution. */
  readonly reach: Reach;
  readonly probe: GatewayProbe;
  /** Called when a gateway closes its connection, as gateways do when they stop. */
  readonly onLost: () => void;
}

/**
 * Tracks which gateways of another cluster respond. Resolves their names, because destinations must be IP addresses.
 */
export class ParentGateways {
  readonly #options: ParentGatewaysOptions;
  /**
   * Gateways found by the last probe, by `ip:port`. A gateway is removed when its connection ends, before the next
   * probe.
   */
  #open: ReadonlyMap<string, FoundGateway> = new Map();
  #known: readonly string[] = [];

  constructor(options: ParentGatewaysOptions) {
    this.#options = options;
  }

  /**
   * `ip:port` of the gateways that passed the last probe. If no gateway passed it, returns the gateways that accepted a
   * connection: one failed probe must not stop the cluster's requests; two in a row do.
   */
  get reachable(): readonly string[] {
    const found = [...this.#open.values()];
    const good = found.filter(({ problem }) => problem === undefined);
    return (good.length > 0 ? good : found).map(({ where }) => where);
  }

  /** `ip:port` of all allowed addresses, from the last probe that resolved an address. */
  get known(): readonly string[] {
    return this.#known;
  }

  /**
   * Probes each gateway over a new connection.
   *
   * @throws Error of the first gateway if all fail
   */
  async probe(timeoutMs: number): Promise<void> {
    const { addresses, reach, probe } = this.#options;
    const known: string[] = [];
    const probes = addresses.map(async ({ host, port }) => {
      const ips = isIP(host) === 0 ? await lookups.addressesOf(host, timeoutMs) : [host];
      known.push(...ips.filter((ip) => reach(ip) === undefined).map((ip) => hostPort(ip, port)));
      return Promise.allSettled(
        ips.map(async (ip) => {
          const problem = reach(ip);
          if (problem !== undefined) throw new Error(`${hostPort(ip, port)} ${problem}`);
          return probeGateway({ ip, port, host }, probe, timeoutMs);
        }),
      );
    });
    const found = (await Promise.allSettled(probes)).flatMap((probe) =>
      probe.status === "fulfilled" ? probe.value : [probe],
    );
    if (known.length > 0) this.#known = known;
    this.#replace(found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])));
    const problems = found.map((each) =>
      each.status === "fulfilled" ? each.value.problem : (each.reason as Error),
    );
    if (problems.every((problem) => problem !== undefined) && problems[0] !== undefined)
      throw problems[0];
  }

  close(): void {
    this.#replace([]);
  }

  #replace(found: readonly FoundGateway[]): void {
    const before = this.#open;
    this.#open = new Map(found.map((each) => [each.where, each]));
    for (const { socket } of before.values()) socket.destroy();
    for (const { where, socket, problem } of found) {
      // A probe request that timed out closed its connection too. The next probe follows soon and decides.
      if (problem !== undefined) continue;
      const lost = () => {
        if (this.#open.get(where)?.socket !== socket) return;
        this.#open = new Map([...this.#open].filter(([other]) => other !== where));
        this.#options.onLost();
      };
      if (socket.destroyed) setImmediate(lost);
      else socket.on("close", lost).resume();
    }
  }
}
