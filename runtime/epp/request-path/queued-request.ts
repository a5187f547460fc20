import type { SendableRequest } from "../../../scheduling/dispatch/dispatch-gate.ts";
import { HoldColdPrompt } from "../../../scheduling/dispatch/hold-cold-prompt.ts";
import { type Moment, WaitForCheaper } from "../../../scheduling/dispatch/wait-for-cheaper.ts";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { FlowKey } from "../../../scheduling/flow-control/flow-request.ts";
import { promptTokens } from "../../../scheduling/requests/prompt-tokens.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { RequestLabels } from "../observer.ts";
import type { Waiter } from "./admit.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";
import type { PendingRequest, RoutedRequest } from "./pending-request.ts";

/** A request in flow control, and its result once it was sent. */
export class QueuedRequest implements SendableRequest {
  readonly flow: FlowKey;
  readonly bytes: number;
  readonly receivedAt: number;
  readonly ttl: number | undefined;
  readonly firstTokenWithin: number | undefined;
  readonly share: number | undefined;
  readonly labels: RequestLabels;
  /** Undefined once the response is left to the proxy: the exchange is over. */
  waiter: Waiter | undefined;
  /** Whether `admit` has not returned yet. Until then `admit` returns the result, and the waiter is not called. */
  isArriving = true;
  /** Result of the attempt to send the request, until it is taken. */
  result: RoutedRequest | Error | undefined;
  readonly #refusals: PendingRequest["refusals"];
  /** Undefined once the request was sent: the body is not needed during the response. */
  #pending: PendingRequest | undefined;
  /** Endpoints with a free slot that could not serve the request. */
  #failedAmong: readonly Endpoint[] | undefined;
  #elsewhere: WaitForCheaper | undefined;
  #hold: HoldColdPrompt | undefined;
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

  /** Counted on first use, which must be before the request is sent. */
  get promptTokens(): number {
    const { request } = this.#pending ?? {};
    this.#promptTokens ??= request === undefined ? 0 : promptTokens(request);
    return this.#promptTokens;
  }

  get isHeldNow(): boolean {
    return this.#hold?.isHeldNow === true;
  }

  isHeld(endpoints: readonly Endpoint[], now: number, timeToLive: number): boolean {
    const pending = this.#pending;
    if (pending === undefined) return false;
    this.#hold ??= new HoldColdPrompt(
      (servers, at) => pending.evictsWorkingSet(servers, at),
      now,
      Math.min(timeToLive, this.ttl ?? timeToLive, this.firstTokenWithin ?? timeToLive),
    );
    return this.#hold.isHeld(endpoints, now);
  }

  shouldWait(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const pending = this.#pending;
    if (pending === undefined) return false;
    this.#elsewhere ??= new WaitForCheaper((endpoints, now) => pending.promptCosts(endpoints, now));
    try {
      return this.#elsewhere.shouldWait(all, free, moment);
    } catch {
      // None of the endpoints may serve the request. `sendTo` reports the reason.
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

  /** Returns the result and drops the body. */
  take(): RoutedRequest | Error | undefined {
    const { result } = this;
    this.result = undefined;
    this.#pending = undefined;
    this.#elsewhere = undefined;
    this.#hold = undefined;
    return result;
  }

  /** The response is not observed. The request counts until its server has ended it, without its stream. */
  left(): void {
    this.waiter = undefined;
  }

  /** Refuses the request and notifies its waiter. */
  refuse(error: unknown): void {
    if (error instanceof RequestError) this.#refusals.refused(error);
    this.waiter?.refused(error);
  }

  /** Whether the last endpoints may not serve the request, while other endpoints might. */
  #isNotFor(): boolean {
    const reason = this.result instanceof RequestError ? this.result.reason : undefined;
    return reason === "rejected-saturated" || reason === "rejected-no-endpoints";
  }
}

/** Returns the time that a client waits, in ms; undefined if its headers set none. */
export const timeToLive = (headers: RequestHeaders): number | undefined =>
  milliseconds(headers, controlHeader.timeToLive) ?? grpcTimeout(headers.get("grpc-timeout"));

function milliseconds(headers: RequestHeaders, names: readonly string[]): number | undefined {
  const text = firstHeader(headers, names);
  if (text === undefined || !/^\d{1,15}(\.\d+)?$/.test(text)) return undefined;
  return Number(text);
}

/** Units of gRPC deadlines, in ms (gRPC over HTTP/2, "Timeout"). */
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
