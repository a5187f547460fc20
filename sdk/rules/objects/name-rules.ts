import { isDns1035Label } from "../../../kubernetes/values/dns-label.ts";
import { identityOf } from "../../../kubernetes/values/manifest.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import { attempt } from "../../stack/unknown-value.ts";
import type { Workload } from "../../stack/workloads.ts";
import { nameCollisions, namesOfWorkload } from "../../topology/generated-names.ts";
import { workloadNameBudget } from "../../topology/name-budget.ts";
import {
  eachLeaderWorkerSet,
  eachPodTemplate,
  rulesOfPack,
  type StackRule,
  wholeStack,
} from "../helpers/stack-rule.ts";

const gpu = rulesOfPack("inference-gpu");
const gang = rulesOfPack("inference-gang");

const setNamesMakePods = gpu.objectRule(
  { id: "lws-name-fits", guidelines: ["G18"], code: "name" },
  {
    title: "The name of a LeaderWorkerSet is short enough for the names of its pods",
    why: "The webhook accepts up to 63 characters, but pods cannot be created if a label derived from the name is too long.",
    source: "k8s.io/kubernetes pkg/controller/history: label controller-revision-hash; RFC 1035",
    fix: "Choose a shorter name that starts with a letter.",
  },
  eachLeaderWorkerSet,
  function* ({ object, name, replicas, size }) {
    const most = workloadNameBudget(size, replicas);
    if (name.length <= most && isDns1035Label(name)) return;
    yield {
      path: [object.index, "metadata", "name"],
      given: `is ${JSON.stringify(name)} (${name.length} characters)`,
      allowed: `a DNS label that starts with a letter, at most ${most} characters`,
      fix: "Shorten the name.",
    };
  },
);

const labelsAreValid = gpu.objectRule(
  { id: "pod-labels-are-valid", guidelines: ["G18"], code: "name" },
  {
    title: "Labels of pod templates are valid",
    why: "The API server accepts the workload, but its pods cannot be created.",
    source: "k8s.io/apimachinery, IsValidLabelValue",
    fix: "Shorten the value to at most 63 letters, digits, dashes, underscores and dots.",
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
        fix: "Change the value of the label.",
      };
    }
  },
);

/** Returns the names that an object and its controllers use in the namespace. */
function namesOf(object: StackObject, workload: Workload | undefined): string[] {
  const { manifest, kind } = object;
  const { name, namespace = "default" } = manifest.metadata;
  const claim = (what: string) => `${namespace}/${what}`;
  // The names of the groups differ only in a number, so the first 64 are enough.
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
    title: "No object has the name of an object that a LeaderWorkerSet creates",
    why: "The controller uses an existing object as its own. A Service with that name silently redirects the group's connections.",
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
        given: `leads to ${name}, as does ${first.manifest.kind} ${first.manifest.metadata.name}`,
        allowed: "names that no other object of the stack has",
        fix: "Rename one of the two objects.",
      };
    }
  },
);

const podGroupsAreApart = gang.stackRule(
  { id: "pod-group-names-are-unique", guidelines: ["G20"], code: "name" },
  {
    title: "PodGroup names are unique within a namespace",
    why: "Otherwise two services form one gang, with the minimum of the service that was written last.",
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
          given: `is ${gang.name}, the name of another PodGroup in the namespace`,
          allowed: "a unique name",
          fix: "Rename one of the two PodGroups.",
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
