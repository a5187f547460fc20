import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import type { Replicas } from "../endpoints/rendezvous.ts";
import { EstimatedConcurrency } from "./estimated-concurrency.ts";
import { ExternalLoadEstimate, PromptSizes } from "./external-load.ts";
import type { Load } from "./load.ts";
import { PrefillSpeeds } from "./prefill-speeds.ts";
import { PromptProgress } from "./prompt-progress.ts";
import { RequestsInPrefill } from "./requests-in-prefill.ts";
import { ServerHealth } from "./server-health.ts";
import { ServerSlots } from "./slots.ts";
import { TokenPace } from "./step-time.ts";
import { UnobservedRequests } from "./unobserved-requests.ts";

/**
 * The picker's model of one model server. It is learned from the requests that this picker sends, from their responses,
 * and from the server's metrics. `live` holds the results for schedulers: requests and prompt tokens at the server, its
 * slowness, its slots, and the time until a slot is free.
 */
export class ServerModel {
  readonly live: LiveState;
  /** Estimate of the requests that it runs concurrently, for pickers with queues. */
  readonly slots = new EstimatedConcurrency();
  readonly requestsInPrefill = new RequestsInPrefill();
  readonly unobserved: UnobservedRequests;
  readonly #others: ExternalLoadEstimate;
  readonly #progress = new PromptProgress();
  readonly #slots = new ServerSlots();
  readonly #pace = new TokenPace();
  #since: number | undefined;

  constructor(live: LiveState, sizes: PromptSizes) {
    this.live = live;
    this.unobserved = new UnobservedRequests(live);
    this.#others = new ExternalLoadEstimate(sizes);
  }

  /** Time at which it joined the pool of a picker with queues, in ms. */
  get since(): number {
    return this.#since ?? 0;
  }

  /** Sets the first number of slots and the time of joining, unless it joined before. */
  join(slots: number, now: number): void {
    if (this.#since !== undefined) return;
    this.#since = now;
    this.slots.startWith(slots);
  }

  /** Updates all estimates from a reading of the server's metrics. */
  read({ speeds, health, hasReplicas }: PoolModel): void {
    const { live } = this;
    this.unobserved.read();
    if (hasReplicas) this.#others.read(live, speeds.msPerToken);
    else live.externalTokens = 0;
    speeds.read(live);
    health.read(live);
    this.#progress.read(live, speeds.msPerToken);
    this.#slots.read(live);
    live.msBetweenTokens = live.metrics === undefined ? 0 : this.#pace.read(live.metrics);
  }
}

/** Estimates that the servers of a pool share. */
interface PoolModel {
  readonly speeds: PrefillSpeeds;
  readonly health: ServerHealth;
  readonly hasReplicas: boolean;
}

/** The picker's models of all model servers of a pool. */
export class ServerModels {
  readonly speeds = new PrefillSpeeds();
  readonly health = new ServerHealth(this.speeds);
  readonly #sizes = new PromptSizes();
  readonly #replicas: Replicas;
  readonly #servers = new Map<LiveState, ServerModel>();

  /** @param replicas number of replicas of the picker. Default: one */
  constructor(replicas: Replicas = { count: 1 }) {
    this.#replicas = replicas;
  }

  of(live: LiveState): ServerModel {
    let server = this.#servers.get(live);
    if (server === undefined) {
      server = new ServerModel(live, this.#sizes);
      this.#servers.set(live, server);
    }
    return server;
  }

  /** Records a prompt of this picker with `tokens` tokens to compute. */
  sent(tokens: number): void {
    this.#sizes.sent(tokens);
  }

  /** Updates all estimates from a reading of the endpoint's metrics. */
  read({ live }: Pick<Endpoint, "live">): void {
    const { speeds, health } = this;
    this.of(live).read({ speeds, health, hasReplicas: this.#replicas.count > 1 });
  }

  /** Marks a load as unobserved: the picker no longer follows the response, and the server's metrics show its end. */
  unobserve(load: Load, now: number): void {
    this.of(load.live).unobserved.add(load, now);
  }

  /** Ends unobserved loads that began before a time, in ms. */
  expire(before: number): void {
    for (const { unobserved } of this.#servers.values()) unobserved.expire(before);
  }

  /** Forgets servers without an endpoint in the list, and ends their unobserved loads. */
  retain(endpoints: readonly Endpoint[]): void {
    const kept = new Set(endpoints.map(({ live }) => live));
    for (const [live, { unobserved }] of this.#servers) {
      if (kept.has(live)) continue;
      unobserved.expire();
      this.#servers.delete(live);
    }
    this.speeds.retain(kept);
    this.health.retain(kept);
  }
}
