import { isDns1035Label, isDnsLabel } from "../../../kubernetes/values/dns-label.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import { characters } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { reservedLabelPrefixes, servingRoleWorkloadName } from "../../names.ts";
import { knownLater } from "../../schemas/known-later.ts";
import { workloadNameBudget } from "../../topology/name-budget.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

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
  title: "Role names are unique DNS labels of at most 12 characters",
  why: "Role names are part of object names and label values. Kthena rejects longer ones.",
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
          given: `is ${JSON.stringify(name)}${first === undefined ? "" : `, which is also the name of roles[${first}]`}`,
          allowed: "a unique name of lower-case letters, digits and dashes, at most 12 characters",
          fix: "Choose another name.",
        };
      }
      taken.set(name, first ?? role.index);
    }
  },
};

const namesFit: Invariant<RawSpec> = {
  id: "model-serving-names-fit",
  title: "The name of a ModelServing is a DNS label, short enough for the names derived from it",
  why: "The API server accepts a longer LeaderWorkerSet name, but its pods cannot be created.",
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
        fix: "Choose another name.",
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
        given: `leads to the LeaderWorkerSet name ${workload} of ${workload.length} characters`,
        allowed: `at most ${budget} characters, because pod labels of at most 63 characters contain it with a suffix`,
        fix: `Shorten the name of the ModelServing or the role by ${characters(workload.length - budget)}.`,
      };
    }
  },
};

const workersHaveATemplate: Invariant<RawSpec> = {
  id: "model-serving-workers-have-a-template",
  title: "A role has a worker template if and only if it has workers",
  why: "Workers cannot be created without a template, and a template without workers has no effect.",
  source,
  code: "reference",
  *check(written) {
    for (const role of rolesOf(written)) {
      const workers = whole(role.fields.workerReplicas, 0);
      const hasTemplate = role.fields.workerTemplate !== undefined;
      if (workers > 0 === hasTemplate) continue;
      yield {
        path: pathOf(role, "workerTemplate"),
        given: hasTemplate ? "is set, but workerReplicas is 0" : "is missing",
        allowed: hasTemplate
          ? "no workerTemplate without workers"
          : `a pod template, because workerReplicas is ${workers}`,
        fix: hasTemplate
          ? "Set workerReplicas to 1 or more, or remove workerTemplate."
          : "Add workerTemplate, or set workerReplicas to 0.",
      };
    }
  },
};

const gangMinimumFits: Invariant<RawSpec> = {
  id: "model-serving-gang-minimum",
  title: "minRoleReplicas names existing roles, with at most their replicas",
  why: "A gang that requires more instances than exist never starts.",
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
          given: "is for a role that does not exist",
          allowed: roles.map(({ fields }) => String(fields.name)).join(", "),
          fix: "Name a role of the template.",
        };
      } else if (typeof minimum === "number" && minimum > replicas) {
        yield {
          path,
          given: `is ${minimum}`,
          allowed: `at most ${replicas}, the role's replicas`,
          fix: "Lower the minimum, or raise the role's replicas.",
        };
      }
    }
  },
};

const topologyHasVolcano: Invariant<RawSpec> = {
  id: "model-serving-topology-needs-volcano",
  title: "A network topology requires the scheduler volcano",
  why: "The plan sets the network topology on the PodGroup. Without Volcano there is no PodGroup, and pods run on any node.",
  source: "Kthena ModelServing: template.networkTopology; volcano.sh network-topology-aware plugin",
  code: "reference",
  *check({ spec }) {
    const topology = isMap(spec.template) ? spec.template.networkTopology : undefined;
    if (topology === undefined || spec.schedulerName !== "default-scheduler") return;
    yield {
      path: ["template", "networkTopology"],
      given: "is set, but schedulerName is default-scheduler",
      allowed: "a network topology with schedulerName volcano",
      fix: "Set schedulerName to volcano, or use podAffinity in the templates.",
    };
  },
};

const rolloutHasItsLimits: Invariant<RawSpec> = {
  id: "model-serving-rollout-has-its-limits",
  title:
    "The limits of a rollout by role are set in the roles, and the limits of a rollout by serving group in rolloutStrategy",
  why: "Kthena rejects rollingUpdateConfiguration with type RoleRollingUpdate, and ignores limits of roles with any other type.",
  source: "Kthena ModelServing: rolloutStrategy.rollingUpdateConfiguration, roles[].maxUnavailable",
  code: "conflict",
  *check(written) {
    const { rolloutStrategy: strategy } = written.spec;
    const isByRole = isMap(strategy) && strategy.type === "RoleRollingUpdate";
    if (isByRole && strategy.rollingUpdateConfiguration !== undefined) {
      yield {
        path: ["rolloutStrategy", "rollingUpdateConfiguration"],
        given: "is set with type RoleRollingUpdate",
        allowed: "maxUnavailable and partition in each role",
        fix: "Move the limits to the roles, or set type: ServingGroupRollingUpdate.",
      };
    }
    if (isByRole) return;
    for (const role of rolesOf(written)) {
      for (const field of ["maxUnavailable", "partition"]) {
        if (role.fields[field] === undefined) continue;
        yield {
          path: pathOf(role, field),
          given: "is set without rolloutStrategy.type RoleRollingUpdate",
          allowed: "limits in roles with rolloutStrategy.type RoleRollingUpdate",
          fix: "Set rolloutStrategy: { type: RoleRollingUpdate }, or remove the limit.",
        };
      }
    }
  },
};

const templatesLeaveLabels: Invariant<RawSpec> = {
  id: "model-serving-labels-are-not-set",
  title: "Templates set neither reserved labels nor another scheduler",
  why: "Gangs and groups select pods by these labels, and all pods of a gang must have the same scheduler.",
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
            allowed: `${String(schedulerName)}, the schedulerName of the ModelServing`,
            fix: "Remove schedulerName from the template, or set it on the ModelServing.",
          };
        }
      }
    }
  },
};

const setByHand = (path: Finding["path"], prefix: string): Finding => ({
  path,
  given: "is set by hand",
  allowed: `labels that do not start with ${prefix}, which is reserved for the plan and controllers`,
  fix: "Remove the label, or use another prefix.",
});

/** Rules on a ModelServing, besides its schema and its plugins. */
export const modelServingRules: ReadonlyArray<Invariant<RawSpec>> = [
  namesFit,
  roleNamesAreLabels,
  workersHaveATemplate,
  gangMinimumFits,
  topologyHasVolcano,
  rolloutHasItsLimits,
  templatesLeaveLabels,
];
