import type { PoolObject, RewriteObject, RewriteTarget } from "./pool-objects.ts";
import { refersTo } from "./pool-reference.ts";

/** A rule as the request path uses it. */
export interface RewriteRule {
  /** `namespace/name` of the InferenceModelRewrite. */
  readonly rewrite: string;
  /** Index in the object's rules. */
  readonly index: number;
  readonly targets: readonly RewriteTarget[];
}

/** A rule that is never used, and why: for the debug page. */
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
 * the earlier rule. (Seed 004, "Precedence and Conflict Resolution"; object ages have a resolution of one second, so
 * the name decides between objects that one stack made.) A rule without targets is left out: it would break its
 * model, or with no match every model.
 */
export function rewriteTable(pool: PoolObject, rewrites: readonly RewriteObject[]): RewriteTable {
  const exact = new Map<string, RewriteRule>();
  const unused: UnusedRule[] = [];
  let generic: RewriteRule | undefined;
  for (const object of rewrites.filter(({ poolRef }) => refersTo(poolRef, pool)).sort(precedence)) {
    const rewrite = `${object.namespace}/${object.name}`;
    object.rules.forEach(({ models, targets }, index) => {
      const leaveOut = (reason: string) => unused.push({ rewrite, index, reason });
      const rule = { rewrite, index, targets: eligible(targets) };
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

/** Without any weight all are alike; with some, a target without one is never drawn. */
function eligible(targets: readonly RewriteTarget[]): readonly RewriteTarget[] {
  const weighted = targets.some(({ weight }) => weight !== undefined);
  return weighted ? targets.filter(({ weight = 0 }) => weight > 0) : targets;
}

function precedence(a: RewriteObject, b: RewriteObject): number {
  return (
    compare(a.creationTimestamp, b.creationTimestamp) ||
    compare(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
