import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { orList } from "../../errors.ts";
import type { AutoscalerShape } from "../../stack/shapes.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { acceleratorsOfPods } from "../../stack/workloads.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";

/** Rules on the targets and the signals of autoscalers. */

const { stackRule } = rulesOfPack("inference-gang");

export const scaledObjectKind = groupKind({ group: groups.keda, kind: "ScaledObject" });
export const autoscalerKinds = [
  groupKind({ group: groups.autoscaling, kind: "HorizontalPodAutoscaler" }),
  scaledObjectKind,
];

/** Versions in which clusters serve a kind, by its group and its name. */
const served = new Map(
  Object.values(kinds).map((each) => [
    groupKind(each),
    [each.version, ...each.otherVersions].map((version) =>
      version.includes("/") || each.group === "" ? version : `${each.group}/${version}`,
    ),
  ]),
);

const targetIsServed = stackRule(
  { id: "autoscaler-target-is-served", guidelines: ["G36"], code: "reference" },
  {
    title: "An autoscaler names its target in a version that clusters serve",
    why: "The autoscaler reads the scale of its target in this version. If no CRD serves the version, the autoscaler never finds the target and scales nothing.",
    source: "autoscaling/v2 CrossVersionObjectReference; KEDA, scaleTargetRef.apiVersion",
    fix: "Set apiVersion to a version of the target's CRD.",
  },
  wholeStack,
  function* (stack) {
    for (const { path, spec } of specsOf<AutoscalerShape>(stack, ...autoscalerKinds)) {
      const { apiVersion, kind = "" } = spec.scaleTargetRef;
      const [group = "", version] = (apiVersion ?? "").split("/");
      const versions = served.get(groupKind({ group, kind }));
      if (apiVersion === undefined || version === undefined || versions === undefined) continue;
      if (versions.includes(apiVersion)) continue;
      yield {
        path: [...path, "scaleTargetRef", "apiVersion"],
        given: `is ${apiVersion}`,
        allowed: orList(versions),
        fix: `Set apiVersion to ${versions[0]}.`,
      };
    }
  },
);

const targetOf = ({ namespace, spec: { scaleTargetRef } }: TypedObject<AutoscalerShape>): string =>
  JSON.stringify([namespace, scaleTargetRef.kind ?? "Deployment", scaleTargetRef.name]);

const oneScalerForATarget = stackRule(
  {
    id: "one-autoscaler-scales-a-target",
    guidelines: ["G36"],
    code: "conflict",
    level: "advisory",
  },
  {
    title: "A workload has at most one autoscaler",
    why: "Two autoscalers set the same replicas by different signals, so pods are started and stopped in turns. KEDA's webhook refuses the second ScaledObject.",
    source:
      "KEDA, admission webhooks: the scale target is already managed; HorizontalPodAutoscaler: AmbiguousSelector",
    fix: "Put all triggers into one autoscaler.",
  },
  wholeStack,
  function* (stack) {
    const all = specsOf<AutoscalerShape>(stack, ...autoscalerKinds);
    for (const [at, scaler] of all.entries()) {
      const first = all.findIndex((other) => targetOf(other) === targetOf(scaler));
      const other = all[first];
      if (first === at || other === undefined) continue;
      yield {
        path: [...scaler.path, "scaleTargetRef", "name"],
        given: `is ${scaler.spec.scaleTargetRef.name}, which ${other.object.manifest.kind} ${other.name} scales too`,
        allowed: "one autoscaler for each workload",
        fix: "Put the triggers of both into one autoscaler, and delete the other one.",
      };
    }
  },
);

