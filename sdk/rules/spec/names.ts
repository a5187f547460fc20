import { isDns1035Label, isDnsLabel } from "../../../kubernetes/values/dns-label.ts";
import { characters } from "../../errors.ts";
import type { Invariant } from "../../invariant.ts";
import {
  endpointPickerName,
  replicaWorkloadName,
  reservedLabelPrefixes,
  roleWorkloadName,
} from "../../names.ts";
import { nameCollisions, namesOfWorkload } from "../../topology/generated-names.ts";
import { workloadNameBudget } from "../../topology/name-budget.ts";
import type { RoleLayout } from "../../topology/role-layout.ts";
import { inferenceRoles, type PartialSpec, routers } from "../helpers/partial-spec.ts";

const namingChain = "InferenceService design, Naming Convention: {service}-{role}-{replica}";

const serviceNameIsDnsLabel: Invariant<PartialSpec> = {
  id: "service-name-is-dns-label",
  title: "The service name is a DNS label that starts with a letter",
  why: "Names of Services and LeaderWorkerSets begin with it, and the API server rejects other names.",
  source: "RFC 1035; LeaderWorkerSet webhook; Kubernetes Service names",
  code: "name",
  *check({ name }) {
    if (isDns1035Label(name)) return;
    yield {
      path: ["metadata", "name"],
      given: `is ${JSON.stringify(name)}`,
      allowed:
        "lower-case letters, digits and dashes, starting with a letter, at most 63 characters",
      fix: "Choose another name.",
    };
  },
};

const namespaceIsDnsLabel: Invariant<PartialSpec> = {
  id: "namespace-is-dns-label",
  title: "The namespace is a DNS label",
  why: "The API server rejects other namespace names.",
  source: "RFC 1123",
  code: "name",
  *check({ namespace }) {
    if (isDnsLabel(namespace)) return;
    yield {
      path: ["metadata", "namespace"],
      given: `is ${JSON.stringify(namespace)}`,
      allowed: "lower-case letters, digits and dashes, at most 63 characters",
      fix: "Choose another name.",
    };
  },
};

const roleNameIsDnsLabel: Invariant<PartialSpec> = {
  id: "role-name-is-dns-label",
  title: "A role name is a DNS label",
  why: "It is part of object names, of a label value and of a task name.",
  source: namingChain,
  code: "name",
  *check({ roles }) {
    for (const { index, name } of roles) {
      if (typeof name !== "string" || isDnsLabel(name)) continue;
      yield {
        path: ["roles", index, "name"],
        given: `is ${JSON.stringify(name)}`,
        allowed: "lower-case letters, digits and dashes, at most 63 characters",
        fix: "Choose another name.",
      };
    }
  },
};

const roleNamesAreUnique: Invariant<PartialSpec> = {
  id: "role-names-are-unique",
  title: "Role names are unique within a service",
  why: "Two roles with the same name would overwrite each other's objects.",
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
        given: `is ${JSON.stringify(name)}, which is also the name of roles[${taken}]`,
        allowed: "a unique role name",
        fix: "Rename one of the two roles.",
      };
    }
  },
};

const workloadNamesFit: Invariant<PartialSpec> = {
  id: "workload-names-fit",
  title: "LeaderWorkerSet names are short enough for the names derived from them",
  why: "The API server accepts a longer LeaderWorkerSet name, but its pods cannot be created.",
  source: "k8s.io/kubernetes pkg/controller/history: controller-revision-hash is a label value",
  code: "name",
  *check(spec) {
    for (const { index, layout } of spec.layouts) {
      const name = longestWorkloadName(spec.name, layout);
      const budget = workloadNameBudget(layout.size, layout.perReplica ? 1 : layout.replicas);
      if (name.length <= budget) continue;
      yield {
        path: ["roles", index, "name"],
        given: `leads to the LeaderWorkerSet name ${name} of ${name.length} characters`,
        allowed: `at most ${budget} characters, because pod labels of at most 63 characters contain it with a suffix`,
        fix: `Shorten the name of the service or the role by ${characters(name.length - budget)}.`,
      };
    }
  },
};

/**
 * Returns the longest name of a workload of a role. For a role with 0 replicas, returns the name of its first replica.
 */
function longestWorkloadName(service: string, { role, perReplica, replicas }: RoleLayout): string {
  return perReplica
    ? replicaWorkloadName(service, role.name, Math.max(replicas - 1, 0))
    : roleWorkloadName(service, role.name);
}

const generatedNamesAreUnique: Invariant<PartialSpec> = {
  id: "generated-names-are-unique",
  title: "No two roles create objects with the same name",
  why: "If a Service or StatefulSet with that name exists, the LeaderWorkerSet controller uses it as its own.",
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
        given: `leads to ${name}, which roles[${first}] also creates`,
        allowed: "a role name that leads to unique object names",
        fix: "Rename one of the two roles.",
      };
    }
  },
};

const roleNamedAsPicker: Invariant<PartialSpec> = {
  id: "role-is-not-named-epp",
  title: "No role of a service with a router is named epp",
  why: "Its headless Service would have the name of the endpoint picker's Service.",
  source: "InferenceService router objects: Service '{service}-epp'",
  code: "name",
  *check(spec) {
    if (routers(spec).length === 0) return;
    for (const { index, role } of inferenceRoles(spec)) {
      if (roleWorkloadName(spec.name, role.name) !== endpointPickerName(spec.name)) continue;
      yield {
        path: ["roles", index, "name"],
        given: `is "epp", which leads to the Service ${endpointPickerName(spec.name)}`,
        allowed: "any other name, because the router's Service has that name",
        fix: "Rename the role.",
      };
    }
  },
};

const reservedLabelsAreNotSet: Invariant<PartialSpec> = {
  id: "reserved-labels-are-not-set",
  title: "Templates do not set labels of the plan or of the LeaderWorkerSet controller",
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
          allowed: `labels that do not start with ${prefix}, which is reserved for the plan and controllers`,
          fix: "Remove the label, or use another prefix.",
        };
      }
    }
  },
};

/**
 * Reports whether two roles can generate the same name. This requires that one role is named like a replica of the
 * other, as `decode-0` is for `decode`.
 */
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
