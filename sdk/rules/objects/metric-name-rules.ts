import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { isMap, listOf } from "../../../kubernetes/values/records.ts";
import { nearest } from "../../../scheduling/config/spelling.ts";
import { argumentsOf, engines, serverOf } from "../../engines/index.ts";
import type { Path } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import type { AutoscalerShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf } from "../../stack/stack-object.ts";
import { engineOfPods, type PodTemplateUse } from "../../stack/workloads.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";
import { scaledObjectKind } from "./scaler-rules.ts";

/** Rules on the metrics of engines in PromQL queries. */

const { stackRule } = rulesOfPack("inference-gang");

/** A PromQL query of a stack. */
interface Query {
  readonly path: Path;
  readonly text: string;
  /** Pods that the query scales. Empty if they are not in the stack. */
  readonly pods: readonly PodTemplateUse[];
}

const fieldOf = (value: unknown, key: string): unknown => (isMap(value) ? value[key] : undefined);

function* queriesOf(stack: Stack): Iterable<Query> {
  for (const { path, spec, namespace } of specsOf<AutoscalerShape>(stack, scaledObjectKind)) {
    const { kind = "Deployment", name } = spec.scaleTargetRef;
    const pods = stack.workloads
      .filter(
        (each) =>
          each.object.manifest.kind === kind && each.name === name && each.namespace === namespace,
      )
      .flatMap((workload) => workload.pods);
    for (const [at, trigger] of (spec.triggers ?? []).entries()) {
      const text = trigger.type === "prometheus" ? trigger.metadata?.query : undefined;
      if (typeof text === "string")
        yield { path: [...path, "triggers", at, "metadata", "query"], text, pods };
    }
  }
  for (const { path, at, rule } of recordedRules(stack)) {
    const text = fieldOf(rule, "expr");
    if (typeof text === "string") yield { path: [...path, "rules", at, "expr"], text, pods: [] };
  }
}

/** Returns the rules of all PrometheusRules. Rules read no other field of them, so their shape is not checked. */
function* recordedRules(stack: Stack) {
  for (const { path, spec } of specsOf<unknown>(stack, groupKind(kinds.PrometheusRule)))
    for (const [nth, group] of listOf(fieldOf(spec, "groups")).entries())
      for (const [at, rule] of listOf(fieldOf(group, "rules")).entries())
        yield { path: [...path, "groups", nth], at, rule };
}

const quoted = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/g;
const named = /__name__\s*=\s*["'`]([\w:]+)["'`]/g;

/** Returns the names of metrics, labels and functions in PromQL, without the values of labels. */
const namesIn = (promql: string): string[] => [
  ...[...promql.matchAll(named)].map(([, name = ""]) => name),
  ...(promql
    .replace(/#.*$/gm, "")
    .replaceAll(quoted, "")
    .match(/[a-zA-Z_:][\w:]*/g) ?? []),
];

const suffix = /_(total|bucket|sum|count)$/;

/** Returns the closest stored name; undefined if no name differs by at most two letters. */
function closest(name: string, known: readonly string[]): string | undefined {
  const base = name.replace(suffix, "");
  const near = nearest(base, known);
  return near && `${near}${name.slice(base.length)}`;
}

const all = Object.values(engines);

/** Returns what is wrong with a name, and the name to use; undefined if nothing is known to be wrong. */
function wrongName(name: string, pods: readonly PodTemplateUse[]): Fault | undefined {
  const engine = all.find(({ metrics }) =>
    [":", "_"].some((separator) => name.startsWith(`${metrics?.prefix.slice(0, -1)}${separator}`)),
  );
  if (engine?.metrics === undefined) return undefined;
  const { title, metrics, releases } = engine;
  const { prefix, known, replaced } = metrics;
  const rest = name.slice(prefix.length);
  const base = rest.replace(suffix, "");
  const isKnown = known.includes(rest) || known.includes(base);
  if (!name.startsWith(prefix))
    return isKnown || Object.hasOwn(replaced, base)
      ? { why: `${title} publishes it with a colon`, use: `${prefix}${rest}` }
      : undefined;
  if (isKnown) return undefined;
  const other = Object.hasOwn(replaced, base) ? replaced[base] : undefined;
  if (other !== undefined) {
    const isOld = pods.some((each) => releases?.of(engineOfPods(each)?.container.image));
    return isOld ? { why: `this release of ${title} does not publish it`, use: other } : undefined;
  }
  const meant = closest(rest, known);
  if (meant !== undefined) return { why: `${title} does not publish it`, use: `${prefix}${meant}` };
  const theirs = all.find(({ metrics: its }) => its !== metrics && its?.known.includes(base));
  return (
    theirs && {
      why: `it is a metric of ${theirs.title}, not of ${title}`,
      use: `a metric of ${title}`,
    }
  );
}

interface Fault {
  readonly why: string;
  readonly use: string;
}

/** Returns why the engine of the scaled pods publishes no metric of this prefix. */
function unpublished(name: string, [pods]: readonly PodTemplateUse[]): Fault | undefined {
  const container = pods && engineOfPods(pods)?.container;
  const served = container && serverOf(container).engine;
  if (container === undefined || served === undefined) return undefined;
  const { title, metrics } = engines[served];
  const of = all.find((each) => each.metrics && name.startsWith(each.metrics.prefix));
  if (of === undefined || metrics === undefined) return undefined;
  if (of.metrics !== metrics)
    return {
      why: `its target runs ${title}, which publishes ${metrics.prefix}*`,
      use: `a metric of ${title}`,
    };
  const { option } = metrics;
  if (option === undefined || argumentsOf(container).value(option) !== undefined) return undefined;
  return {
    why: `${title} publishes metrics only with ${option}`,
    use: `${name}, with ${option} in the engine's arguments`,
  };
}

const metricsExist = stackRule(
  {
    id: "queries-name-metrics-of-engines",
    guidelines: ["G36"],
    code: "reference",
    level: "advisory",
  },
  {
    title: "Queries of autoscalers and alerts name metrics that the engines publish",
    why: "A name that no engine publishes has no series. KEDA ignores empty results by default: the ScaledObject is ready and never scales, and an alert never fires.",
    source:
      "vLLM, v1/metrics/loggers.py; SGLang, production metrics; KEDA, ignoreNullValues; volcano-sh/kthena#868",
    fix: "Change the name in the query. If a recording rule outside the stack or a relabelling creates the series, ignore this.",
  },
  wholeStack,
  function* (stack): Iterable<Finding> {
    const recorded = new Set([...recordedRules(stack)].map(({ rule }) => fieldOf(rule, "record")));
    for (const { path, text, pods } of queriesOf(stack))
      for (const name of new Set(namesIn(text))) {
        const fault = recorded.has(name)
          ? undefined
          : (wrongName(name, pods) ?? unpublished(name, pods));
        if (fault === undefined) continue;
        yield {
          path,
          given: `reads ${name}, but ${fault.why}`,
          allowed: fault.use,
          fix: "Change the metric, or the engine's options.",
        };
      }
  },
);

export const metricNameRules: readonly StackRule[] = [metricsExist];
