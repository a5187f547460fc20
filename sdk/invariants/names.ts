import { isDns1035Label, isDnsLabel } from "../../kubernetes/values/dns-label.ts";
import type { Invariant } from "../invariant.ts";
import { nameCollisions, namesOfWorkload } from "../topology/generated-names.ts";
import { workloadNameBudget } from "../topology/name-budget.ts";
import {
  endpointPickerName,
  replicaWorkloadName,
  reservedLabelPrefixes,
  roleWorkloadName,
} from "../topology/names.ts";
import type { RoleLayout } from "../topology/role-layout.ts";
import { inferenceRoles, type PartialSpec, routers } from "./partial-spec.ts";

const namingChain = "InferenceService design, Naming Convention: {service}-{role}-{replica}";

const serviceNameIsDnsLabel: Invariant<PartialSpec> = {
  id: "service-name-is-dns-label",
  title: "The service name is a DNS label that starts with a letter",
  why: "It begins the names of Services and LeaderWorkerSets, which the API server refuses otherwise.",
  source: "RFC 1035; LeaderWorkerSet webhook; Kubernetes Service names",
  code: "name",
  *check({ name }) {
    if (isDns1035Label(name)) return;
    yield {
      path: ["metadata", "name"],
      given: `is ${JSON.stringify(name)}`,
      allowed:
        "lower-case letters, digits and dashes, starting with a letter, at most 63 characters",
      fix: "Choose such a name.",
    };
  },
};

const namespaceIsDnsLabel: Invariant<PartialSpec> = {
  id: "namespace-is-dns-label",
  title: "The namespace is a DNS label",
  why: "The API server has no other namespaces.",
  source: "RFC 1123",
  code: "name",
  *check({ namespace }) {
    if (isDnsLabel(namespace)) return;
    yield {
      path: ["metadata", "namespace"],
      given: `is ${JSON.stringify(namespace)}`,
      allowed: "lower-case letters, digits and dashes, at most 63 characters",
      fix: "Choose such a name.",
    };
  },
};

const roleNameIsDnsLabel: Invariant<PartialSpec> = {
  id: "role-name-is-dns-label",
  title: "A role name is a DNS label",
  why: "It is part of object names, a label value and a task name.",
  source: namingChain,
  code: "name",
  *check({ roles }) {
    for (const { index, name } of roles) {
      if (typeof name !== "string" || isDnsLabel(name)) continue;
      yield {
        path: ["roles", index, "name"],
        given: `is ${JSON.stringify(name)}`,
        allowed: "lower-case letters, digits and dashes, at most 63 characters",
        fix: "Choose such a name.",
      };
    }
  },
};

const roleNamesAreUnique: Invariant<PartialSpec> = {
  id: "role-names-are-unique",
  title: "Role names are unique within a service",
  why: "Two roles of one name would write the same objects in turn.",
  source: "InferenceService design, Role: 'Name is a user-defined, unique identifier'",
  code: "name",
  *check({ roles }) {
    const first = new Map<unknown, number>();
    for (const { index, name } of roles) {
      if (typeof name !== "string") continue;
      const taken = first.get(name);
      if (taken === undefined) {
        first.set(name, index);
        continue;
      }
      yield {
        path: ["roles", index, "name"],
        given: `is ${JSON.stringify(name)}, the name of roles[${taken}]`,
        allowed: "a name that no other role of the service has",
        fix: "Rename one of them.",
      };
    }
  },
};

const workloadNamesFit: Invariant<PartialSpec> = {
  id: "workload-names-fit",
  title: "LeaderWorkerSet names leave room for the names made from them",
  why: "A longer name is admitted and then creates no pods.",
  source: "k8s.io/kubernetes pkg/controller/history: controller-revision-hash is a label value",
  code: "name",
  *check(spec) {
    for (const { index, layout } of spec.layouts) {
      const name = longestWorkloadName(spec.name, layout);
      const budget = workloadNameBudget(layout.size, layout.perReplica ? 1 : layout.replicas);
      if (name.length <= budget) continue;
      yield {
        path: ["roles", index, "name"],
        given: `makes the LeaderWorkerSet name ${name} of ${name.length} characters`,
        allowed: `at most ${budget} characters, since pods carry it with suffixes in labels of 63`,
        fix: `Shorten the service or role name by ${name.length - budget}.`,
      };
    }
  },
};

