import type { ModelRouting } from "./model-routing.ts";
import type { Registration } from "./registrations.ts";
import type { RewriteRule } from "./rewrite-table.ts";
import { drawTarget, type WeightedTarget } from "./weighted-targets.ts";

/** What becomes of a request for a model, and why. */
export interface ModelChoice {
  /**
   * `unregistered`: the pool takes registered models only, and nobody registered this one. `reserved`: its LLMService
   * gives no target a weight, and no rewrite is for it. Neither is served.
   */
  readonly outcome: "served" | "unregistered" | "reserved";
  /** Who has the client's name on the pool. */
  readonly registration: Registration | undefined;
  /** The rewrite that is for the client's name; it wins over the targets of the registration. */
  readonly rule: RewriteRule | undefined;
  /** What `target` was drawn from; empty where the model goes as it is, or is not served. */
  readonly targets: readonly WeightedTarget[];
  /** Model that the servers are asked for; the client's name where nothing changes it. */
  readonly target: string;
  readonly critical: boolean;
  /** Undefined for a model that nobody registers, whose requests name an InferenceObjective themselves. */
  readonly priority: number | undefined;
}

/** Critical requests are never shed. */
const criticalPriority = 0;
/** Others are shed while the pool is full. */
const noncriticalPriority = -1;

const none: readonly WeightedTarget[] = [];

/**
 * Decides on a model name: whose it is, then the first rewrite that is for it, and only where there is none the
 * targets of its LLMService. One draw, whose result is not looked up again.
 *
 * @param chance in [0, 1)
 * @param drawn what a model router in front has drawn: taken where it is one of the targets
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
 * Priority of requests for a registered model. Undefined for one that nobody registers: what others register does not
 * make its requests less important.
 */
export function priorityOf(registration: Registration | undefined): number | undefined {
  if (registration === undefined) return undefined;
  return registration.model.critical ? criticalPriority : noncriticalPriority;
}

/** Tokens of a short answer. */
const shortAnswer = 100;

/**
 * Milliseconds within which the first token of a registered model is wanted: what its objective says, or else the time that
 * a short answer may take at most. Undefined without an objective in figures.
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
