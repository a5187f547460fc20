import type { ModelRewriteObject, RewriteRule, RewriteTable } from "../routing/rewrite-table.ts";
import { eligibleTargets } from "../routing/weighted-targets.ts";
import { conditionsOf, listed, type Moment } from "./conditions.ts";
import { type ModelRewriteFinding, modelRewriteReasons } from "./reasons.ts";
import type { ModelRewriteStatus } from "./schemas.ts";

export interface ModelRewriteView {
  /** Undefined where the object cannot be read. */
  readonly rewrite: ModelRewriteObject | undefined;
  /** What cannot be read of the object. */
  readonly problem: string | undefined;
  /** The API group of the pool's kind. */
  readonly poolGroup: string;
  readonly poolExists: boolean;
  /** The rules of the pool by precedence. */
  readonly table: RewriteTable;
  /** API group of an object of the same name that pickers read in place of this one. */
  readonly shadowedBy: string | undefined;
  /** Why the rest cannot be trusted. */
  readonly stale: string | undefined;
}

/** What became of the rules of an InferenceModelRewrite. Pure, as `statusOf` is. */
export function modelRewriteStatus(
  view: ModelRewriteView,
  previous: ModelRewriteStatus | undefined,
  moment: Moment,
): ModelRewriteStatus {
  const findings = findingsOf(view);
  // Of an upstream kind too, whose status is the conditions and nothing else.
  return {
    conditions: conditionsOf(modelRewriteReasons, findings, previous?.conditions, moment),
  };
}

function findingsOf(view: ModelRewriteView): ModelRewriteFinding[] {
  const { rewrite, problem, stale } = view;
  if (stale !== undefined) {
    const unknown = { status: "Unknown", reason: "StaleView", message: stale } as const;
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
  return [accepted(rewrite, resolved), overridden(rewrite, view), resolved];
}

type ResolvedRefs = Extract<ModelRewriteFinding, { type: "ResolvedRefs" }>;

function resolvedRefs(
  { namespace, poolRef }: ModelRewriteObject,
  { poolGroup, poolExists }: ModelRewriteView,
): ResolvedRefs {
  const type = "ResolvedRefs";
  const pool = `InferencePool ${namespace}/${poolRef.name}`;
  if (poolRef.kind !== "InferencePool" || poolRef.group !== poolGroup) {
    const message = `${poolRef.kind} of ${poolRef.group || "the core group"} takes no rewrites; name an InferencePool of ${poolGroup}`;
    return { type, status: "False", reason: "InvalidKind", message };
  }
  return poolExists
    ? { type, status: "True", reason: "ResolvedRefs", message: `${pool} exists` }
    : { type, status: "False", reason: "PoolNotFound", message: `${pool} does not exist` };
}

function accepted({ rules }: ModelRewriteObject, resolved: ResolvedRefs): ModelRewriteFinding {
  const type = "Accepted";
  const empty = rules.flatMap(({ targets }, index) =>
    eligibleTargets(targets).length === 0 ? [`rules[${index}]`] : [],
  );
  if (empty.length > 0) {
    const message = `${listed(empty)}: no target with a weight, so the rule is left out`;
    return { type, status: "False", reason: "NoTargets", message };
  }
  if (resolved.status === "False")
    return { type, status: "False", reason: "RefNotResolved", message: resolved.message };
  return { type, status: "True", reason: "Accepted", message: "the pool uses the rules" };
}

function overridden(
  rewrite: ModelRewriteObject,
  { table, shadowedBy }: ModelRewriteView,
): ModelRewriteFinding {
  const type = "Overridden";
  const own = `${rewrite.namespace}/${rewrite.name}`;
  if (shadowedBy !== undefined) {
    const message = `the object of this name in ${shadowedBy} is read in place of this one`;
    return { type, status: "True", reason: "RuleOverridden", message };
  }
  const isOther = (rule: RewriteRule | undefined, index: number): rule is RewriteRule =>
    rule !== undefined && (rule.rewrite !== own || rule.index !== index);
  const lost = rewrite.rules.flatMap(({ models, targets }, index) => {
    if (eligibleTargets(targets).length === 0) return [];
    if (models === undefined) {
      const winner = table.generic;
      return isOther(winner, index) ? [`rules[${index}]: every model: ${nameOf(winner)}`] : [];
    }
    return models.flatMap((model) => {
      const winner = table.exact.get(model);
      return isOther(winner, index) ? [`rules[${index}]: model ${model}: ${nameOf(winner)}`] : [];
    });
  });
  return lost.length === 0
    ? { type, status: "False", reason: "NotOverridden", message: "every rule is used" }
    : { type, status: "True", reason: "RuleOverridden", message: listed(lost) };
}

const nameOf = ({ rewrite, index }: RewriteRule) => `rules[${index}] of ${rewrite} wins`;
