import { type Aged, olderFirst } from "./age.ts";
import { LayeredMap } from "./layered-map.ts";
import { type AboutPool, isAbout, type RoutedPool } from "./routed-pool.ts";
import { eligibleTargets, type WeightedTarget } from "./weighted-targets.ts";

/** The fields of an InferenceModelRewrite that rewriting reads. */
export interface ModelRewriteObject extends Aged, AboutPool {
  readonly rules: readonly ModelRewriteRule[];
}

export interface ModelRewriteRule {
  /**
   * Model names that the rule applies to; undefined for every model. A match without a model matches nothing, so
   * `matches: [{}]` gives an empty list.
   */
  readonly models: readonly string[] | undefined;
  readonly targets: readonly WeightedTarget[];
}

/** A rewrite rule as used for each request. */
export interface RewriteRule {
  /** `namespace/name` of the InferenceModelRewrite. */
  readonly rewrite: string;
  /** Index in the object's rules. */
  readonly index: number;
  readonly targets: readonly WeightedTarget[];
}

/** A rule that is never used, or not used for one of its models, with the reason. */
export interface UnusedRule {
  readonly rewrite: string;
  readonly index: number;
  readonly reason: string;
}

/** The rules of a pool by precedence. */
export interface RewriteTable {
  /** Rule of each named model. It has precedence over `generic`. */
  readonly exact: LayeredMap<RewriteRule>;
  /** Rule of every other model. */
  readonly generic: RewriteRule | undefined;
  /** Reports whether a rule in the table has a model as a target. */
  hasTarget(model: string): boolean;
  /** Computed on first use, by comparing the models of all rules. */
  readonly unused: readonly UnusedRule[];
}

/** Rules collected so far. The first rule for a model, or for every model, wins. */
interface Collected {
  readonly exact: Map<string, RewriteRule>;
  generic: RewriteRule | undefined;
}

/**
 * Merges the rewrites of a pool: an exact match wins over a generic one, then the older object, then the name, then the
 * earlier rule (InferenceModelRewrite proposal, "Precedence and Conflict Resolution"). A rule without targets is left
 * out: it would break its model, or with no match every model. Objects of earlier tables are cached and not read again.
 */
export function rewriteTable(
  pool: Pick<RoutedPool, "group" | "namespace" | "name">,
  rewrites: readonly ModelRewriteObject[],
): RewriteTable {
  const objects = rewrites.filter((each) => isAbout(each, pool)).sort(olderFirst);
  let generic: RewriteRule | undefined;
  for (const object of objects) generic ??= rulesOf(object).generic;
  let unused: readonly UnusedRule[] | undefined;
  return {
    exact: new LayeredMap(layersOf(objects)),
    generic,
    hasTarget: (model) => objects.some((object) => targetsOf(object).has(model)),
    get unused() {
      unused ??= unusedRules(objects);
      return unused;
    },
  };
}

export const noRewrites: RewriteTable = {
  exact: new LayeredMap([]),
  generic: undefined,
  hasTarget: () => false,
  unused: [],
};

const knownRules = new WeakMap<ModelRewriteObject, Collected>();

function rulesOf(object: ModelRewriteObject): Collected {
  let rules = knownRules.get(object);
  if (rules === undefined) {
    rules = { exact: new Map(), generic: undefined };
    collect(object, rules, () => {});
    knownRules.set(object, rules);
  }
  return rules;
}

const knownTargets = new WeakMap<ModelRewriteObject, ReadonlySet<string>>();

function targetsOf(object: ModelRewriteObject): ReadonlySet<string> {
  let targets = knownTargets.get(object);
  if (targets === undefined) {
    const { exact, generic } = rulesOf(object);
    const rules = new Set([...exact.values(), ...(generic === undefined ? [] : [generic])]);
    targets = new Set([...rules].flatMap((rule) => rule.targets.map(({ model }) => model)));
    knownTargets.set(object, targets);
  }
  return targets;
}

/** Number of models at which a layer is full. */
const layerModels = 1_000;

interface Layer {
  readonly objects: readonly ModelRewriteObject[];
  readonly exact: ReadonlyMap<string, RewriteRule>;
}

/** Layers by their first object. */
const knownLayers = new WeakMap<ModelRewriteObject, Layer>();

/**
 * Merges consecutive small objects into shared layers. A lookup then reads few layers, and a change of one object
 * copies few entries.
 * @param objects by precedence
 */
function layersOf(objects: readonly ModelRewriteObject[]): ReadonlyMap<string, RewriteRule>[] {
  const layers: ReadonlyMap<string, RewriteRule>[] = [];
  let [begin, models] = [0, 0];
  for (const [at, object] of objects.entries()) {
    models += rulesOf(object).exact.size;
    if (models < layerModels && at < objects.length - 1) continue;
    layers.push(layerOf(objects.slice(begin, at + 1)));
    [begin, models] = [at + 1, 0];
  }
  return layers;
}

function layerOf(objects: readonly ModelRewriteObject[]): ReadonlyMap<string, RewriteRule> {
  const [first] = objects as [ModelRewriteObject];
  if (objects.length === 1) return rulesOf(first).exact;
  const known = knownLayers.get(first);
  if (known !== undefined && isSame(known.objects, objects)) return known.exact;
  const exact = new Map<string, RewriteRule>();
  for (const object of objects)
    for (const [model, rule] of rulesOf(object).exact)
      if (!exact.has(model)) exact.set(model, rule);
  knownLayers.set(first, { objects, exact });
  return exact;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((each, at) => each === b[at]);

function unusedRules(objects: readonly ModelRewriteObject[]): UnusedRule[] {
  const unused: UnusedRule[] = [];
  const rules: Collected = { exact: new Map(), generic: undefined };
  for (const object of objects) collect(object, rules, (rule) => unused.push(rule));
  return unused;
}

/** Adds the rules of an object to the rules of the objects before it, and reports each rule that is never used. */
function collect(
  object: ModelRewriteObject,
  collected: Collected,
  report: (unused: UnusedRule) => void,
): void {
  const { exact } = collected;
  const rewrite = `${object.namespace}/${object.name}`;
  object.rules.forEach(({ models, targets }, index) => {
    const leaveOut = (reason: string) => report({ rewrite, index, reason });
    const rule = { rewrite, index, targets: eligibleTargets(targets) };
    if (rule.targets.length === 0) leaveOut("it has no target with a weight");
    else if (models === undefined) {
      if (collected.generic === undefined) collected.generic = rule;
      else leaveOut(`every model is rewritten by ${describe(collected.generic)}`);
    } else {
      if (models.length === 0) leaveOut("no match names a model");
      for (const model of models) {
        const other = exact.get(model);
        if (other === undefined) exact.set(model, rule);
        else if (other.rewrite !== rewrite || other.index !== index)
          leaveOut(`model ${model} is rewritten by ${describe(other)}`);
      }
    }
  });
}

const describe = ({ rewrite, index }: RewriteRule) => `rules[${index}] of ${rewrite}`;
