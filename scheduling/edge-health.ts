import type { Endpoint, LiveState } from "./endpoint.ts";
import { prefilledByHeader, prefillFailedHeader } from "./routing-headers.ts";

/**
 * Which prefillers hand over to which decoders, as far as the decoders' sidecars say. The edge between two pods opens when
 * a prefill of theirs failed, and lets nothing through until its back-off is over; then one request probes it. A pod all
 * of whose edges fail, while those at their other ends work with others, is avoided by all. Where all would be avoided,
 * none is: the sidecar has the decoder prefill.
 */

export interface EdgeTiming {
  /** Milliseconds after a first failure; each further one doubles them. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Milliseconds in which a probe is expected to be answered. */
  readonly probeMs: number;
  /** Milliseconds for which a pod counts as working after a success. */
  readonly worksMs: number;
}

const defaults: EdgeTiming = {
  backoffMs: 1_000,
  maxBackoffMs: 30_000,
  probeMs: 10_000,
  worksMs: 60_000,
};

/** An edge that failed and has not worked since. */
interface FailedEdge {
  readonly prefiller: Endpoint;
  readonly decoder: Endpoint;
  readonly since: number;
  failures: number;
  /** Time of the last of them. */
  failedAt: number;
  /** Nothing goes through before. */
  until: number;
  isProbed: boolean;
}

/** An edge through which nothing goes now, for operators. */
export interface AvoidedEdge {
  readonly prefiller: string;
  readonly decoder: string;
  readonly failures: number;
  /** Milliseconds until it is probed. */
  readonly remainingMs: number;
}

/** How long the prefills of a pod have failed, for those who may replace it. */
export interface PodHealth {
  readonly namespace: string;
  readonly pod: string;
  /**
   * Seconds between the failure from which the pod's own fault follows and its last one; 0 for a pod that works. It does
   * not grow while nobody tries.
   */
  readonly failingSeconds: number;
}

type Side = "prefiller" | "decoder";

/** That a pod fails by its own fault: when that began to follow, and the last failure. */
interface Fault {
  readonly since: number;
  readonly last: number;
}

/** Failed edges of a pod from which its fault follows: one alone may be the other end's. */
const edgesOfAFault = 2;

export class EdgeHealth {
  readonly #timing: EdgeTiming;
  /** By decoder, then by prefiller. */
  readonly #failed = new Map<LiveState, Map<LiveState, FailedEdge>>();
  /** When each pod that is known last worked. */
  readonly #succeededAt = new Map<LiveState, number>();

  constructor(timing: Partial<EdgeTiming> = {}) {
    this.#timing = { ...defaults, ...timing };
  }

  /**
   * Prefillers that a decoder may be told.
   *
   * @param decoder undefined where it is not chosen yet
   */
  prefillers(
    endpoints: readonly Endpoint[],
    now: number,
    decoder: Endpoint | undefined,
  ): readonly Endpoint[] {
    return this.#fit(
      "prefiller",
      endpoints,
      now,
      decoder && (({ live }) => this.#edge(live, decoder.live)),
    );
  }

  /**
   * Decoders that may be told a prefiller.
   *
   * @param prefiller undefined where it is not chosen yet
   */
  decoders(
    endpoints: readonly Endpoint[],
    now: number,
    prefiller: Endpoint | undefined,
  ): readonly Endpoint[] {
    return this.#fit(
      "decoder",
      endpoints,
      now,
      prefiller && (({ live }) => this.#edge(prefiller.live, live)),
    );
  }

