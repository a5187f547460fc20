import { isIP } from "node:net";
import { hostPort } from "../../../scheduling/endpoint.ts";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { type FoundGateway, type GatewayProbe, probeGateway } from "./gateway-probe.ts";
import { NameLookups } from "./name-lookups.ts";
import type { RemoteAddress } from "./remote-cluster.ts";

/** All gateways of the process share it. */
const lookups = new NameLookups();

export interface ParentGatewaysOptions {
  readonly addresses: readonly RemoteAddress[];
  /** The addresses to which requests may be sent: names are resolved first. */
  readonly reach: Reach;
  readonly probe: GatewayProbe;
  /** A gateway closed its connection, as one that ends does. */
  readonly onLost: () => void;
}

/** Gateways of another cluster: which of them answer. Gateways are told addresses by IP, so names are resolved. */
export class ParentGateways {
  readonly #options: ParentGatewaysOptions;
  /** What the last look found, by `ip:port`: the end of a connection tells before the next look does. */
  #open: ReadonlyMap<string, FoundGateway> = new Map();
  #known: readonly string[] = [];

  constructor(options: ParentGatewaysOptions) {
    this.#options = options;
  }

  /**
   * `ip:port` of those that answered at the last look. Where none did as it should, of those that took a connection: two
   * such looks in a row end the cluster's requests, one does not.
   */
  get reachable(): readonly string[] {
    const found = [...this.#open.values()];
    const good = found.filter(({ problem }) => problem === undefined);
    return (good.length > 0 ? good : found).map(({ where }) => where);
  }

  /** `ip:port` of all whose name had an address at the last look that found any. */
  get known(): readonly string[] {
    return this.#known;
  }

  /**
   * Looks at each by a new connection.
   *
   * @param timeoutMs milliseconds
   * @throws Error of the first where none answers
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
      // A request that had no answer took its connection with it; the next look, which is soon, decides.
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
