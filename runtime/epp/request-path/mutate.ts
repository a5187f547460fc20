import { randomUUID } from "node:crypto";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { Decision, UnreadDecision } from "../../../scheduling/profiles/scheduler.ts";
import type { SchedulingRequest } from "../../../scheduling/requests/request.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { routingHeaders } from "../../../scheduling/requests/routing-headers.ts";
import type { RequestTrace } from "../decisions/request-trace.ts";
import type { KeptState, Payload } from "../payload/payload.ts";
import { changedBody } from "../payload/splice.ts";
import type { Struct } from "../protocol/struct.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";
import { type EngineFieldPolicy, rankHeader } from "./engine-fields.ts";
import { newResponseId, serversId, serversPath } from "./kept-state.ts";
import type { RequestedModel } from "./requested-model.ts";

/** Changes to a request on its way to the server. Unchanged parts are not sent back to the proxy. */
export interface Mutation {
  readonly set: ReadonlyArray<readonly [name: string, value: string]>;
  readonly remove: readonly string[];
  readonly dynamicMetadata: Struct;
  /** The whole body; undefined if the proxy sent none. */
  readonly body: Buffer | undefined;
  /** Whether `body` differs from the body that the client sent. */
  readonly bodyChanged: boolean;
}

export interface MutateOptions {
  readonly emitEndpointScores: boolean;
  readonly engineFields: EngineFieldPolicy;
}

/** Namespace of the dynamic metadata that load balancers read. */
const loadBalancer = "envoy.lb";

export function mutate(
  request: Pick<SchedulingRequest, "headers" | "id"> & { readonly payload: Payload },
  { model, targetModel }: Pick<RequestedModel, "model" | "targetModel">,
  decision: Decision,
  { emitEndpointScores, engineFields }: MutateOptions,
  state: KeptState | undefined,
): Mutation {
  const { payload } = request;
  const serving = decision.endpoints[0] as Endpoint;
  const body = changedBody(payload, {
    model: targetModel === model ? undefined : targetModel,
    withoutEngineFields: engineFields === "strip",
    responseId: payload.keeps === "response" ? newResponseId(serving) : undefined,
    conversation: state && { from: state.id, to: serversId(state) },
  });
  const pointing = pointAt(request.headers, decision.endpoints, request.id);
  const set = [
    ...pointing.set,
    ...decision.headers,
    ...pathOfServer(request.headers, state),
    // Proxies drop the length of a body that may change.
    ["content-length", String(body.length)] as const,
  ];
  const scores = emitEndpointScores ? Object.fromEntries(decision.scores()) : undefined;
  return {
    set,
    remove: removed(request.headers, decision, engineFields),
    dynamicMetadata:
      scores === undefined
        ? pointing.dynamicMetadata
        : withScores(pointing.dynamicMetadata, scores),
    body,
    bodyChanged: body !== request.payload.body,
  };
}

/** Like `mutate`, for a request whose body was not read: it is forwarded unchanged. */
export function mutateUnread(
  headers: RequestHeaders,
  decision: UnreadDecision,
  { engineFields }: Pick<MutateOptions, "engineFields">,
  state: KeptState | undefined,
): Mutation {
  const pointing = pointAt(headers, decision.endpoints);
  return {
    ...pointing,
    set: [...pointing.set, ...decision.headers, ...pathOfServer(headers, state)],
    remove: removed(headers, decision, engineFields),
  };
}

/** Returns the new path if the path names a state by an id that the server does not know. */
function pathOfServer(
  headers: RequestHeaders,
  state: KeptState | undefined,
): ReadonlyArray<readonly [name: string, value: string]> {
  const path = serversPath(headers.get(":path") ?? "", state);
  return path === undefined ? [] : [[":path", path]];
}

/** Adds the trace headers, so that the server's spans become children of the picker's spans. */
export const traced = (mutation: Mutation, trace: RequestTrace | undefined): Mutation =>
  trace === undefined ? mutation : { ...mutation, set: [...mutation.set, ...trace.headers] };

/** Returns the client's headers that only the picker may send to a server. */
function removed(
  headers: RequestHeaders,
  { headers: set }: UnreadDecision,
  engineFields: EngineFieldPolicy,
): readonly string[] {
  const found = routingHeaders.filter(
    (name) => headers.has(name) && !set.some(([other]) => other === name),
  );
  if (engineFields === "strip" && headers.has(rankHeader)) found.push(rankHeader);
  return found;
}

/** Names the endpoints in both header and metadata, as the protocol requires. */
export function pointAt(
  headers: RequestHeaders,
  endpoints: ReadonlyArray<Pick<Endpoint, "address">>,
  requestId?: string,
): Mutation {
  const [header] = controlHeader.destination;
  const addresses = endpoints.map((endpoint) => endpoint.address).join(",");
  const known = firstHeader(headers, controlHeader.requestId) !== undefined;
  return {
    set: [
      [header, addresses],
      ...(known ? [] : [[controlHeader.requestId[0], requestId ?? randomUUID()] as const]),
    ],
    remove: [],
    dynamicMetadata: { [loadBalancer]: { [header]: addresses } },
    body: undefined,
    bodyChanged: false,
  };
}

function withScores(metadata: Struct, scores: Record<string, number>): Struct {
  const balancer = metadata[loadBalancer] as Struct;
  return { [loadBalancer]: { ...balancer, "x-gateway-destination-endpoint-scores": scores } };
}
