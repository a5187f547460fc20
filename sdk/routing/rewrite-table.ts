import { type Aged, olderFirst } from "./age.ts";
import { type AboutPool, isAbout, type RoutedPool } from "./routed-pool.ts";
import { eligibleTargets, type WeightedTarget } from "./weighted-targets.ts";

/** An InferenceModelRewrite as far as requests are rewritten by it. */
export interface ModelRewriteObject extends Aged, AboutPool {
  readonly rules: readonly ModelRewriteRule[];
}

export interface ModelRewriteRule {
  /**
   * Model names that the rule is for; undefined for every model. A match without a model matches nothing, so
   * `matches: [{}]` gives an empty list.
   */
  readonly models: readonly string[] | undefined;
  readonly targets: readonly WeightedTarget[];
}

/** A rule as the request path uses it. */
export interface RewriteRule {
  /** `namespace/name` of the InferenceModelRewrite. */
  readonly rewrite: string;
  /** Index in the object's rules. */
  readonly index: number;
  readonly targets: readonly WeightedTarget[];
}

/** A rule that is never used, or not for one of its models, and why. */
export interface UnusedRule {
  readonly rewrite: string;
  readonly index: number;
  readonly reason: string;
}

/** The rules of a pool by precedence. */
export interface RewriteTable {
  /** Rule of each model that one names; wins over `generic`. */
  readonly exact: ReadonlyMap<string, RewriteRule>;
  /** Rule of every other model. */
  readonly generic: RewriteRule | undefined;
  readonly unused: readonly UnusedRule[];
}

/**
 * Merges the rewrites of a pool: an exact match wins over a generic one, then the older object, then the name, then
 * the earlier rule (InferenceModelRewrite proposal, "Precedence and Conflict Resolution"). A rule without targets is
 * left out: it would break its model, or with no match every model.
 */
export function rewriteTable(
  pool: Pick<RoutedPool, "group" | "namespace" | "name">,
  rewrites: readonly ModelRewriteObject[],
): RewriteTable {
  const exact = new Map<string, RewriteRule>();
  const unused: UnusedRule[] = [];
  let generic: RewriteRule | undefined;
  for (const object of rewrites.filter((each) => isAbout(each, pool)).sort(olderFirst)) {
    const rewrite = `${object.namespace}/${object.name}`;
    object.rules.forEach(({ models, targets }, index) => {
      const leaveOut = (reason: string) => unused.push({ rewrite, index, reason });
      const rule = { rewrite, index, targets: eligibleTargets(targets) };
      if (rule.targets.length === 0) leaveOut("it has no target with a weight");
      else if (models === undefined) {
        if (generic === undefined) generic = rule;
        else leaveOut(`every model is rewritten by ${describe(generic)}`);
      } else {
        if (models.length === 0) leaveOut("its matches name no model");
        for (const model of models) {
          const other = exact.get(model);
          if (other === undefined) exact.set(model, rule);
          else if (other.rewrite !== rewrite || other.index !== index)
            leaveOut(`model ${model} is rewritten by ${describe(other)}`);
        }
      }
    });
  }
  return { exact, generic, unused };
}

export const noRewrites: RewriteTable = { exact: new Map(), generic: undefined, unused: [] };

const describe = ({ rewrite, index }: RewriteRule) => `rules[${index}] of ${rewrite}`;
