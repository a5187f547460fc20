import type { StackRule } from "../../sdk/rules/helpers/stack-rule.ts";
import { exportsAreClosed } from "../../sdk/rules/objects/export-rules.ts";
import { routeByModelHasARouter } from "../../sdk/rules/objects/model-route-rules.ts";
import { recyclingIsDone } from "../../sdk/rules/objects/recycling-rules.ts";
import { openPoolKeepsItsModels } from "../../sdk/rules/objects/registration-rules.ts";
import { backendsAreGranted } from "../../sdk/rules/objects/routing-rules.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import { type ClusterObject, type ClusterObservation, seenOf } from "./observation.ts";

/** A stack rule that is checked on objects of a cluster. */
interface AskedRule {
  readonly check: string;
  readonly rule: StackRule;
  /** Text if the rule has no finding. */
  readonly fulfilled: string;
  /** Text about an object for which the rule has a finding. */
  readonly wrong: string;
  /** Kinds that the rule reads. */
  readonly kinds: readonly (keyof ClusterObservation["ruled"])[];
}

const askedRules: readonly AskedRule[] = [
  {
    check: "exported-pickers",
    rule: exportsAreClosed,
    fulfilled: "no picker is open to clients of a load balancer",
    wrong: "is open",
    kinds: ["services", "pools", "deployments"],
  },
  {
    check: "admitted-namespaces",
    rule: openPoolKeepsItsModels,
    fulfilled: "no pool lets other namespaces replace its models",
    wrong: "is open",
    kinds: ["serverPools"],
  },
  {
    check: "model-router",
    rule: routeByModelHasARouter,
    fulfilled: "routes that match on the model have a model router",
    wrong: "gets no requests",
    kinds: ["routes", "programs"],
  },
  {
    check: "recycling",
    rule: recyclingIsDone,
    fulfilled: "every service with recycle has a controller that recycles its pods",
    wrong: "keeps failing pods",
    kinds: ["inferenceServices", "programs"],
  },
  {
    check: "reference-grants",
    rule: backendsAreGranted,
    fulfilled: "routes to pools of other namespaces have a grant",
    wrong: "lacks a grant",
    kinds: ["routes", "grants"],
  },
];

/** Returns the problems of objects in the cluster, by rules that previews and policies also check. */
export function checkRules({ ruled }: ClusterObservation): CheckResult[] {
  return askedRules.flatMap(({ check, rule, fulfilled, wrong, kinds }): CheckResult[] => {
    const unseen = kinds.flatMap((kind) => {
      const objects = ruled[kind];
      return objects.state === "forbidden" ? [forbidden(check, kind, objects)] : [];
    });
    if (unseen.length > 0) return unseen.slice(0, 1);
    const objects = kinds.flatMap((kind) => seenOf(ruled[kind]));
    const findings = rule.judge(readStack(objects)).findings.map(({ path, given }): CheckResult => {
      const [at, ...field] = path;
      const { kind, metadata } = objects[Number(at)] as ClusterObject;
      return warning(check, {
        title: `${kind} ${metadata.namespace}/${metadata.name} ${wrong}: ${field.join(".")} ${given}`,
        seen: rule.why,
        fix: rule.fix,
      });
    });
    return findings.length > 0 ? findings : [ok(check, fulfilled)];
  });
}
