import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { nearest } from "../../../scheduling/config/spelling.ts";
import { label } from "../../names.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-routing");

interface MonitorShape {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
}

const eachMonitor: Subjects<TypedObject<MonitorShape>> = {
  of: (stack) => specsOf<MonitorShape>(stack, groupKind(kinds.ServiceMonitor)),
  needsPods: false,
};

const monitorsSelectAPicker = stackRule(
  { id: "monitors-select-a-picker", code: "reference", level: "advisory" },
  {
    title: "The service or pool of ServiceObjectives exists",
    why: "Prometheus finds no picker with the label, so objectives have no data and their alerts never fire.",
    source: "Prometheus Operator, ServiceMonitor",
    fix: "Correct the name in `of` of the ServiceObjectives. If another program creates the service or pool, ignore this finding.",
  },
  eachMonitor,
  function* ({ namespace, spec, path }, { stack }) {
    for (const key of [label.service, label.pool]) {
      const name = spec.selector?.matchLabels?.[key];
      if (name === undefined) continue;
      const names = specsOf(stack, "/Service")
        .filter((each) => each.namespace === namespace)
        .flatMap(({ object }) => object.manifest.metadata.labels?.[key] ?? []);
      // A program without services or pools has objectives for another program.
      if (names.length === 0 || names.includes(name)) continue;
      const near = nearest(name, names);
      yield {
        path: [...path, "selector", "matchLabels", key],
        given: `is ${name}, and the stack has no Service with this label`,
        allowed: [...new Set(names)].sort().join(", "),
        fix: `${near === undefined ? "Correct the name in `of` of the ServiceObjectives." : `Did you mean ${near}?`} If another program creates it, ignore this finding.`,
      };
    }
  },
);

/** Rules on the targets of monitors. */
export const monitorRules: readonly StackRule[] = [monitorsSelectAPicker];
