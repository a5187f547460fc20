import { randomUUID } from "node:crypto";
import { defaultFairnessId } from "../../../scheduling/requests/clients.ts";
import type { SchedulingRequest } from "../../../scheduling/requests/request.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { Tracing } from "../../manager/tracing/tracing.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { RequestLabels } from "../observer.ts";
import { readingOf } from "../payload/parse.ts";
import type { AdmissionPolicy, Waiter, WaitingRequest } from "./admit.ts";
import type { BodyBudget } from "./body-budget.ts";
import { candidates } from "./candidates.ts";
import { controlHeader, firstHeader, pathOf } from "./control-headers.ts";
import { assertNoEngineFields } from "./engine-fields.ts";
import { holders, keptStateOf } from "./kept-state.ts";
import { type Mutation, mutateUnread, traced } from "./mutate.ts";
import { PendingRequest, type RoutedRequest } from "./pending-request.ts";
import type { InboundRequest, PickerOptions, PickerServices } from "./picker-services.ts";
import { type RequestedModel, requestedModel } from "./requested-model.ts";
import type { Tenants } from "./tenants.ts";
import { assertNoRules } from "./unparsed-bodies.ts";

/** The parts of the process that the request path uses. */
export interface EndpointPicker extends PickerServices {
  readonly admission: AdmissionPolicy;
  readonly bodies: BodyBudget;
  readonly tenants: Tenants;
  /** Default: tracing is off. */
  readonly tracing?: Tracing;
}

/**
 * The request path up to admission: parse, choose the model.
 * @throws RequestError for every refusal.
 */
export function accept(
  inbound: InboundRequest,
  picker: EndpointPicker,
  waiter: Waiter,
): PendingRequest {
  const { datastore, scheduler, observer, clock, options } = picker;
  const { headers } = inbound;
  const { snapshot } = datastore;
  let labels: RequestLabels | undefined;
  let pending: PendingRequest | undefined;
  try {
    const reading =
      inbound.reading ?? readingOf({ path: pathOf(headers), headers }, scheduler.parsers);
    const payload = reading.payload(inbound.body);
    if (payload.unread !== undefined) assertNoRules(payload.unread, headers, snapshot, options);
    assertNoEngineFields(options.engineFields, headers, payload);
    const tenant = picker.tenants.of(headers, clock.now());
    const choice = requestedModel(payload, headers, snapshot, clock.random, options);
    const request = {
      id: firstHeader(headers, controlHeader.requestId) ?? randomUUID(),
      headers,
      payload,
      targetModel: choice.targetModel,
      priority: choice.priority ?? objectivePriority(headers, snapshot, options),
      fairnessId: tenant ?? defaultFairnessId,
      owner: ownerOf(choice, tenant),
    };
    waiter.prioritized?.(request.priority);
    labels = labelsOf(request, choice);
    observer.requestReceived(labels);
    if (choice.rewrite !== undefined)
      observer.rewritten(choice.rewrite, choice.model, choice.targetModel);
    pending = new PendingRequest(
      picker,
      inbound,
      request,
      choice,
      labels,
      flowOf({ ...choice, tenant }),
    );
    // Refuses a request whose state is gone before it waits in a queue.
    pending.assertState();
    return pending;
  } catch (error) {
    if (error instanceof RequestError) {
      if (pending === undefined) observer.refused(labels, error);
      else pending.refusals.refused(error);
    }
    throw error;
  }
}

/**
 * The request path from admission on: admit, schedule, mutate. Returns the dispatched request. If admission queues it,
 * returns a handle to cancel it, and notifies `waiter` of the outcome.
 * @throws RequestError for every refusal.
 */
export function admit(
  pending: PendingRequest,
  { admission }: Pick<EndpointPicker, "admission">,
  waiter: Waiter,
): RoutedRequest | WaitingRequest {
  try {
    return admission.admit(pending, waiter);
  } catch (error) {
    if (error instanceof RequestError) pending.refusals.refused(error);
    throw error;
  }
}

/**
 * Routes a request without a body, such as GET /v1/models, or with a body that the proxy does not send. Any endpoint
 * that passes the profile's filters and can answer users may serve it.
 * @throws RequestError if the pool accepts registered models only and the body is not sent
 */
export function routeWithoutBody(
  { headers, metadata, trace }: Omit<InboundRequest, "body">,
  { datastore, scheduler, clock, observer, options }: EndpointPicker,
  { bodyUnseen }: { readonly bodyUnseen: boolean },
): Mutation {
  try {
    assertNoEngineFields(options.engineFields, headers);
    const { snapshot } = datastore;
    if (bodyUnseen) assertNoRegistration(snapshot);
    const state = keptStateOf(pathOf(headers));
    const left = candidates(
      holders(snapshot.endpoints, state, snapshot),
      headers,
      metadata,
      options,
    );
    const chance = { now: clock.now(), random: clock.random };
    const decision = scheduler.scheduleUnread(headers, left, chance);
    return traced(mutateUnread(headers, decision, options, state), trace);
  } catch (error) {
    if (error instanceof RequestError) observer.refused(undefined, error);
    throw error;
  }
}

/** Without the body the model is unknown, so its registration cannot be checked. */
function assertNoRegistration({ pool, routing }: PoolSnapshot): void {
  if (!routing.registrationRequired) return;
  throw new RequestError(
    "BadRequest",
    `pool ${pool?.namespace}/${pool?.name} serves registered models only, and the proxy shows no request bodies`,
  );
}

/** Priority of the InferenceObjective that a request names; 0 without one, or if the header is ignored. */
export const objectivePriority = (
  headers: RequestHeaders,
  { priorities }: PoolSnapshot,
  { objectiveHeader = true }: Pick<PickerOptions, "objectiveHeader">,
): number =>
  objectiveHeader ? (priorities.get(firstHeader(headers, controlHeader.objective) ?? "") ?? 0) : 0;

const ownerOf = ({ service = "" }: RequestedModel, tenant = ""): string =>
  service.slice(0, service.indexOf("/") + 1) + tenant;

const labelsOf = (
  request: SchedulingRequest,
  { model, service }: RequestedModel,
): RequestLabels => ({
  model,
  service,
  targetModel: request.targetModel,
  fairnessId: request.fairnessId,
  priority: request.priority,
});

interface FlowSource {
  /** Named by the gateway; undefined if the gateway names no tenant. */
  readonly tenant: string | undefined;
  /** `namespace/name` of the LLMService that registers the model; undefined if none does. */
  readonly service: string | undefined;
}

/**
 * Returns the flow in which a request is queued: its tenant, else the LLMService of its model. All other requests share
 * one flow, so that a client cannot create many.
 */
export const flowOf = ({ tenant, service }: FlowSource): string =>
  tenant ?? service ?? defaultFairnessId;