  #edge(prefiller: LiveState, decoder: LiveState): FailedEdge | undefined {
    return this.#failed.get(decoder)?.get(prefiller);
  }

  /**
   * Pods whose edge works or is due for a probe, and which are not at fault themselves; all if none is left.
   *
   * @param edgeOf undefined where the other end is not chosen yet: a pod at fault is fit while an edge of its is due
   */
  #fit(
    side: Side,
    endpoints: readonly Endpoint[],
    now: number,
    edgeOf: ((endpoint: Endpoint) => FailedEdge | undefined) | undefined,
  ): readonly Endpoint[] {
    if (this.#failed.size === 0) return endpoints;
    const faulty = this.#faults(side, now);
    const left = endpoints.filter((endpoint) => {
      const edge = edgeOf?.(endpoint);
      if (edge !== undefined) return now >= edge.until;
      const isFree = edgeOf === undefined && this.#isDue(side, endpoint.live, now);
      return isFree || !faulty.has(endpoint.live);
    });
    return left.length > 0 ? left : endpoints;
  }

  /** A request goes through an edge: where that is due for a probe, it is one. */
  sent(prefiller: Endpoint, decoder: Endpoint, now: number): void {
    const edge = this.#edge(prefiller.live, decoder.live);
    if (edge === undefined || now < edge.until) return;
    edge.isProbed = true;
    edge.until = now + this.#timing.probeMs;
  }

  /** Learns from what a sidecar says in the headers of its answer; nothing follows from an answer that says nothing. */
  answered(
    headers: { get(name: string): string | undefined },
    prefiller: Endpoint,
    decoder: Endpoint,
    now: number,
  ): void {
    const { address } = prefiller;
    if (headers.get(prefilledByHeader) === address) this.succeeded(prefiller, decoder, now);
    else if (headers.get(prefillFailedHeader)?.startsWith(`${address} `))
      this.failed(prefiller, decoder, now);
  }

  succeeded(prefiller: Endpoint, decoder: Endpoint, now: number): void {
    this.#succeededAt.set(prefiller.live, now);
    this.#succeededAt.set(decoder.live, now);
    const edges = this.#failed.get(decoder.live);
    if (edges?.delete(prefiller.live) && edges.size === 0) this.#failed.delete(decoder.live);
  }

  /** Failures of requests that were on their way when the edge opened count as one. */
  failed(prefiller: Endpoint, decoder: Endpoint, now: number): void {
    const edges = this.#failed.get(decoder.live) ?? new Map<LiveState, FailedEdge>();
    this.#failed.set(decoder.live, edges);
    const known = edges.get(prefiller.live);
    if (known !== undefined && !known.isProbed && now < known.until) return;
    const edge = known ?? {
      prefiller,
      decoder,
      since: now,
      failures: 0,
      failedAt: now,
      until: 0,
      isProbed: false,
    };
    edges.set(prefiller.live, edge);
    const { backoffMs, maxBackoffMs } = this.#timing;
    edge.until = now + Math.min(maxBackoffMs, backoffMs * 2 ** edge.failures);
    edge.failures += 1;
    edge.failedAt = now;
    edge.isProbed = false;
  }

  /** Forgets pods that are gone. */
  retain(endpoints: readonly Endpoint[]): void {
    const kept = new Set(endpoints.map(({ live }) => live));
    for (const live of this.#succeededAt.keys())
      if (!kept.has(live)) this.#succeededAt.delete(live);
    for (const [decoder, edges] of this.#failed) {
      for (const prefiller of edges.keys()) if (!kept.has(prefiller)) edges.delete(prefiller);
      if (!kept.has(decoder) || edges.size === 0) this.#failed.delete(decoder);
    }
  }

  avoided(now: number): AvoidedEdge[] {
    return [...this.#edges()]
      .filter(({ until }) => now < until)
      .map(({ prefiller, decoder, failures, until }) => ({
        ...{ prefiller: prefiller.id, decoder: decoder.id, failures },
        remainingMs: Math.round(until - now),
      }));
  }

  /** The pods whose prefills worked lately, or fail by their own fault; nothing is said of others. */
  pods(endpoints: readonly Endpoint[], now: number): PodHealth[] {
    const faults = new Map([...this.#faults("prefiller", now), ...this.#faults("decoder", now)]);
    const pods = new Map<string, PodHealth>();
    for (const { namespace, pod, podUid, live } of endpoints) {
      const fault = faults.get(live);
      if (fault === undefined && !this.#works(live, now)) continue;
      const failingSeconds = fault === undefined ? 0 : (fault.last - fault.since) / 1_000;
      // Ranks share a pod: it works while one of them does.
      const known = pods.get(podUid)?.failingSeconds ?? Number.POSITIVE_INFINITY;
      if (failingSeconds < known) pods.set(podUid, { namespace, pod, failingSeconds });
    }
    return [...pods.values()];
  }

  *#edges(): Generator<FailedEdge> {
    for (const edges of this.#failed.values()) yield* edges.values();
  }

  /** Pods of one side that are at fault themselves: they fail with several that work with others, and with all. */
  #faults(side: Side, now: number): Map<LiveState, Fault> {
    const failed = new Map<LiveState, FailedEdge[]>();
    for (const edge of this.#edges()) {
      const pod = edge[side].live;
      const other = edge[side === "prefiller" ? "decoder" : "prefiller"].live;
      const hasWorkedSince = (this.#succeededAt.get(pod) ?? Number.NEGATIVE_INFINITY) >= edge.since;
      if (hasWorkedSince || !this.#works(other, now)) continue;
      const edges = failed.get(pod);
      if (edges === undefined) failed.set(pod, [edge]);
      else edges.push(edge);
    }
    const faults = new Map<LiveState, Fault>();
    for (const [pod, edges] of failed) {
      if (edges.length < edgesOfAFault) continue;
      const since = edges.map((edge) => edge.since).sort((a, b) => a - b)[edgesOfAFault - 1];
      const last = Math.max(...edges.map(({ failedAt }) => failedAt));
      faults.set(pod, { since: since as number, last });
    }
    return faults;
  }

  #works(pod: LiveState, now: number): boolean {
    const at = this.#succeededAt.get(pod);
    return at !== undefined && now - at <= this.#timing.worksMs;
  }

  /** Whether an edge of a pod waits for a probe. */
  #isDue(side: Side, pod: LiveState, now: number): boolean {
    for (const edge of this.#edges()) if (edge[side].live === pod && now >= edge.until) return true;
    return false;
  }
}
