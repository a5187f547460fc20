import type { RewriteRule, RewriteTable } from "../datastore/rewrite-table.ts";
import type { Payload } from "../payload/payload.ts";
import { RequestError } from "../request-error.ts";
import type { RequestHeaders } from "../request-headers.ts";
import { controlHeader, firstHeader } from "./control-headers.ts";

/** A request's model, as sent and as the server is asked for. */
export interface ModelChoice {
  /** Empty where the body names none. */
  readonly model: string;
  readonly targetModel: string;
  /** `namespace/name` of the InferenceModelRewrite whose rule decided. */
  readonly rewrite: string | undefined;
}

export interface RewriteOptions {
  /**
   * A router in front that already rewrote says so by header X-Gateway-Model-Name; since clients can send the header
   * too, it counts only on request and only where it equals the body's model.
   */
  readonly trustModelNameHeader: boolean;
}

/**
 * Draws the target model of a request (seed 004): an exact rule, else the generic one, else the header
 * x-llm-d-model-name-rewrite, else the model itself.
 */
export function rewrite(
  payload: Payload,
  headers: RequestHeaders,
  table: RewriteTable,
  random: () => number,
  { trustModelNameHeader }: RewriteOptions,
): ModelChoice {
  const model = payload.model ?? "";
  if (!isRewritable(payload)) return { model, targetModel: model, rewrite: undefined };
  const rule = table.exact.get(model) ?? table.generic;
  if (rule !== undefined && !(trustModelNameHeader && alreadyRewritten(headers, model)))
    return { model, targetModel: draw(rule, random()), rewrite: rule.rewrite };
  const targetModel = firstHeader(headers, controlHeader.modelRewrite) ?? model;
  if (targetModel === "") throw new RequestError("BadRequest", "model not found in request body");
  return { model, targetModel, rewrite: undefined };
}

/** Bodies that were not read as JSON pass as they are. The spans are looked for only where no model says so. */
const isRewritable = (payload: Payload) =>
  payload.model !== undefined || payload.modelSpans !== undefined;

const alreadyRewritten = (headers: RequestHeaders, model: string) =>
  model !== "" && firstHeader(headers, controlHeader.modelName) === model;

/** A target by weight; `chance` in [0, 1). Without weights all are alike. */
export function draw({ targets }: RewriteRule, chance: number): string {
  const total = targets.reduce((sum, { weight = 1 }) => sum + weight, 0);
  let rest = chance * total;
  for (const { model, weight = 1 } of targets) {
    rest -= weight;
    if (rest < 0) return model;
  }
  return (targets.at(-1) as { model: string }).model;
}
