import type { SendableRequest } from "../../../scheduling/dispatch/dispatch-gate.ts";
import { type Moment, WaitForCheaper } from "../../../scheduling/dispatch/wait-for-cheaper.ts";
import type { Endpoint } from "../../../scheduling/endpoint.ts";
import type { FlowKey } from "../../../scheduling/flow-control/flow-request.ts";
import { promptTokens } from "../../../scheduling/prompt-tokens.ts";
import { RequestError } from "../../../scheduling/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { RequestLabels } from "../observer.ts";
import type { Waiter } from "./admit.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";
import type { PendingRequest, RoutedRequest } from "./pending-request.ts";

/** A request in flow control, with what came of it when it was sent. */
export class QueuedRequest implements SendableRequest {
  readonly flow: FlowKey;
  readonly bytes: number;
  readonly receivedAt: number;
  readonly ttl: number | undefined;
  readonly firstTokenWithin: number | undefined;
  readonly share: number | undefined;
  readonly labels: RequestLabels;
  readonly waiter: Waiter;
  /** Nobody was told yet that it waits, so what becomes of it is returned. */
  isArriving = true;
  /** What became of it, until it is taken. */
  result: RoutedRequest | Error | undefined;
  readonly #refusals: PendingRequest["refusals"];
  /** Undefined once it was sent: a body is not kept for as long as the response takes. */
  #pending: PendingRequest | undefined;
  /** Endpoints with room that were not for it. */
  #failedAmong: readonly Endpoint[] | undefined;
  #elsewhere: WaitForCheaper | undefined;
  #promptTokens: number | undefined;

  constructor(pending: PendingRequest, waiter: Waiter, receivedAt: number) {
    const { request, labels } = pending;
    this.#pending = pending;
    this.#refusals = pending.refusals;
    this.labels = labels;
    this.waiter = waiter;
    this.receivedAt = receivedAt;
    this.flow = { id: pending.flow, priority: labels.priority };
    pending.waitsIn(this.flow);
    this.share = pending.share;
    this.bytes = request.payload.body.length;
    this.ttl = timeToLive(request.headers);
    this.firstTokenWithin =
      pending.firstTokenWithinMs ?? milliseconds(request.headers, controlHeader.firstTokenWithin);
  }

  turn(saturation: number, ceiling: number): void {
    this.#pending?.turn(saturation, ceiling);
  }

  /** Counted when somebody asks, which has to be before it is sent. */
  get promptTokens(): number {
    const { request } = this.#pending ?? {};
    this.#promptTokens ??= request === undefined ? 0 : promptTokens(request);
    return this.#promptTokens;
  }

  shouldWait(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const pending = this.#pending;
    if (pending === undefined) return false;
    this.#elsewhere ??= new WaitForCheaper((endpoints, now) => pending.promptCosts(endpoints, now));
    try {
      return this.#elsewhere.shouldWait(all, free, moment);
    } catch {
      // None of them is for it: who sends it is told why.
      return false;
    }
  }

  sendTo(endpoints: readonly Endpoint[]): boolean {
    const pending = this.#pending;
    if (pending === undefined || endpoints === this.#failedAmong) return false;
    try {
      this.result = pending.dispatch(endpoints);
    } catch (error) {
      this.result = error instanceof Error ? error : new Error(String(error));
      if (pending.isWholePool(endpoints) || !this.#isNotFor()) return true;
      this.#failedAmong = endpoints;
      return false;
    }
    return true;
  }

  /** Gives out what became of it, and keeps nothing of its body. */
  take(): RoutedRequest | Error | undefined {
    const { result } = this;
    this.result = undefined;
    this.#pending = undefined;
    this.#elsewhere = undefined;
    return result;
  }

  /** It does not go to a model server: its client is told why. */
  refuse(error: unknown): void {
    if (error instanceof RequestError) this.#refusals.refused(error);
    this.waiter.refused(error);
  }

  /** The endpoints that it was to choose from are not for it; others may be. */
  #isNotFor(): boolean {
    const reason = this.result instanceof RequestError ? this.result.reason : undefined;
    return reason === "rejected-saturated" || reason === "rejected-no-endpoints";
  }
}

/** How long a client waits, in milliseconds, where it says so. */
export const timeToLive = (headers: RequestHeaders): number | undefined =>
  milliseconds(headers, controlHeader.timeToLive) ?? grpcTimeout(headers.get("grpc-timeout"));

function milliseconds(headers: RequestHeaders, names: readonly string[]): number | undefined {
  const text = firstHeader(headers, names);
  if (text === undefined || !/^\d{1,15}(\.\d+)?$/.test(text)) return undefined;
  return Number(text);
}

/** Milliseconds of the units of gRPC's deadlines (gRPC over HTTP/2, "Timeout"). */
const unitsOfTime: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

function grpcTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parts = /^(\d{1,8})([HMSmun])$/.exec(text);
  if (parts === null) return undefined;
  return Number(parts[1]) * (unitsOfTime[parts[2] as string] as number);
}
