import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import { prefilledByHeader, prefillFailedHeader } from "../requests/routing-headers.ts";

/**
 * Health of prefiller-decoder pairs, from the responses of the decoders' sidecars. A pair is excluded after a prefill
 * in it fails. When its back-off is over, one request probes it. A pod is excluded from all pairs if each of its pairs
 * fails while the other pods of these pairs work. If every pod of a role would be excluded, no pod is excluded: the
 * sidecar then lets the decoder compute the prompt.
 */

export interface PairTiming {
  /** Back-off after the first failure, in ms. Each further failure doubles it. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Time within which a response to a probe is expected, in ms. */
  readonly probeMs: number;
  /** Time for which a pod counts as working after a success, in ms. */
  readonly worksMs: number;
}

const defaults: PairTiming = {
  backoffMs: 1_000,
  maxBackoffMs: 30_000,
  probeMs: 10_000,
  worksMs: 60_000,
};

/** A pair that failed and has not succeeded since. */
interface FailedPair {
  readonly prefiller: Endpoint;
  readonly decoder: Endpoint;
  readonly since: number;
  failures: number;
  /** Time of the last failure. */
  failedAt: number;
  /** Time before which no request uses the pair. */
  until: number;
  isProbed: boolean;
}

/** An excluded pair, as /debug/state lists it. */
export interface ExcludedPair {
  readonly prefiller: string;
  readonly decoder: string;
  readonly failures: number;
  /** Time until the pair is probed, in ms. */
  readonly remainingMs: number;
}

/** Duration of a pod's prefill failures, for a controller that may replace the pod. */
export interface PodHealth {
  readonly namespace: string;
  readonly pod: string;
  /**
   * Seconds from the failure that showed a fault of the pod to its last failure; 0 for a pod that works. It does not
   * grow without new attempts.
   */
  readonly failingSeconds: number;
}

type Side = "prefiller" | "decoder";

/** A pod's own fault: the times of the failure that showed it and of the last failure. */
interface Fault {
  readonly since: number;
  readonly last: number;
}

/** Number of failed pairs that show a pod's own fault. A single failed pair may be the fault of the other pod. */
const pairsOfAFault = 2;

export class PairHealth {
  readonly #timing: PairTiming;
  /** Failed pairs by decoder, then by prefiller. */
  readonly #failed = new Map<LiveState, Map<LiveState, FailedPair>>();
  /** Time of each pod's last success. */
  readonly #succeededAt = new Map<LiveState, number>();

  constructor(timing: Partial<PairTiming> = {}) {
    this.#timing = { ...defaults, ...timing };
  }

