import type { Endpoint, LiveState } from "../endpoint.ts";
import type { Replicas } from "../rendezvous.ts";
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
 * What the picker knows of one model server. It is learnt from the requests that this picker sends, from their answers, and
 * from readings of the server's metrics; `live` holds the results that schedulers read: requests and prompt tokens there, the
 * speed compared with other servers, slots, and the time until one is free.
 */
export class ServerModel {
  readonly live: LiveState;
  /** How many requests it works on at once, for pickers with queues. */
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

  /** It joined a pool whose other servers have at least so many slots. */
  join(slots: number, now: number): void {
    if (this.#since !== undefined) return;
    this.#since = now;
    this.slots.startWith(slots);
  }

  /** Its metrics were read. */
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

/** What the servers of a pool are compared by. */
interface PoolModel {
  readonly speeds: PrefillSpeeds;
  readonly health: ServerHealth;
  readonly hasReplicas: boolean;
}

/** What the picker knows of the model servers of a pool. */
export class ServerModels {
  readonly speeds = new PrefillSpeeds();
  readonly health = new ServerHealth(this.speeds);
  readonly #sizes = new PromptSizes();
  readonly #replicas: Replicas;
  readonly #servers = new Map<LiveState, ServerModel>();

  /** @param replicas of the picker. Default: one */
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

  /** This picker sent a prompt with so many tokens to compute. */
  sent(tokens: number): void {
    this.#sizes.sent(tokens);
  }

  /** The endpoint's metrics were read. */
  read({ live }: Pick<Endpoint, "live">): void {
    const { speeds, health } = this;
    this.of(live).read({ speeds, health, hasReplicas: this.#replicas.count > 1 });
  }

  /** Nobody watches the response of a request with this load: the server's metrics show its end. */
  unobserve(load: Load, now: number): void {
    this.of(load.live).unobserved.add(load, now);
  }

  /** Ends loads that nobody watches and that began before a time. */
  expire(before: number): void {
    for (const { unobserved } of this.#servers.values()) unobserved.expire(before);
  }

  /** Forgets servers that are gone, and ends the loads there that nobody watches. */
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
