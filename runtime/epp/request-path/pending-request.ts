import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { poolSaturation } from "../../../scheduling/endpoints/saturation.ts";
import type { FlowKey } from "../../../scheduling/flow-control/flow-request.ts";
import { sliceBytes } from "../../../scheduling/prefix-cache/prompt-chain.ts";
import type { Decision } from "../../../scheduling/profiles/scheduler.ts";
import {
  newSchedulingRecord,
  type SchedulingRecord,
} from "../../../scheduling/profiles/scheduling-record.ts";
import { peerOf, tenantOf } from "../../../scheduling/requests/clients.ts";
import type { InFlightRequest, SchedulingRequest } from "../../../scheduling/requests/request.ts";
import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import { clientGroup } from "../../../sdk/rollout/client-group.ts";
import type { DecisionRecord } from "../decisions/decision-ring.ts";
import type { RequestTrace } from "../decisions/request-trace.ts";
import type { Observer, RequestLabels } from "../observer.ts";
import type { KeptState, Payload } from "../payload/payload.ts";
import { candidates } from "./candidates.ts";
import { pathOf } from "./control-headers.ts";
import { holders, keptStateOf } from "./kept-state.ts";
import { servingModel } from "./model-versions.ts";
import { type Mutation, mutate, traced } from "./mutate.ts";
import type { InboundRequest, PickerServices } from "./picker-services.ts";
import type { RequestedModel } from "./requested-model.ts";

/** A dispatched request. */
export interface Dispatched {
  readonly labels: RequestLabels;
  readonly inFlight: InFlightRequest;
  /** The endpoints sent to the proxy, the preferred one first. */
  readonly endpoints: readonly Endpoint[];
  /** Undefined if decisions are not recorded. */
  readonly record: DecisionRecord | undefined;
  /** Whether the response contains the id of a new conversation. */
  readonly createsConversation: boolean;
}

/** A dispatched request with the changes made to it. */
export interface RoutedRequest extends Dispatched {
  readonly mutation: Mutation;
}

/** Records that a request was refused. It does not hold any part of the request's body. */
class Refusals {
  readonly #observer: Observer;
  readonly #labels: RequestLabels;
  readonly #record: DecisionRecord | undefined;
  readonly #trace: RequestTrace | undefined;

  constructor(
    observer: Observer,
    labels: RequestLabels,
    record: DecisionRecord | undefined,
    trace: RequestTrace | undefined,
  ) {
    this.#observer = observer;
    this.#labels = labels;
    this.#record = record;
    this.#trace = trace;
  }

  /** Records a refusal, before or after the request was queued. */
  refused(error: RequestError): void {
    if (this.#record !== undefined) {
      this.#record.refusal = error;
      this.#trace?.decided(this.#record);
    }
    this.#observer.refused(this.#labels, error);
  }
}

/** A parsed request that awaits admission. It reads the endpoints at the time of use, so that they are current. */
export class PendingRequest {
  readonly #request: SchedulingRequest & { readonly payload: Payload };
  readonly labels: RequestLabels;
  /** The flow in which the request is queued. */
  readonly flow: string;
  readonly #picker: PickerServices;
  readonly #inbound: InboundRequest;
  readonly #choice: RequestedModel;
  readonly #state: KeptState | undefined;
  readonly #record: DecisionRecord | undefined;

  constructor(
    picker: PickerServices,
    inbound: InboundRequest,
    request: PendingRequest["request"],
    choice: RequestedModel,
    labels: RequestLabels,
    flow: string,
  ) {
    this.flow = flow;
    this.#picker = picker;
    this.#inbound = inbound;
    this.#request = request;
    this.#choice = choice;
    this.#state = keptStateOf(pathOf(inbound.headers), request.payload);
    this.labels = labels;
    this.#record = picker.decisions?.begin(request.id, labels, choice.rewrite, picker.clock.now());
  }

  get request(): SchedulingRequest & { readonly payload: Payload } {
    return this.#request;
  }