/** Returns the longest name of a workload; for a role at 0 replicas, the name its first replica would get. */
function longestWorkloadName(service: string, { role, perReplica, replicas }: RoleLayout): string {
  return perReplica
    ? replicaWorkloadName(service, role.name, Math.max(replicas - 1, 0))
    : roleWorkloadName(service, role.name);
}

const generatedNamesAreUnique: Invariant<PartialSpec> = {
  id: "generated-names-are-unique",
  title: "No two roles make an object of one name",
  why: "The LeaderWorkerSet controller takes an existing Service or StatefulSet of the name for its own.",
  source: "sigs.k8s.io/lws: headless Service '{lws}', worker StatefulSet '{lws}-{group}'",
  code: "name",
  *check(spec) {
    const all = spec.layouts;
    const claims = all
      .filter(({ layout }) => all.some((other) => mayMeet(layout, other.layout)))
      .map(({ index, layout }) => ({
        owner: index,
        names: layout.workloads.flatMap(namesOfWorkload),
      }));
    for (const { name, first, second } of nameCollisions(claims)) {
      if (spec.roles[first]?.name === spec.roles[second]?.name) continue;
      yield {
        path: ["roles", second, "name"],
        given: `makes ${name}, as roles[${first}] does`,
        allowed: "a name whose objects no other role makes",
        fix: "Rename one of the two roles.",
      };
    }
  },
};

const roleNamedAsPicker: Invariant<PartialSpec> = {
  id: "role-is-not-named-epp",
  title: "Beside a router no role is named epp",
  why: "Its headless Service would be the endpoint picker's Service.",
  source: "InferenceService router objects: Service '{service}-epp'",
  code: "name",
  *check(spec) {
    if (routers(spec).length === 0) return;
    for (const { index, role } of inferenceRoles(spec)) {
      if (roleWorkloadName(spec.name, role.name) !== endpointPickerName(spec.name)) continue;
      yield {
        path: ["roles", index, "name"],
        given: `is "epp", which makes the Service ${endpointPickerName(spec.name)}`,
        allowed: "any other name, since the router's Service is named so",
        fix: "Rename the role.",
      };
    }
  },
};

const reservedLabelsAreNotSet: Invariant<PartialSpec> = {
  id: "reserved-labels-are-not-set",
  title: "Labels of the planner and of the LeaderWorkerSet controller are not set by hand",
  why: "Pools, gangs and workers select pods by them.",
  source: "InferenceService design, Labels injected by Controller; leaderworkerset_types.go",
  code: "conflict",
  *check(spec) {
    const places = [
      { path: ["metadata", "labels"], labels: spec.labels },
      ...inferenceRoles(spec).map(({ index, role }) => ({
        path: ["roles", index, "template", "metadata", "labels"],
        labels: role.template.metadata?.labels ?? {},
      })),
    ];
    for (const { path, labels } of places) {
      for (const key of Object.keys(labels)) {
        const prefix = reservedLabelPrefixes.find((reserved) => key.startsWith(reserved));
        if (prefix === undefined) continue;
        yield {
          path: [...path, key],
          given: "is set by hand",
          allowed: `labels that do not start with ${prefix}, which the planner and its controllers own`,
          fix: "Remove it, or use a prefix of your own.",
        };
      }
    }
  },
};

/** Names of two roles meet only where one role is named after the other's replica: `decode` and `decode-0`. */
function mayMeet(a: RoleLayout, b: RoleLayout): boolean {
  const [shorter, longer] = [a.role.name, b.role.name].sort((x, y) => x.length - y.length);
  return (
    shorter !== longer &&
    /^(-\d+)+$/.test(longer?.slice(shorter?.length) ?? "") &&
    longer?.startsWith(shorter ?? "") === true
  );
}

export const nameRules: ReadonlyArray<Invariant<PartialSpec>> = [
  serviceNameIsDnsLabel,
  namespaceIsDnsLabel,
  roleNameIsDnsLabel,
  roleNamesAreUnique,
  workloadNamesFit,
  generatedNamesAreUnique,
  roleNamedAsPicker,
  reservedLabelsAreNotSet,
];
