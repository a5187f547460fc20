import type { ModelRewriteObject, RewriteRule, RewriteTable } from "../routing/rewrite-table.ts";
import { eligibleTargets } from "../routing/weighted-targets.ts";
import { conditionsOf, listed, type Moment } from "./conditions.ts";
import { type ModelRewriteFinding, modelRewriteReasons } from "./reasons.ts";
import type { ModelRewriteStatus } from "./schemas.ts";

export interface ModelRewriteView {
  /** Undefined if the object cannot be parsed. */
  readonly rewrite: ModelRewriteObject | undefined;
  /** Problem with parsing the object. */
  readonly problem: string | undefined;
  /** The API group of the pool's kind. */
  readonly poolGroup: string;
  readonly poolExists: boolean;
  /** The rules of the pool by precedence. */
  readonly table: RewriteTable;
  /** API group of an object with the same name that pickers read instead of this one. */
  readonly shadowedBy: string | undefined;
  /** Reason that the other fields are out of date. */
  readonly stale: string | undefined;
}

/** Computes the status of an InferenceModelRewrite. Like `statusOf`, it depends only on its arguments. */
export function modelRewriteStatus(
  view: ModelRewriteView,
  previous: ModelRewriteStatus | undefined,
  moment: Moment,
): ModelRewriteStatus {
  const findings = findingsOf(view);
  // The status of upstream's kind has only conditions.
  return {
    conditions: conditionsOf(modelRewriteReasons, findings, previous?.conditions, moment),
  };
}

function findingsOf(view: ModelRewriteView): ModelRewriteFinding[] {
  const { rewrite, problem, stale } = view;
  if (stale !== undefined) {
    const unknown = { status: "Unknown", reason: "StaleCache", message: stale } as const;
    return [
      { type: "Accepted", ...unknown },
      { type: "Overridden", ...unknown },
      { type: "ResolvedRefs", ...unknown },
    ];
  }
  if (rewrite === undefined)
    return [
      { type: "Accepted", status: "False", reason: "Invalid", message: problem ?? "unreadable" },
    ];
  const resolved = resolvedRefs(rewrite, view);
  const override = overrideOf(rewrite, view);
  return [accepted(rewrite, resolved, override), overridden(override), resolved];
}

type ResolvedRefs = Extract<ModelRewriteFinding, { type: "ResolvedRefs" }>;

function resolvedRefs(
  { namespace, poolRef }: ModelRewriteObject,
  { poolGroup, poolExists }: ModelRewriteView,
): ResolvedRefs {
  const type = "ResolvedRefs";
  const pool = `InferencePool ${namespace}/${poolRef.name}`;
  if (poolRef.kind !== "InferencePool" || poolRef.group !== poolGroup) {
    const message = `${poolRef.kind} of ${poolRef.group || "the core group"} does not support rewrites; use an InferencePool of ${poolGroup}`;
    return { type, status: "False", reason: "InvalidKind", message };
  }
  return poolExists
    ? { type, status: "True", reason: "ResolvedRefs", message: `${pool} exists` }
    : { type, status: "False", reason: "PoolNotFound", message: `${pool} does not exist` };
}

function accepted(
  { rules }: ModelRewriteObject,
  resolved: ResolvedRefs,
  { winners, isWhole }: Override,
): ModelRewriteFinding {
  const type = "Accepted";
  const empty = rules.flatMap(({ targets }, index) =>
    eligibleTargets(targets).length === 0 ? [`rules[${index}]`] : [],
  );
  if (empty.length > 0) {
    const message = `${listed(empty)}: no target has a weight above 0, so the rule is ignored`;
    return { type, status: "False", reason: "NoTargets", message };
  }
  if (resolved.status === "False")
    return { type, status: "False", reason: "RefNotResolved", message: resolved.message };
  if (isWhole) return { type, status: "False", reason: "RuleOverridden", message: listed(winners) };
  const message =
    winners.length === 0
      ? "the pool uses the rules"
      : "the pool uses the rules that no other rule overrides";
  return { type, status: "True", reason: "Accepted", message };
}

/** Rules that override the rules of a rewrite. */
interface Override {
  /** A sentence for each model that another rule rewrites. */
  readonly winners: readonly string[];
  /** Whether the pool uses no rule of the rewrite. */
  readonly isWhole: boolean;
}

function overrideOf(
  rewrite: ModelRewriteObject,
  { table, shadowedBy }: ModelRewriteView,
): Override {
  const own = `${rewrite.namespace}/${rewrite.name}`;
  if (shadowedBy !== undefined) {
    const winner = `the object of the same name in ${shadowedBy} is used instead of this one`;
    return { winners: [winner], isWhole: true };
  }
  const matches = rewrite.rules.flatMap(({ models, targets }, index) =>
    eligibleTargets(targets).length === 0
      ? []
      : (models ?? [undefined]).map((model) => ({
          index,
          model,
          winner: model === undefined ? table.generic : table.exact.get(model),
        })),
  );
  const winners = matches.flatMap(({ index, model, winner }) =>
    winner === undefined || (winner.rewrite === own && winner.index === index)
      ? []
      : [
          `rules[${index}]: ${model === undefined ? "every model" : `model ${model}`}: ${nameOfRule(winner)}`,
        ],
  );
  return { winners, isWhole: winners.length > 0 && winners.length === matches.length };
}

function overridden({ winners }: Override): ModelRewriteFinding {
  const type = "Overridden";
  return winners.length === 0
    ? { type, status: "False", reason: "NotOverridden", message: "every rule is used" }
    : { type, status: "True", reason: "RuleOverridden", message: listed(winners) };
}

const nameOfRule = ({ rewrite, index }: RewriteRule) => `rules[${index}] of ${rewrite} wins`;
