import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { chooseModel, firstTokenWithin } from "../../../sdk/routing/choose-model.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import { assertModelName } from "../payload/model-name.ts";
import type { Payload } from "../payload/payload.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";

/** A request's model: the client's name for it, and the name sent to the server. */
export interface RequestedModel {
  /** Empty if the body names no model. */
  readonly model: string;
  readonly targetModel: string;
  /** `namespace/name` of the LLMService that registers the model. */
  readonly service: string | undefined;
  /** `namespace/name` of the InferenceModelRewrite whose rule decided. */
  readonly rewrite: string | undefined;
  /** Time within which the model's objective wants the first token, in ms; undefined if it has none. */
  readonly firstTokenWithinMs: number | undefined;
  /** Weight of the LLMService relative to other LLMServices; undefined if none registers the model. */
  readonly share: number | undefined;
  /** Undefined if the request's InferenceObjective sets the priority. */
  readonly priority: number | undefined;
}

export interface ModelOptions {
  /**
   * Whether to trust the headers of a model router in front. X-Gateway-Model-Name contains the model that it sent here,
   * and x-llm-d-model-name-rewrite the target that it drew. Clients can send these headers too, so the headers can
   * select only what the pool's rules allow anyway: a model of the pool and a target of that model.
   */
  readonly trustModelNameHeader: boolean;
  /** Whether the header x-llm-d-model-name-rewrite is used. */
  readonly modelRewriteHeader: boolean;
}

/**
 * Returns the service of a request's model and the model requested from the servers. The pool's LLMServices and
 * rewrites decide first, then the header x-llm-d-model-name-rewrite if it is used; otherwise the model stays. The
 * header has no effect on a registered model, since its service decides.
 * @throws RequestError NotFound for a model that the pool does not serve, BadRequest if the body names no model
 */
export function requestedModel(
  payload: Payload,
  headers: RequestHeaders,
  { pool, routing }: Pick<PoolSnapshot, "pool" | "routing">,
  random: () => number,
  { trustModelNameHeader, modelRewriteHeader }: ModelOptions,
): RequestedModel {
  const model = payload.model ?? "";
  if (!isRewritable(payload)) {
    // A body that cannot be read got here only because the pool allows such bodies.
    if (routing.registrationRequired && payload.unread === undefined) throw noModel();
    return unread(model);
  }
  const name = trustModelNameHeader ? routedName(model, headers, routing) : model;
  const drawn = trustModelNameHeader ? firstHeader(headers, controlHeader.modelRewrite) : undefined;
  const choice = chooseModel(name, routing, random(), drawn);
  const { outcome, registration, rule, target, priority } = choice;
  if (model === "" && outcome === "unregistered") throw noModel();
  if (outcome !== "served") throw notServed(outcome, name, pool);
  const asked = modelRewriteHeader && registration === undefined && rule === undefined;
  const header = asked ? firstHeader(headers, controlHeader.modelRewrite) : undefined;
  if (header !== undefined) assertModelName(header);
  const targetModel = header ?? target;
  if (targetModel === "") throw noModel();
  return {
    model,
    targetModel,
    service: registration?.service,
    rewrite: rule?.rewrite,
    firstTokenWithinMs: firstTokenWithin(registration),
    share: registration?.share,
    priority,
  };
}

/**
 * Bodies that were not read as JSON, and requests of APIs without a model, pass unchanged. Spans are computed only if
 * the body names no model.
 */
const isRewritable = (payload: Payload) =>
  payload.model !== undefined || (payload.needsModel && payload.modelSpans !== undefined);

const unread = (model: string): RequestedModel => ({
  model,
  targetModel: model,
  service: undefined,
  rewrite: undefined,
  firstTokenWithinMs: undefined,
  share: undefined,
  priority: undefined,
});

/**
 * Returns the body's model if the pool knows it; else the model that a model router drew for it by another pool's
 * rules. The router leaves the body unchanged: the picker edits it, and restores the client's name in responses.
 */
function routedName(
  model: string,
  headers: RequestHeaders,
  { registrations, rewrites }: PoolSnapshot["routing"],
): string {
  if (model === "" || registrations.byModel.has(model) || rewrites.exact.has(model)) return model;
  const routed = firstHeader(headers, controlHeader.modelName);
  if (routed === undefined || routed === model) return model;
  assertModelName(routed);
  return routed;
}

const noModel = () => new RequestError("BadRequest", "model not found in request body");

/** The OpenAI API's error for a model that does not exist, which its clients recognize. */
function notServed(
  outcome: "unregistered" | "reserved",
  model: string,
  pool: PoolSnapshot["pool"],
): RequestError {
  const place = `pool ${pool?.namespace}/${pool?.name}`;
  const message =
    outcome === "unregistered"
      ? `The model \`${model}\` is not registered on ${place}`
      : `There is no valid target model for \`${model}\` on ${place}`;
  return new RequestError("NotFound", message, { apiCode: "model_not_found" });
}