/** Metrics that only running engines publish. */
const ofEngines = /\b(vllm|sglang|trtllm|tgi):\w+/;
const metricNames = /[a-zA-Z_][\w:]*(?=\s*[{)[]|\s*$)/g;
/** PromQL that has a value although a metric has no value. */
const withoutSeries = /\babsent\(|\bor\s+(on\s*\(\s*\)\s*)?vector\(/;

const zeroHasASignal = stackRule(
  { id: "zero-replicas-have-a-signal", guidelines: ["G36"], code: "reference", level: "advisory" },
  {
    title: "An autoscaler that scales to zero has a signal without running engines",
    why: "Engines publish their metrics themselves. With zero replicas the metric has no value, and the workload never starts again.",
    source: "KEDA, minReplicaCount 0 and triggers of type prometheus",
    fix: "Add a trigger on a metric of the gateway or the picker, or set the minimum to 1.",
  },
  wholeStack,
  function* (stack) {
    for (const { path, spec } of specsOf<AutoscalerShape>(stack, scaledObjectKind)) {
      const triggers = (spec.triggers ?? []) as ReadonlyArray<Trigger>;
      const zero = zeroOf(spec);
      if (zero === undefined || triggers.length === 0 || !triggers.every(isOfEngines)) continue;
      yield {
        path: [...path, zero.field],
        given: `${zero.given}, but only the engines themselves publish the metrics of its triggers`,
        allowed: `${zero.allowed}, or a trigger that has a value without engines`,
        fix: `${zero.fix}, or add a trigger on the picker's queue.`,
      };
    }
  },
);

/** Returns the field by which a ScaledObject scales to zero; undefined if it never does. */
function zeroOf({ minReplicaCount, idleReplicaCount }: AutoscalerShape) {
  const minimum = minReplicaCount ?? 0;
  if (idleReplicaCount === 0 && minimum > 0)
    return {
      field: "idleReplicaCount",
      given: "is 0",
      allowed: "no idleReplicaCount",
      fix: "Remove idleReplicaCount",
    };
  if (minimum > 0) return undefined;
  return {
    field: "minReplicaCount",
    given: `is ${minReplicaCount ?? "missing, which is 0"}`,
    allowed: "at least 1",
    fix: "Set minReplicaCount to 1",
  };
}

interface Trigger {
  readonly type?: unknown;
  readonly metadata?: { readonly query?: unknown };
}

function isOfEngines({ type, metadata }: Trigger): boolean {
  const query = metadata?.query;
  if (type !== "prometheus" || typeof query !== "string" || withoutSeries.test(query)) return false;
  const names = (query.match(metricNames) ?? []).filter((name) => name.includes(":"));
  return names.length > 0 && names.every((name) => ofEngines.test(name));
}

const fallbackHasReplicas = stackRule(
  { id: "fallback-has-replicas", guidelines: ["G36"], code: "reference", level: "advisory" },
  {
    title: "A ScaledObject with a fallback keeps at least one replica",
    why: "KEDA applies a fallback through the HorizontalPodAutoscaler, which does not act at zero replicas. While the metric cannot be read, a service at zero stays down.",
    source: "kedacore/keda issues 7239 and 7411",
    fix: "Set minReplicaCount to 1 or more.",
  },
  wholeStack,
  function* (stack) {
    for (const { path, spec } of specsOf<AutoscalerShape>(stack, scaledObjectKind)) {
      const zero = zeroOf(spec);
      if (spec.fallback === undefined || zero === undefined) continue;
      yield {
        path: [...path, "fallback"],
        given: `is set, but starts nothing from 0 replicas (${zero.field} ${zero.given})`,
        allowed: "a fallback with minReplicaCount 1 or more, and without idleReplicaCount 0",
        fix: `${zero.fix}, or remove fallback.`,
      };
    }
  },
);

const scalesByRequests = stackRule(
  { id: "engines-scale-by-their-load", guidelines: ["G36"], code: "reference", level: "advisory" },
  {
    title: "An autoscaler of engines on accelerators reads a metric of their requests",
    why: "An engine's CPU use depends on its polling, and its memory is allocated at the start. Neither follows the load of its accelerator, so the replicas stay as they are.",
    source: "vLLM and SGLang, production metrics; docs/scaling.md",
    fix: "Scale by the picker's page /scaling, or by waiting requests of the engine.",
  },
  wholeStack,
  function* (stack) {
    for (const { path, spec, namespace } of specsOf<AutoscalerShape>(stack, ...autoscalerKinds)) {
      const { kind = "Deployment", name } = spec.scaleTargetRef;
      const target = stack.workloads.find(
        (each) =>
          each.name === name && each.namespace === namespace && each.object.manifest.kind === kind,
      );
      const [pods] = target?.pods ?? [];
      if (pods === undefined || (acceleratorsOfPods(pods) ?? 0) === 0) continue;
      const signals = signalsOf(spec);
      if (signals.length === 0 || !signals.every((signal) => /^(cpu|memory)$/.test(signal)))
        continue;
      yield {
        path: [...path, spec.triggers === undefined ? "metrics" : "triggers"],
        given: `scale ${name} by ${[...new Set(signals)].join(" and ")} alone`,
        allowed: "a metric of requests, such as vllm:num_requests_waiting",
        fix: "Add a metric of requests.",
      };
    }
  },
);

/** Returns what an autoscaler reads: names of resources, or kinds of other metrics. */
function signalsOf({ triggers = [], metrics = [] }: AutoscalerShape): string[] {
  const read = (triggers as readonly Trigger[]).map(({ type }) => String(type));
  const resources = metrics.map(
    ({ resource, containerResource, type }) => (resource ?? containerResource)?.name ?? type,
  );
  return [...read, ...resources].map(String);
}

export const scalerRules: readonly StackRule[] = [
  targetIsServed,
  oneScalerForATarget,
  zeroHasASignal,
  fallbackHasReplicas,
  scalesByRequests,
];
