import { isDns1035Label, isDnsLabel } from "../../kubernetes/values/dns-label.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import type { Finding, Invariant } from "../invariant.ts";
import { workloadNameBudget } from "../topology/name-budget.ts";
import { reservedLabelPrefixes, servingRoleWorkloadName } from "../topology/names.ts";
import { knownLater, type RawSpec } from "./raw-spec.ts";

const source = "Kthena ModelServing: spec.template.roles";

interface WrittenRole {
  readonly index: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

function rolesOf({ spec }: RawSpec): WrittenRole[] {
  const roles = isMap(spec.template) ? spec.template.roles : undefined;
  if (!Array.isArray(roles)) return [];
  return roles.flatMap((fields, index) => (isMap(fields) ? [{ index, fields }] : []));
}

const pathOf = ({ index }: WrittenRole, ...rest: Array<string | number>) => [
  "template",
  "roles",
  index,
  ...rest,
];

const whole = (value: unknown, otherwise: number) =>
  typeof value === "number" && Number.isInteger(value) ? value : otherwise;

const roleNamesAreLabels: Invariant<RawSpec> = {
  id: "model-serving-role-names",
  title: "Role names are DNS labels of at most 12 characters, each once",
  why: "They are part of object names and label values; Kthena refuses longer ones.",
  source: "Kthena ModelServing: role name",
  code: "name",
  *check(written) {
    const taken = new Map<unknown, number>();
    for (const role of rolesOf(written)) {
      const { name } = role.fields;
      if (typeof name !== "string") continue;
      const first = taken.get(name);
      const isName = isDnsLabel(name) && name.length <= 12;
      if (first !== undefined || !isName) {
        yield {
          path: pathOf(role, "name"),
          given: `is ${JSON.stringify(name)}${first === undefined ? "" : `, the name of roles[${first}]`}`,
          allowed: "lower-case letters, digits and dashes, at most 12 characters, each name once",
          fix: "Choose such a name.",
        };
      }
      taken.set(name, first ?? role.index);
    }
  },
};

const namesFit: Invariant<RawSpec> = {
  id: "model-serving-names-fit",
  title: "The name of a ModelServing is a DNS label that leaves room for the names made from it",
  why: "A longer LeaderWorkerSet name is admitted and then creates no pods.",
  source: "k8s.io/kubernetes pkg/controller/history: controller-revision-hash is a label value",
  code: "name",
  *check(written) {
    const { name } = written.metadata;
    if (typeof name !== "string" || name === knownLater) return;
    if (!isDns1035Label(name)) {
      yield {
        path: ["metadata", "name"],
        given: `is ${JSON.stringify(name)}`,
        allowed: "lower-case letters, digits and dashes, starting with a letter",
        fix: "Choose such a name.",
      };
      return;
    }
    const lastGroup = Math.max(whole(written.spec.replicas, 1) - 1, 0);
    for (const role of rolesOf(written)) {
      const { name: roleName, replicas, workerReplicas } = role.fields;
      if (typeof roleName !== "string") continue;
      const workload = servingRoleWorkloadName(name, lastGroup, roleName);
      const budget = workloadNameBudget(1 + whole(workerReplicas, 0), whole(replicas, 1));
      if (workload.length <= budget) continue;
      yield {
        path: pathOf(role, "name"),
        given: `makes the LeaderWorkerSet name ${workload} of ${workload.length} characters`,
        allowed: `at most ${budget} characters, since pods carry it with suffixes in labels of 63`,
        fix: `Shorten the ModelServing's or the role's name by ${workload.length - budget}.`,
      };
    }
  },
};

const workersHaveATemplate: Invariant<RawSpec> = {
  id: "model-serving-workers-have-a-template",
  title: "A role with workers has a template for them, and only such a role",
  why: "Without one there is nothing to make workers from; one without workers does nothing.",
  source,
  code: "reference",
  *check(written) {
    for (const role of rolesOf(written)) {
      const workers = whole(role.fields.workerReplicas, 0);
      const hasTemplate = role.fields.workerTemplate !== undefined;
      if (workers > 0 === hasTemplate) continue;
      yield {
        path: pathOf(role, "workerTemplate"),
        given: hasTemplate ? "is set, and workerReplicas is 0" : "is missing",
        allowed: hasTemplate
          ? "nothing without workers"
          : `a pod template, for workerReplicas ${workers}`,
        fix: hasTemplate
          ? "Set workerReplicas, or remove it."
          : "Add it, or set workerReplicas to 0.",
      };
    }
  },
};

const gangMinimumFits: Invariant<RawSpec> = {
  id: "model-serving-gang-minimum",
  title: "minRoleReplicas names roles, and at most their replicas",
  why: "A gang that waits for more instances than there are never starts.",
  source: "Kthena ModelServing: gangPolicy.minRoleReplicas",
  code: "count",
  *check(written) {
    const template = isMap(written.spec.template) ? written.spec.template : {};
    const gang = isMap(template.gangPolicy) ? template.gangPolicy : {};
    if (!isMap(gang.minRoleReplicas)) return;
    const roles = rolesOf(written);
    for (const [name, minimum] of Object.entries(gang.minRoleReplicas)) {
      const path = ["template", "gangPolicy", "minRoleReplicas", name];
      const role = roles.find(({ fields }) => fields.name === name);
      const replicas = whole(role?.fields.replicas, 1);
      if (role === undefined) {
        yield {
          path,
          given: "is for a role that is not there",
          allowed: roles.map(({ fields }) => String(fields.name)).join(", "),
          fix: "Name a role of the template.",
        };
      } else if (typeof minimum === "number" && minimum > replicas) {
        yield {
          path,
          given: `is ${minimum}`,
          allowed: `at most ${replicas}, the role's replicas`,
          fix: "Lower it, or raise replicas.",
        };
      }
    }
  },
};

const topologyHasVolcano: Invariant<RawSpec> = {
  id: "model-serving-topology-needs-volcano",
  title: "Network topology has a scheduler that reads it",
  why: "It is written on the PodGroup; without Volcano there is none, and pods run anywhere.",
  source: "Kthena ModelServing: template.networkTopology; volcano.sh network-topology-aware plugin",
  code: "reference",
  *check({ spec }) {
    const topology = isMap(spec.template) ? spec.template.networkTopology : undefined;
    if (topology === undefined || spec.schedulerName !== "default-scheduler") return;
    yield {
      path: ["template", "networkTopology"],
      given: "is set, and schedulerName is default-scheduler",
      allowed: "with schedulerName volcano",
      fix: "Set schedulerName: volcano, or use podAffinity in the templates.",
    };
  },
};

const rolloutHasItsLimits: Invariant<RawSpec> = {
  id: "model-serving-rollout-has-its-limits",
  title: "A rollout by role has its limits at the roles, one by serving group at the strategy",
  why: "Kthena refuses the one, and ignores the other.",
  source: "Kthena ModelServing: rolloutStrategy.rollingUpdateConfiguration, roles[].maxUnavailable",
  code: "conflict",
  *check(written) {
    const { rolloutStrategy: strategy } = written.spec;
    const isByRole = isMap(strategy) && strategy.type === "RoleRollingUpdate";
    if (isByRole && strategy.rollingUpdateConfiguration !== undefined) {
      yield {
        path: ["rolloutStrategy", "rollingUpdateConfiguration"],
        given: "is set with type RoleRollingUpdate",
        allowed: "maxUnavailable and partition of each role",
        fix: "Move them to the roles, or set type: ServingGroupRollingUpdate.",
      };
    }
    if (isByRole) return;
    for (const role of rolesOf(written)) {
      for (const field of ["maxUnavailable", "partition"]) {
        if (role.fields[field] === undefined) continue;
        yield {
          path: pathOf(role, field),
          given: "is set without rolloutStrategy.type RoleRollingUpdate",
          allowed: "limits of roles with that type",
          fix: "Set rolloutStrategy: { type: RoleRollingUpdate }, or remove it.",
        };
      }
    }
  },
};

const templatesLeaveLabels: Invariant<RawSpec> = {
  id: "model-serving-labels-are-not-set",
  title: "Templates set neither labels of the plan nor another scheduler",
  why: "Gangs and groups select pods by these labels, and all pods of a gang have one scheduler.",
  source: "Kthena ModelServing: labels injected by its controller",
  code: "conflict",
  *check(written) {
    const { schedulerName = "volcano" } = written.spec;
    for (const role of rolesOf(written)) {
      for (const field of ["entryTemplate", "workerTemplate"]) {
        const template = role.fields[field];
        if (!isMap(template)) continue;
        const metadata = isMap(template.metadata) ? template.metadata : {};
        const labels = isMap(metadata.labels) ? metadata.labels : {};
        for (const key of Object.keys(labels)) {
          const prefix = reservedLabelPrefixes.find((one) => key.startsWith(one));
          if (prefix !== undefined) {
            yield setByHand(pathOf(role, field, "metadata", "labels", key), prefix);
          }
        }
        const own = isMap(template.spec) ? template.spec.schedulerName : undefined;
        if (own !== undefined && own !== schedulerName) {
          yield {
            path: pathOf(role, field, "spec", "schedulerName"),
            given: `is ${JSON.stringify(own)}`,
            allowed: `${String(schedulerName)}, the scheduler of the ModelServing`,
            fix: "Remove it, or set schedulerName of the ModelServing.",
          };
        }
      }
    }
  },
};

const setByHand = (path: Finding["path"], prefix: string): Finding => ({
  path,
  given: "is set by hand",
  allowed: `labels that do not start with ${prefix}, which the plan and its controllers own`,
  fix: "Remove it, or use a prefix of your own.",
});

/** Rules on a ModelServing beyond its shape and its plugins. */
export const modelServingRules: ReadonlyArray<Invariant<RawSpec>> = [
  namesFit,
  roleNamesAreLabels,
  workersHaveATemplate,
  gangMinimumFits,
  topologyHasVolcano,
  rolloutHasItsLimits,
  templatesLeaveLabels,
];
