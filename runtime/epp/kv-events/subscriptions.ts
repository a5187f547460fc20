import type { Endpoint, LiveState } from "../../../scheduling/endpoints/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import { ReplayTurns } from "./replay-turns.ts";
import { Subscription, type SubscriptionObserver } from "./subscription.ts";

export interface KvEventsOptions {
  readonly index: KvIndex;
  /** Port of the first rank's publisher. Each further rank has the next port, counted over all target ports. */
  readonly port: number;
  /** Port of the first rank's replay socket, counted in the same way; undefined without replays. */
  readonly replayPort: number | undefined;
  readonly topicFilter: string;
  readonly random: () => number;
  readonly observer: SubscriptionObserver;
}

const replaysAtOnce = 4;

/** Subscriptions to the events of all endpoints of a pool. */
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

  /** Subscribes to these endpoints from now on, instead of the previous ones. */
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

  /** Returns the reason why no events of an endpoint's rank are received; undefined if they are received. */
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
