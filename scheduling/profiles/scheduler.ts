import type { Endpoint } from "../endpoints/endpoint.ts";
import type { SaturationDetector } from "../endpoints/saturation.ts";
import type { Chance, InFlightRequest, SchedulingRequest } from "../requests/request.ts";
import type { RequestHeaders } from "../requests/request-headers.ts";
import type { SchedulerState } from "./scheduler-state.ts";
import type { SchedulingRecord } from "./scheduling-record.ts";

/** The selected endpoints of a request. */
export interface Decision {
  /** In the order in which the proxy should try them; never empty. */
  readonly endpoints: readonly Endpoint[];
  /** Headers for the model server's sidecar, for example `x-prefiller-host-port`. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Returns the total score by endpoint address, for `--emit-endpoint-scores`. */
  scores(): ReadonlyMap<string, number>;
  /** Counts the request at its endpoints and stores its prefix. Call it once, before the request is sent. */
  dispatch(): InFlightRequest;
}

/** The selected endpoints of a request whose body was not read. */
export type UnreadDecision = Omit<Decision, "scores" | "dispatch">;

/** The scheduler that an EndpointPickerConfig defines. */
export interface Scheduler {
  /** Types of the parsers, in order. */
  readonly parsers: readonly string[];
  readonly detector: SaturationDetector;
  readonly state: SchedulerState;
  /** Whether one of the endpoints can respond. If requests are served in stages, this is an endpoint that decodes. */
  canAnswer(endpoints: readonly Endpoint[]): boolean;
  /**
   * Hashes the prompts of a request in slices of at most 512 KiB, so that `schedule` need not do it in one step.
   * Optional: call it for long prompts. Yields the bytes of each slice.
   */
  prepare(request: SchedulingRequest, endpoints: readonly Endpoint[]): Generator<number, void>;
  /**
   * Filters, scores and picks.
   * @param record receives each step, even if the method throws
   * @throws RequestError ResourceExhausted if no endpoint passes the filters, ServiceUnavailable if none of `endpoints`
   * decodes, PreconditionFailed for `Prefer: if-available` without a cache hit.
   */
  schedule(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    chance: Chance,
    record?: SchedulingRecord,
  ): Decision;
  /**
   * Returns the cost of a request's prompt on each endpoint, in tokens to compute: the cost that a scorer uses, else
   * the uncached tokens. 0 if there is no prefix cache.
   */
  promptCosts(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): ArrayLike<number>;
  /** Whether a cold prompt would evict, on each of the endpoints, prefixes that will be used again. */
  evictsWorkingSet(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): boolean;
  /**
   * Selects an endpoint at random from those that pass the filters of the profile that serves responses. There is no
   * prompt to score by. Counts nothing. Throws as `schedule` does.
   */
  scheduleUnread(
    headers: RequestHeaders,
    endpoints: readonly Endpoint[],
    chance: Chance,
  ): UnreadDecision;
}
