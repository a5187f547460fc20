import type { Endpoint } from "../../../scheduling/endpoint.ts";
import type { FlowKey } from "../../../scheduling/flow-control/flow-request.ts";
import type { RequestError } from "../../../scheduling/request-error.ts";
import {
  newSchedulingRecord,
  type SchedulingRecord,
} from "../../../scheduling/scheduling-record.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";

/** How flow control decided on a request. */
export interface QueueRecord {
  readonly flow: FlowKey;
  /** Saturation of the pool, and the one up to which the request's band is open, when it was last its turn; undefined before. */
  saturation: number | undefined;
  ceiling: number | undefined;
}

/** What was decided of one request, and what came of it as far as the picker saw. */
export interface DecisionRecord {
  readonly id: string;
  /** When it asked to be let in, milliseconds of the picker's clock. */
  readonly at: number;
  readonly labels: RequestLabels;
  /** The InferenceModelRewrite that chose the model; undefined where none did. */
  readonly rewrite: string | undefined;
  /** Undefined where requests do not wait. */
  queue: QueueRecord | undefined;
  /** When it was scheduled; undefined where it was refused before. */
  scheduledAt: number | undefined;
  scheduling: SchedulingRecord;
  /** The endpoints that the proxy was told, the likeliest first; empty where the request was refused. */
  chosen: readonly Endpoint[];
  /** Why it was refused. */
  refusal: RequestError | undefined;
  /** Undefined where the picker did not see the response. */
  response: ResponseSummary | undefined;
  /** Time of the stream's first message, in ms of the picker's clock; undefined without a response. */
  startedAt: number | undefined;
}

/** Keeps the last decisions, as many as are to be kept, for who asks why a request went where it went. */
export class DecisionRing {
  readonly size: number;
  readonly #records: DecisionRecord[] = [];
  #next = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Begins a record, in place of the oldest one. Undefined where none are kept. */
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

  /** Those of a request, the oldest first: a proxy that tries again asks again. */
  of(id: string): DecisionRecord[] {
    return this.#inOrder().filter((record) => record.id === id);
  }

  /** The newest, the newest first. */
  last(count: number): DecisionRecord[] {
    return this.#inOrder().slice(-count).reverse();
  }

  #inOrder(): DecisionRecord[] {
    return [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)];
  }
}
