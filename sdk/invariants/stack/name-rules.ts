import { isDns1035Label } from "../../../kubernetes/values/dns-label.ts";
import { identityOf } from "../../../kubernetes/values/manifest.ts";
import { attempt } from "../../stack/not-known-yet.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import type { Workload } from "../../stack/workloads.ts";
import { nameCollisions, namesOfWorkload } from "../../topology/generated-names.ts";
import { workloadNameBudget } from "../../topology/name-budget.ts";
import {
  eachLeaderWorkerSet,
  eachPodTemplate,
  rulesOfPack,
  type StackRule,
  wholeStack,
} from "./stack-rule.ts";

const gpu = rulesOfPack("inference-gpu");
const gang = rulesOfPack("inference-gang");

const setNamesMakePods = gpu.objectRule(
  { id: "lws-name-fits", guidelines: ["G18"], code: "name" },
  {
    title: "The name of a LeaderWorkerSet leaves room for those of its pods",
    why: "The webhook admits 63 characters, and a longer name than this makes no pod: a label would be too long.",
    source: "k8s.io/kubernetes pkg/controller/history: label controller-revision-hash; RFC 1035",
    fix: "Choose a shorter name that starts with a letter.",
  },
  eachLeaderWorkerSet,
  function* ({ object, name, replicas, size }) {
    const most = workloadNameBudget(size, replicas);
    if (name.length <= most && isDns1035Label(name)) return;
    yield {
      path: [object.index, "metadata", "name"],
      given: `is ${JSON.stringify(name)}, ${name.length} characters`,
      allowed: `a DNS label that starts with a letter, at most ${most} characters`,
      fix: "Choose such a name.",
    };
  },
);

const labelsAreValid = gpu.objectRule(
  { id: "pod-labels-are-valid", guidelines: ["G18"], code: "name" },
  {
    title: "Labels of pod templates are labels",
    why: "The workload is admitted all the same, and then makes no pod.",
    source: "k8s.io/apimachinery, IsValidLabelValue",
    fix: "Shorten the value to 63 characters: letters, digits, dashes, underscores and dots.",
  },
  eachPodTemplate,
  function* ({ labels, path }) {
    for (const key of Object.keys(labels)) {
      const value = labels[key] ?? "";
      if (/^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/.test(value)) continue;
      yield {
        path: [...path, "metadata", "labels", key],
        given: `is ${JSON.stringify(value)}`,
        allowed: "at most 63 letters, digits, dashes, underscores and dots",
        fix: "Change it.",
      };
    }
  },
);

/** What an object names in its namespace, for objects of kinds whose names are told by others. */
function namesOf(object: StackObject, workload: Workload | undefined): string[] {
  const { manifest, kind } = object;
  const { name, namespace = "default" } = manifest.metadata;
  const claim = (what: string) => `${namespace}/${what}`;
  // Thousands of groups have names that differ in a number only, so some of them will do.
  if (workload?.set !== undefined) {
    const { replicas, size } = workload;
    const shape = { name, replicas: Math.min(replicas, 64), size: Math.min(size, 64) };
    return [claim(identityOf(manifest)), ...namesOfWorkload(shape).map(claim)];
  }
  const isClaimed = ["/Service", "apps/StatefulSet", "/Pod"].includes(kind);
  return [
    ...(kind.startsWith("scheduling.volcano.sh/") ? [] : [claim(identityOf(manifest))]),
    ...(isClaimed ? [claim(`${manifest.kind}/${name}`)] : []),
  ];
}

const namesAreApart = gpu.stackRule(
  { id: "generated-names-do-not-collide", guidelines: ["G19"], code: "name" },
  {
    title: "No object has a name that a LeaderWorkerSet's own objects get",
    why: "The controller takes what is there for its own: a Service of that name silently sends the group elsewhere.",
    source:
      "sigs.k8s.io/lws: CreateHeadlessServiceIfNotExists; StatefulSets and pods are named after the set",
    fix: "Rename one of the two.",
  },
  wholeStack,
  function* (stack) {
    const workloads = new Map(stack.workloads.map((workload) => [workload.object, workload]));
    const claims = stack.objects.flatMap((object) => {
      const names = attempt(() => namesOf(object, workloads.get(object)));
      return "value" in names ? [{ owner: object, names: names.value }] : [];
    });
    for (const { name, first, second } of nameCollisions(claims)) {
      yield {
        path: [second.index, "metadata", "name"],
        given: `makes ${name}, as ${first.manifest.kind} ${first.manifest.metadata.name} does`,
        allowed: "names that nothing else of the stack has",
        fix: "Rename one of them.",
      };
    }
  },
);

const podGroupsAreApart = gang.stackRule(
  { id: "pod-group-names-are-unique", guidelines: ["G20"], code: "name" },
  {
    title: "A PodGroup's name stands once in a namespace",
    why: "Two services would be one gang, whose minimum is the last one's that was written.",
    source: "volcano.sh scheduler: a job is '{namespace}/{name}'",
    fix: "Name each PodGroup after its service.",
  },
  wholeStack,
  function* ({ gangs }) {
    const seen = new Map<string, number>();
    for (const gang of gangs) {
      const key = attempt(() => `${gang.namespace}/${gang.name}`);
      if ("unknown" in key) continue;
      const first = seen.get(key.value);
      if (first === undefined) seen.set(key.value, gang.object.index);
      else
        yield {
          path: [gang.object.index, "metadata", "name"],
          given: `is ${gang.name}, which another PodGroup of the namespace has`,
          allowed: "each name once",
          fix: "Rename one of them.",
        };
    }
  },
);

export const nameStackRules: readonly StackRule[] = [
  setNamesMakePods,
  labelsAreValid,
  namesAreApart,
  podGroupsAreApart,
];