  /**
   * Returns the prefillers that a decoder may use.
   *
   * @param decoder undefined if it is not selected yet
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
      decoder && (({ live }) => this.#pair(live, decoder.live)),
    );
  }

  /**
   * Returns the decoders that may use a prefiller.
   *
   * @param prefiller undefined if it is not selected yet
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
      prefiller && (({ live }) => this.#pair(prefiller.live, live)),
    );
  }

  #pair(prefiller: LiveState, decoder: LiveState): FailedPair | undefined {
    return this.#failed.get(decoder)?.get(prefiller);
  }

  /**
   * Returns the pods that are not at fault and whose pair works or is due for a probe, or all pods if there are none.
   *
   * @param pairOf undefined if the other pod is not selected yet; a pod at fault then passes while one of its pairs is
   * due
   */
  #fit(
    side: Side,
    endpoints: readonly Endpoint[],
    now: number,
    pairOf: ((endpoint: Endpoint) => FailedPair | undefined) | undefined,
  ): readonly Endpoint[] {
    if (this.#failed.size === 0) return endpoints;
    const faulty = this.#faults(side, now);
    const left = endpoints.filter((endpoint) => {
      const pair = pairOf?.(endpoint);
      if (pair !== undefined) return now >= pair.until;
      const isFree = pairOf === undefined && this.#isDue(side, endpoint.live, now);
      return isFree || !faulty.has(endpoint.live);
    });
    return left.length > 0 ? left : endpoints;
  }

  /** Records that a request uses a pair. If the pair is due for a probe, the request is the probe. */
  sent(prefiller: Endpoint, decoder: Endpoint, now: number): void {
    const pair = this.#pair(prefiller.live, decoder.live);
    if (pair === undefined || now < pair.until) return;
    pair.isProbed = true;
    pair.until = now + this.#timing.probeMs;
  }

  /** Learns from the headers of a sidecar's response. A response without these headers changes nothing. */
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
    const pairs = this.#failed.get(decoder.live);
    if (pairs?.delete(prefiller.live) && pairs.size === 0) this.#failed.delete(decoder.live);
  }

  /** Records a failure. Failures of requests that were in flight when the pair was excluded count as one. */
  failed(prefiller: Endpoint, decoder: Endpoint, now: number): void {
    const pairs = this.#failed.get(decoder.live) ?? new Map<LiveState, FailedPair>();
    this.#failed.set(decoder.live, pairs);
    const known = pairs.get(prefiller.live);
    if (known !== undefined && !known.isProbed && now < known.until) return;
    const pair = known ?? {
      prefiller,
      decoder,
      since: now,
      failures: 0,
      failedAt: now,
      until: 0,
      isProbed: false,
    };
    pairs.set(prefiller.live, pair);
    const { backoffMs, maxBackoffMs } = this.#timing;
    pair.until = now + Math.min(maxBackoffMs, backoffMs * 2 ** pair.failures);
    pair.failures += 1;
    pair.failedAt = now;
    pair.isProbed = false;
  }

  /** Forgets pods that no longer exist. */
  retain(endpoints: readonly Endpoint[]): void {
    const kept = new Set(endpoints.map(({ live }) => live));
    for (const live of this.#succeededAt.keys())
      if (!kept.has(live)) this.#succeededAt.delete(live);
    for (const [decoder, pairs] of this.#failed) {
      for (const prefiller of pairs.keys()) if (!kept.has(prefiller)) pairs.delete(prefiller);
      if (!kept.has(decoder) || pairs.size === 0) this.#failed.delete(decoder);
    }
  }

  excluded(now: number): ExcludedPair[] {
    return [...this.#pairs()]
      .filter(({ until }) => now < until)
      .map(({ prefiller, decoder, failures, until }) => ({
        ...{ prefiller: prefiller.id, decoder: decoder.id, failures },
        remainingMs: Math.round(until - now),
      }));
  }

  /** Returns the pods whose prefills worked recently or fail by a fault of the pod. It omits all other pods. */
  pods(endpoints: readonly Endpoint[], now: number): PodHealth[] {
    const faults = new Map([...this.#faults("prefiller", now), ...this.#faults("decoder", now)]);
    const pods = new Map<string, PodHealth>();
    for (const { namespace, pod, podUid, live } of endpoints) {
      const fault = faults.get(live);
      if (fault === undefined && !this.#works(live, now)) continue;
      const failingSeconds = fault === undefined ? 0 : (fault.last - fault.since) / 1_000;
      // The ranks of a pod share one entry: the pod works if one of its ranks works.
      const known = pods.get(podUid)?.failingSeconds ?? Number.POSITIVE_INFINITY;
      if (failingSeconds < known) pods.set(podUid, { namespace, pod, failingSeconds });
    }
    return [...pods.values()];
  }

  *#pairs(): Generator<FailedPair> {
    for (const pairs of this.#failed.values()) yield* pairs.values();
  }

  /**
   * Returns the pods of one side that are at fault: they fail with several working pods, and have worked with none
   * since.
   */
  #faults(side: Side, now: number): Map<LiveState, Fault> {
    const failed = new Map<LiveState, FailedPair[]>();
    for (const pair of this.#pairs()) {
      const pod = pair[side].live;
      const other = pair[side === "prefiller" ? "decoder" : "prefiller"].live;
      const hasWorkedSince = (this.#succeededAt.get(pod) ?? Number.NEGATIVE_INFINITY) >= pair.since;
      if (hasWorkedSince || !this.#works(other, now)) continue;
      const pairs = failed.get(pod);
      if (pairs === undefined) failed.set(pod, [pair]);
      else pairs.push(pair);
    }
    const faults = new Map<LiveState, Fault>();
    for (const [pod, pairs] of failed) {
      if (pairs.length < pairsOfAFault) continue;
      const since = pairs.map((pair) => pair.since).sort((a, b) => a - b)[pairsOfAFault - 1];
      const last = Math.max(...pairs.map(({ failedAt }) => failedAt));
      faults.set(pod, { since: since as number, last });
    }
    return faults;
  }

  #works(pod: LiveState, now: number): boolean {
    const at = this.#succeededAt.get(pod);
    return at !== undefined && now - at <= this.#timing.worksMs;
  }

  /** Whether a pair of the pod is due for a probe. */
  #isDue(side: Side, pod: LiveState, now: number): boolean {
    for (const pair of this.#pairs()) if (pair[side].live === pod && now >= pair.until) return true;
    return false;
  }
}
