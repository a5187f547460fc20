import { chooseModel, type ModelChoice } from "./choose-model.ts";
import type { ModelRouting } from "./model-routing.ts";
import { lostInWords } from "./registrations.ts";

/** Routing of requests for a model on a pool, and the reason for it. */
export interface ModelExplanation {
  readonly model: string;
  readonly outcome: ModelChoice["outcome"];
  /** `namespace/name` of the LLMService that registers the name; undefined if there is none. */
  readonly registeredBy: string | undefined;
  /** LLMServices whose registration of the name is superseded by another one. */
  readonly lostBy: readonly string[];
  /** Sentences that name the LLMServices that may not register the name, each with the reason. */
  readonly refused: readonly string[];
  readonly critical: boolean;
  /** Target for the seconds per output token, as the 95th percentile. */
  readonly objectiveSeconds: number | undefined;
  /** Priority of the requests; undefined if requests name an InferenceObjective themselves. */
  readonly priority: number | undefined;
  /** `namespace/name` and index of the rule that decides the target. */
  readonly rule: { readonly rewrite: string; readonly index: number } | undefined;
  /** Model names that model servers receive, with shares that add up to 1. */
  readonly targets: ReadonlyArray<{ readonly model: string; readonly share: number }>;
}

export function explainModel(model: string, routing: ModelRouting): ModelExplanation {
  const choice = chooseModel(model, routing, 0);
  const { registration, rule } = choice;
  const lost = routing.registrations.lost.filter((each) => each.model === model);
  return {
    model,
    outcome: choice.outcome,
    registeredBy: registration?.service,
    lostBy: lost.map(({ service }) => service),
    refused: lost
      .filter(({ why }) => why !== "taken")
      .map((each) => `${each.service} does not get the name, which ${lostInWords(each)}`),
    critical: choice.critical,
    objectiveSeconds: registration?.model.objectiveSeconds,
    priority: choice.priority,
    rule: rule && { rewrite: rule.rewrite, index: rule.index },
    targets: sharesOf(choice),
  };
}

function sharesOf({ outcome, targets, target }: ModelChoice) {
  if (outcome !== "served") return [];
  if (targets.length === 0) return [{ model: target, share: 1 }];
  const total = targets.reduce((sum, { weight = 1 }) => sum + weight, 0);
  return targets.map(({ model, weight = 1 }) => ({ model, share: weight / total }));
}
