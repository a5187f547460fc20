import { exportsAreClosed } from "../../sdk/invariants/stack/export-rules.ts";
import { openPoolKeepsItsModels } from "../../sdk/invariants/stack/registration-rules.ts";
import type { StackRule } from "../../sdk/invariants/stack/stack-rule.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { type Finding, forbidden } from "./finding.ts";
import type { ClusterObject, ClusterObservation, Seen } from "./observation.ts";

/** What a rule of a stack is asked of in a cluster. */
interface Door {
  readonly check: string;
  readonly rule: StackRule;
  readonly closed: string;
  /** Kinds that the rule reads. */
  readonly kinds: readonly (keyof ClusterObservation["doors"])[];
}

const doors: readonly Door[] = [
  {
    check: "exported-pickers",
    rule: exportsAreClosed,
    closed: "no picker stands open behind a load balancer",
    kinds: ["services", "pools", "deployments"],
  },
  {
    check: "admitted-namespaces",
    rule: openPoolKeepsItsModels,
    closed: "no pool lets other namespaces take its models",
    kinds: ["serverPools"],
  },
];

/** What stands open in the namespace, by the rules that previews and policies have. */
export function checkDoors({ namespace, doors: seen }: ClusterObservation): Finding[] {
  return doors.flatMap(({ check, rule, closed, kinds }): Finding[] => {
    const unseen = kinds.flatMap((kind) => {
      const objects = seen[kind];
      return objects.state === "forbidden"
        ? [forbidden(check, `${kind} of ${namespace}`, objects)]
        : [];
    });
    if (unseen.length > 0) return unseen.slice(0, 1);
    const objects = kinds.flatMap((kind) => objectsOf(seen[kind]));
    const findings = rule.judge(readStack(objects)).findings.map(({ path, given }): Finding => {
      const [at, ...field] = path;
      const { kind, metadata } = objects[Number(at)] as ClusterObject;
      return {
        ...{ check, level: "warning" },
        title: `${kind} ${namespace}/${metadata.name} stands open: ${field.join(".")} ${given}`,
        seen: rule.why,
        mend: rule.mend,
      };
    });
    return findings.length > 0 ? findings : [{ check, level: "ok", title: closed }];
  });
}

const objectsOf = (seen: Seen<readonly ClusterObject[]>): readonly ClusterObject[] =>
  seen.state === "seen" ? seen.value : [];