  /** Sets the tokens of the request's prompts, which arrive later. */
  useTokens(tokens: SchedulingRequest["tokens"]): void {
    // The same object, because prefix caches know the request as prepared.
    Object.assign(this.#request, { tokens });
  }

  /** Returns the slices in which long prompts are hashed before admission; undefined for a short body. */
  slices(): Generator<number, void> | undefined {
    if (this.request.payload.body.length <= sliceBytes) return undefined;
    const { scheduler, datastore } = this.#picker;
    return scheduler.prepare(this.request, datastore.snapshot.endpoints);
  }

  /** Time within which the model's objective wants the first token, in ms; undefined if it has none. */
  get firstTokenWithinMs(): number | undefined {
    return this.#choice.firstTokenWithinMs;
  }

  /** Weight of the LLMService that registers the model; undefined if none does. */
  get share(): number | undefined {
    return this.#choice.share;
  }

  /** Records the flow in which the request is queued. */
  waitsIn(flow: FlowKey): void {
    if (this.#record !== undefined)
      this.#record.queue = { flow, saturation: undefined, ceiling: undefined };
  }

  /** Records the pool's saturation and the ceiling of the request's band at the request's turn. */
  turn(saturation: number, ceiling: number): void {
    const queue = this.#record?.queue;
    if (queue === undefined) return;
    queue.saturation = saturation;
    queue.ceiling = ceiling;
  }

  /** Saturation of the pool; 1 is full. */
  saturation(): number {
    const { scheduler, datastore, clock } = this.#picker;
    return poolSaturation(scheduler.detector, datastore.snapshot.endpoints, clock.now());
  }

  /** Whether these are all endpoints of the pool. */
  isWholePool(endpoints: readonly Endpoint[]): boolean {
    return endpoints.length === this.#picker.datastore.snapshot.endpoints.length;
  }

  /**
   * Cost of the prompt on each endpoint, in tokens to compute; infinite for endpoints that may not serve the request.
   */
  promptCosts(endpoints: readonly Endpoint[], now: number): ArrayLike<number> {
    const { scheduler } = this.#picker;
    const among = new Set(this.#candidates(endpoints));
    const tokens = scheduler.promptCosts(this.request, endpoints, now);
    return endpoints.map((endpoint, at) =>
      among.has(endpoint) ? (tokens[at] as number) : Number.POSITIVE_INFINITY,
    );
  }

  /** Whether a cold prompt would evict, on each of the endpoints, prefixes that will be used again. */
  evictsWorkingSet(endpoints: readonly Endpoint[], now: number): boolean {
    return this.#picker.scheduler.evictsWorkingSet(this.request, endpoints, now);
  }

  /** The part of the request that records refusals. */
  get refusals(): Refusals {
    return new Refusals(this.#picker.observer, this.labels, this.#record, this.#inbound.trace);
  }

  /**
   * Schedules the request and counts it.
   * @param among endpoints that may be picked. Default: all
   * @throws RequestError if none of them may serve the request
   */
  dispatch(among = this.#picker.datastore.snapshot.endpoints): RoutedRequest {
    const { observer, options } = this.#picker;
    const { trace } = this.#inbound;
    const { labels, request } = this;
    const decision = this.#schedule(this.#candidates(among));
    const changes = mutate(request, this.#choice, decision, options, this.#state);
    const mutation = traced(changes, trace);
    const inFlight = decision.dispatch();
    const { endpoints } = decision;
    observer.requestDispatched(labels, request.payload.body.length, {
      endpoint: endpoints[0],
      client: this.#client,
    });
    if (this.#record !== undefined) {
      this.#record.chosen = endpoints;
      trace?.decided(this.#record);
    }
    const createsConversation = request.payload.keeps === "conversation";
    return { mutation, labels, inFlight, endpoints, record: this.#record, createsConversation };
  }

  get #client(): number {
    return clientGroup(tenantOf(this.request), peerOf(this.request.headers));
  }

  /** @throws RequestError if the pod with the state that the request continues is gone, or not among `endpoints` */
  #candidates(endpoints: readonly Endpoint[]): readonly Endpoint[] {
    const { datastore, options } = this.#picker;
    const { headers, metadata } = this.#inbound;
    const { snapshot } = datastore;
    const held = holders(endpoints, this.#state, snapshot);
    const left = servingModel(held, snapshot.endpoints, this.labels.targetModel);
    return candidates(left, headers, metadata, options);
  }

  /** @throws RequestError if the pod with the state that the request continues is gone */
  assertState(): void {
    holders([], this.#state, this.#picker.datastore.snapshot);
  }

  /** Starts a scheduling record. A queued request may be scheduled more than once; only the last time is kept. */
  #recordAt(now: number): SchedulingRecord | undefined {
    const record = this.#record;
    if (record === undefined) return undefined;
    if (record.scheduledAt !== undefined) record.scheduling = newSchedulingRecord();
    record.scheduledAt = now;
    return record.scheduling;
  }

  #schedule(endpoints: readonly Endpoint[]): Decision {
    const { observer, scheduler, clock } = this.#picker;
    const { request } = this;
    const now = clock.now();
    let chosen: Endpoint | undefined;
    try {
      const chance = { now, random: clock.random };
      const decision = scheduler.schedule(request, endpoints, chance, this.#recordAt(now));
      chosen = decision.endpoints[0];
      return decision;
    } finally {
      observer.scheduled((clock.now() - now) / 1000, request.targetModel, chosen);
    }
  }
}
