import type { ModelRouting } from "./model-routing.ts";
import type { Registration } from "./registrations.ts";
import type { RewriteRule } from "./rewrite-table.ts";
import { drawTarget, type WeightedTarget } from "./weighted-targets.ts";

/** Result of choosing the target model for a request, with the rules that decided. */
export interface ModelChoice {
  /**
   * `unregistered`: the pool serves only registered models, and no LLMService registers this one. `reserved`: the
   * LLMService gives no target a weight, and no rewrite applies. Both are refused.
   */
  readonly outcome: "served" | "unregistered" | "reserved";
  /** Registration of the client's model name on the pool. */
  readonly registration: Registration | undefined;
  /** Rewrite for the client's model name. It has precedence over the targets of the registration. */
  readonly rule: RewriteRule | undefined;
  /** Targets from which `target` was drawn. Empty if the model name is not changed or the request is refused. */
  readonly targets: readonly WeightedTarget[];
  /** Model name for the model servers. Default: the client's model name. */
  readonly target: string;
  readonly critical: boolean;
  /** Undefined for an unregistered model; its requests may name an InferenceObjective. */
  readonly priority: number | undefined;
}

/** Priority of critical requests, which are never shed. */
const criticalPriority = 0;
/** Priority of other registered requests, which are shed while the pool is full. */
const noncriticalPriority = -1;

const none: readonly WeightedTarget[] = [];

/**
 * Chooses the target of a model name: from the first rewrite that applies, or else from the targets of its LLMService.
 * Makes one draw and does not look up the drawn name again.
 *
 * @param chance in [0, 1)
 * @param drawn target that a model router has drawn; used if it is one of the targets
 */
export function chooseModel(
  model: string,
  routing: ModelRouting,
  chance: number,
  drawn?: string,
): ModelChoice {
  const { registrationRequired, registrations, rewrites } = routing;
  const registration = registrations.byModel.get(model);
  const rule = rewrites.exact.get(model) ?? rewrites.generic;
  const refusal = refusalOf(registration, rule, registrationRequired);
  const targets = refusal === undefined ? (rule?.targets ?? registration?.targets ?? none) : none;
  return {
    outcome: refusal ?? "served",
    registration,
    rule,
    targets,
    target: targetOf(model, targets, chance, drawn),
    critical: registration?.model.critical ?? false,
    priority: priorityOf(registration),
  };
}

function targetOf(
  model: string,
  targets: readonly WeightedTarget[],
  chance: number,
  drawn: string | undefined,
): string {
  if (targets.length === 0) return model;
  const isTarget = drawn !== undefined && targets.some((target) => target.model === drawn);
  return isTarget ? drawn : drawTarget(targets, chance);
}

/**
 * Returns the priority of requests for a registered model. Undefined for an unregistered model, so that the
 * registrations of other models do not lower its priority.
 */
export function priorityOf(registration: Registration | undefined): number | undefined {
  if (registration === undefined) return undefined;
  return registration.model.critical ? criticalPriority : noncriticalPriority;
}

/** Number of tokens in a short response. */
const shortAnswer = 100;

/**
 * Returns the time within which clients expect the first token of a registered model, in ms. It is the objective for
 * the first token, or else the time that the objective per token allows for a short response. Undefined if neither is
 * set.
 */
export function firstTokenWithin(registration: Registration | undefined): number | undefined {
  const { firstTokenSeconds, objectiveSeconds } = registration?.model ?? {};
  const perToken = objectiveSeconds === undefined ? undefined : objectiveSeconds * shortAnswer;
  const seconds = firstTokenSeconds ?? perToken;
  return seconds === undefined ? undefined : seconds * 1000;
}

function refusalOf(
  registration: Registration | undefined,
  rule: RewriteRule | undefined,
  registrationRequired: boolean,
): "unregistered" | "reserved" | undefined {
  if (registration === undefined) return registrationRequired ? "unregistered" : undefined;
  return rule === undefined && registration.targets.length === 0 ? "reserved" : undefined;
}
