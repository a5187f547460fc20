import type { Endpoint, LiveState } from "../../../scheduling/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import { ReplayTurns } from "./replay-turns.ts";
import { Subscription, type SubscriptionObserver } from "./subscription.ts";

export interface KvEventsOptions {
  readonly index: KvIndex;
  /** Port of the first rank's publisher; each further rank has the next one, those behind further target ports included. */
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
    { readonly ip: string; readonly subscriptions: readonly Subscription[] }
  >();

  constructor(options: KvEventsOptions) {
    this.#options = options;
  }

  /** The endpoints to hear from now on, in place of those before. */
  watch(endpoints: readonly Endpoint[]): void {
    const wanted = new Map(endpoints.map((endpoint) => [endpoint.live, endpoint]));
    for (const [live, { ip, subscriptions }] of this.#watched) {
      if (wanted.get(live)?.ip === ip) continue;
      for (const subscription of subscriptions) subscription.stop();
      this.#watched.delete(live);
    }
    for (const [live, endpoint] of wanted)
      if (!this.#watched.has(live))
        this.#watched.set(live, { ip: endpoint.ip, subscriptions: this.#subscribe(endpoint) });
  }

  /** Why the events of one of an endpoint's ranks do not come; undefined where they do. */
  problem({ live }: Endpoint, rank: number): string | undefined {
    return this.#watched.get(live)?.subscriptions[rank]?.problem;
  }

  stop(): void {
    this.watch([]);
  }

  #subscribe(endpoint: Endpoint): Subscription[] {
    const { index, port, replayPort, topicFilter, random, observer } = this.#options;
    const first = endpoint.rank * index.ranks;
    return index.streams(endpoint).map(
      (stream, rank) =>
        new Subscription({
          ...{ topicFilter, random, observer, stream, turns: this.#turns },
          host: endpoint.ip,
          port: port + first + rank,
          replayPort: replayPort && replayPort + first + rank,
        }),
    );
  }
}
