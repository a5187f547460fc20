import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { FlowKey } from "../../../scheduling/flow-control/flow-request.ts";
import {
  newSchedulingRecord,
  type SchedulingRecord,
} from "../../../scheduling/profiles/scheduling-record.ts";
import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";

/** Flow control's decision on a request. */
export interface QueueRecord {
  readonly flow: FlowKey;
  /**
   * Saturation of the pool, and the ceiling of the request's band, when the request was last considered; undefined
   * before.
   */
  saturation: number | undefined;
  ceiling: number | undefined;
}

/** Decision on one request, and its result as far as the picker saw it. */
export interface DecisionRecord {
  readonly id: string;
  /** Time of the request for admission, in ms of the picker's clock. */
  readonly at: number;
  readonly labels: RequestLabels;
  /** The InferenceModelRewrite that chose the model; undefined if none did. */
  readonly rewrite: string | undefined;
  /** Undefined without flow control. */
  queue: QueueRecord | undefined;
  /** Time of scheduling, in ms of the picker's clock; undefined if the request was refused before. */
  scheduledAt: number | undefined;
  scheduling: SchedulingRecord;
  /** The endpoints given to the proxy, the preferred one first; empty if the request was refused. */
  chosen: readonly Endpoint[];
  /** Reason of the refusal. */
  refusal: RequestError | undefined;
  /** Undefined if the picker did not see the response. */
  response: ResponseSummary | undefined;
  /** Time of the stream's first message, in ms of the picker's clock; undefined without a response. */
  startedAt: number | undefined;
}

/** Keeps the last `size` decisions, for operators who need to know why an endpoint was picked. */
export class DecisionRing {
  readonly size: number;
  readonly #records: DecisionRecord[] = [];
  #next = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Starts a record, which replaces the oldest one. Returns undefined if `size` is 0. */
  begin(
    id: string,
    labels: RequestLabels,
    rewrite: string | undefined,
    at: number,
  ): DecisionRecord | undefined {
    if (this.size === 0) return undefined;
    const record: DecisionRecord = {
      id,
      at,
      labels,
      rewrite,
      queue: undefined,
      scheduledAt: undefined,
      scheduling: newSchedulingRecord(),
      chosen: [],
      refusal: undefined,
      response: undefined,
      startedAt: undefined,
    };
    this.#records[this.#next] = record;
    this.#next = (this.#next + 1) % this.size;
    return record;
  }

  /** Returns the records of a request, the oldest first. A request has several if its proxy retried it. */
  of(id: string): DecisionRecord[] {
    return this.#inOrder().filter((record) => record.id === id);
  }

  /** Returns the last `count` records, the newest first. */
  last(count: number): DecisionRecord[] {
    return this.#inOrder().slice(-count).reverse();
  }

  #inOrder(): DecisionRecord[] {
    return [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)];
  }
}
