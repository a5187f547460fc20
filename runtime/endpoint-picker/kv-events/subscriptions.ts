import type { Endpoint, LiveState } from "../../../scheduling/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import { ReplayTurns } from "./replay-turns.ts";
import { Subscription, type SubscriptionObserver } from "./subscription.ts";

export interface KvEventsOptions {
  readonly index: KvIndex;
  /** Port of the first rank's publisher; each further rank has the next one. */
  readonly port: number;
  /** The same of what answers replays; undefined where nothing does. */
  readonly replayPort: number | undefined;
  readonly topicFilter: string;
  readonly random: () => number;
  readonly observer: SubscriptionObserver;
}

const replaysAtOnce = 4;

/** A subscription to the events of every endpoint of a pool. */
export class KvEventSubscriptions {
  readonly #options: KvEventsOptions;
  readonly #turns = new ReplayTurns(replaysAtOnce);
  readonly #watched = new Map<
    LiveState,
    { readonly ip: string; readonly subscription: Subscription }
  >();

  constructor(options: KvEventsOptions) {
    this.#options = options;
  }

  /** The endpoints to hear from now on, in place of those before. */
  watch(endpoints: readonly Endpoint[]): void {
    const wanted = new Map(endpoints.map((endpoint) => [endpoint.live, endpoint]));
    for (const [live, { ip, subscription }] of this.#watched) {
      if (wanted.get(live)?.ip === ip) continue;
      subscription.stop();
      this.#watched.delete(live);
    }
    for (const [live, endpoint] of wanted)
      if (!this.#watched.has(live))
        this.#watched.set(live, { ip: endpoint.ip, subscription: this.#subscribe(endpoint) });
  }

  /** Why an endpoint's events do not come; undefined where they do. */
  problem({ live }: Endpoint): string | undefined {
    return this.#watched.get(live)?.subscription.problem;
  }

  stop(): void {
    this.watch([]);
  }

  #subscribe(endpoint: Endpoint): Subscription {
    const { index, port, replayPort, topicFilter, random, observer } = this.#options;
    return new Subscription({
      ...{ topicFilter, random, observer, turns: this.#turns },
      host: endpoint.ip,
      port: port + endpoint.rank,
      replayPort: replayPort && replayPort + endpoint.rank,
      stream: index.stream(endpoint),
    });
  }
}
