import { RequestError } from "../../../scheduling/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import { chooseModel, firstTokenWithin } from "../../../sdk/routing/choose-model.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import { assertModelName } from "../payload/model-name.ts";
import type { Payload } from "../payload/payload.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";

/** A request's model, as sent and as the server is asked for. */
export interface RequestedModel {
  /** Empty where the body names none. */
  readonly model: string;
  readonly targetModel: string;
  /** `namespace/name` of the LLMService that registers the model. */
  readonly service: string | undefined;
  /** `namespace/name` of the InferenceModelRewrite whose rule decided. */
  readonly rewrite: string | undefined;
  /** Milliseconds within which its objective wants the first token; undefined without one. */
  readonly firstTokenWithinMs: number | undefined;
  /** Weight of the LLMService beside others; undefined where none registers the model. */
  readonly share: number | undefined;
  /** Undefined where the request's InferenceObjective says. */
  readonly priority: number | undefined;
}

export interface ModelOptions {
  /**
   * A model router in front says by header X-Gateway-Model-Name which model it sent here, and by
   * x-llm-d-model-name-rewrite what it drew. Clients can send the headers too, so that they choose nothing that the pool's
   * own rules would not give: a name of the pool, and a target of that name.
   */
  readonly trustModelNameHeader: boolean;
  /** The header x-llm-d-model-name-rewrite is heeded. */
  readonly modelRewriteHeader: boolean;
}

/**
 * Who serves a request's model and which model the servers are asked for: what the pool's LLMServices and rewrites
 * say, else the header x-llm-d-model-name-rewrite where it is heeded, else the model itself. A registered model is its service's to
 * decide, so that the header does nothing there.
 * @throws RequestError NotFound for a model that the pool does not serve, BadRequest where there is none
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
    // The pool lets bodies pass that cannot be read, else they were refused before.
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
 * Bodies that were not read as JSON, and requests of APIs without a model, pass as they are. The spans are looked for
 * only if the body names no model.
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
 * The body's model where the pool knows it; else the one that a model router drew for it, of another pool's rules. It has
 * left the body to the picker, which restores the client's name in answers.
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

/** As the OpenAI API tells of a model that does not exist, so that its clients know the error. */
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
