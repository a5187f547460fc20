import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { Problem } from "../../errors.ts";
import { violations } from "../../invariant.ts";
import {
  annotation,
  kthenaLabel,
  label,
  lwsLabel,
  manager,
  servingGroupName,
  servingRoleWorkloadName,
} from "../../names.ts";
import { addEnv } from "../../plugins/env.ts";
import { copyOf } from "../../plugins/pod-copy.ts";
import { builtInSupport } from "../../plugins/registry.ts";
import { modelServingAdvice } from "../../rules/spec/model-serving-advice.ts";
import type { PodSpec, PodTemplate } from "../../schemas/pod-template.ts";
import { type ModelServingRole, modelServingKind, sizeOf } from "../../spec/model-serving.ts";
import type { ModelServing } from "../../validate/model-serving.ts";
import { titleOf } from "../../validate/spec-kind.ts";
import { withCanonicalQuantities } from "../canonical-quantities.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { leaderWorkerSet } from "./leader-worker-set.ts";
import { minResources } from "./min-resources.ts";
import {
  type PlannedPlugins,
  type PluginOptions,
  refusingPods,
  runTimePluginsOf,
  templateWithPlugins,
} from "./pod-plugins.ts";
import { planServingPolicy } from "./serving-network-policy.ts";

/** A role of one serving group: its name, its pods and its minimum of instances. */
interface ServingRole {
  readonly role: ModelServingRole;
  readonly workload: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly entry: PodTemplate;
  readonly worker: PodTemplate | undefined;
  readonly minReplicas: number;
  /** Index of the serving group. */
  readonly group: number;
}

/**
 * Returns the objects of a ModelServing, by serving group: a PodGroup `{ms}-{group}`, and for each role a
 * LeaderWorkerSet `{ms}-{group}-{role}`, with one group per instance of the role. The NetworkPolicy `{ms}-engines` for
 * all pods comes last.
 *
 * @throws SpecError if a pod plugin rejects a pod
 */
export function planModelServing(
  serving: ModelServing,
  options: PluginOptions & { readonly onAdvice?: ((advice: Problem) => void) | undefined } = {},
): Manifest[] {
  const { metadata, spec } = serving;
  const { onAdvice } = options;
  if (onAdvice !== undefined) violations(modelServingAdvice, spec).forEach(onAdvice);
  const context: PlanContext = {
    metadata,
    owner: { [label.managedBy]: manager, [kthenaLabel.name]: metadata.name },
  };
  const groups = refusingPods(titleOf(modelServingKind.kind, metadata), () =>
    Array.from({ length: spec.replicas }, (_, group) =>
      planServingGroup(context, serving, group, options),
    ).flat(),
  );
  const workloads = groups.filter(({ kind }) => kind === "LeaderWorkerSet");
  return [...groups, ...planServingPolicy(context, serving, workloads)];
}

function planServingGroup(
  context: PlanContext,
  serving: ModelServing,
  group: number,
  options: PluginOptions,
): Manifest[] {
  const { metadata, spec } = serving;
  const roles = spec.template.roles.map((role) => servingRole(serving, group, role, options));
  const groupName = servingGroupName(metadata.name, group);
  return [
    ...(isGang(serving) ? [podGroup(context, groupName, roles, serving)] : []),
    ...roles.map((role) => workloadOf(context, serving, role, options)),
  ];
}

const isGang = ({ spec }: ModelServing) => spec.schedulerName !== "default-scheduler";

/** Kthena reads the queue from an annotation of the object, as Volcano does from an annotation of a pod. */
const queueOf = ({ metadata }: ModelServing): string | undefined =>
  metadata.annotations[annotation.queueName];

function servingRole(
  serving: ModelServing,
  group: number,
  role: ModelServingRole,
  options: PluginOptions,
): ServingRole {
  const { metadata, spec } = serving;
  const servingGroup = servingGroupName(metadata.name, group);
  const labels = {
    [kthenaLabel.name]: metadata.name,
    [kthenaLabel.groupName]: servingGroup,
    [kthenaLabel.role]: role.name,
  };
  const pod = (template: PodTemplate, isEntry: boolean) =>
    withPlugins(
      serving,
      { servingGroup, roleName: role.name, isEntry },
      podTemplate(
        serving,
        servingGroup,
        { ...labels, [kthenaLabel.entry]: String(isEntry) },
        template,
      ),
      options,
    );
  return {
    role,
    group,
    labels,
    workload: servingRoleWorkloadName(metadata.name, group, role.name),
    entry: pod(role.entryTemplate, true),
    worker: role.workerTemplate && pod(role.workerTemplate, false),
    minReplicas: spec.template.gangPolicy?.minRoleReplicas?.[role.name] ?? role.replicas,
  };
}

function podTemplate(
  serving: ModelServing,
  servingGroup: string,
  ownLabels: Readonly<Record<string, string>>,
  { metadata, spec }: PodTemplate,
): PodTemplate {
  const { labels, annotations, ...rest } = metadata ?? {};
  const gang = isGang(serving) ? { [annotation.groupName]: servingGroup } : {};
  const joined = { ...annotations, ...gang };
  return {
    metadata: {
      ...rest,
      labels: { ...labels, ...ownLabels },
      ...(Object.keys(joined).length > 0 ? { annotations: joined } : {}),
    },
    spec: {
      schedulerName: serving.spec.schedulerName,
      ...withCanonicalQuantities(withKthenaVariables(spec)),
    },
  };
}

/** Adds the variables by which templates for Kthena find their instance. They refer to LeaderWorkerSet's variables. */
function withKthenaVariables(spec: PodSpec): PodSpec {
  const changed = copyOf(spec);
  for (const container of [...changed.containers, ...(changed.initContainers ?? [])]) {
    addEnv(container, {
      ENTRY_ADDRESS: "$(LWS_LEADER_ADDRESS)",
      WORKER_INDEX: "$(LWS_WORKER_INDEX)",
      GROUP_SIZE: "$(LWS_GROUP_SIZE)",
    });
  }
  return changed;
}

function withPlugins(
  serving: ModelServing,
  identity: Parameters<typeof templateWithPlugins>[1],
  template: PodTemplate,
  options: PluginOptions,
): PodTemplate {
  const plugins = pluginsOf(serving, options);
  return plugins === undefined ? template : templateWithPlugins(plugins, identity, template);
}

function pluginsOf(
  { metadata, spec }: ModelServing,
  { podPlugins = builtInSupport, onPluginApplied }: PluginOptions,
): PlannedPlugins | undefined {
  if (spec.plugins === undefined || spec.plugins.length === 0) return undefined;
  const { name, namespace } = metadata;
  return {
    workload: { ...modelServingKind, metadata: { name, namespace }, spec: copyOf(spec) },
    lists: [{ path: ["plugins"], entries: spec.plugins }],
    support: podPlugins,
    onPluginApplied,
  };
}

/** Each instance of a role starts as a whole or not at all, and the minima of all roles start together. */
function podGroup(
  context: PlanContext,
  name: string,
  roles: readonly ServingRole[],
  serving: ModelServing,
): Manifest {
  const { groupPolicy, rolePolicy } = serving.spec.template.networkTopology ?? {};
  const pods = roles.flatMap(({ entry, worker, role, minReplicas }) => [
    { spec: entry.spec, count: minReplicas },
    ...(worker === undefined
      ? []
      : [{ spec: worker.spec, count: minReplicas * role.workerReplicas }]),
  ]);
  return {
    apiVersion: kinds.PodGroup.apiVersion,
    kind: "PodGroup",
    metadata: objectMeta(context, name, { [kthenaLabel.groupName]: name }),
    spec: present({
      minMember: roles.reduce(
        (pods, { role, minReplicas }) => pods + minReplicas * sizeOf(role),
        0,
      ),
      minResources: minResources(pods),
      networkTopology: groupPolicy,
      subGroupPolicy: roles.map(({ role, labels, minReplicas }) =>
        present({
          name: role.name,
          labelSelector: { matchLabels: { ...labels } },
          matchLabelKeys: [lwsLabel.groupIndex],
          subGroupSize: sizeOf(role),
          minSubGroups: minReplicas,
          networkTopology: rolePolicy,
        }),
      ),
      queue: queueOf(serving),
    }),
  };
}

function workloadOf(
  context: PlanContext,
  serving: ModelServing,
  { role, workload, labels, entry, worker, group }: ServingRole,
  options: PluginOptions,
): Manifest {
  const { spec } = serving;
  const reported = runTimePluginsOf(pluginsOf(serving, options), role.name);
  const set = leaderWorkerSet({
    metadata: annotated(objectMeta(context, workload, { ...labels }), reported),
    replicas: role.replicas,
    size: sizeOf(role),
    restartsWhole: spec.recoveryPolicy !== "None",
    leader: worker && entry,
    worker: worker ?? entry,
  });
  const update = rollingUpdateOf(serving, role, group);
  return update === undefined ? set : withRollingUpdate(set, update);
}

interface RollingUpdate {
  readonly maxUnavailable?: number;
  readonly partition?: number;
}

/** Returns the rollout limits of a role's LeaderWorkerSet. Undefined for the default limits. */
function rollingUpdateOf(
  { spec: { replicas, rolloutStrategy } }: ModelServing,
  role: ModelServingRole,
  group: number,
): RollingUpdate | undefined {
  if (rolloutStrategy === undefined) return undefined;
  if (rolloutStrategy.type === "RoleRollingUpdate") {
    const { maxUnavailable = 1, partition = 0 } = role;
    return {
      // Kthena rounds down; LeaderWorkerSet does not accept 0.
      maxUnavailable: Math.max(1, Math.floor(amountOf(maxUnavailable, role.replicas))),
      partition: Math.ceil(amountOf(partition, role.replicas)),
    };
  }
  const { partition = 0 } = rolloutStrategy.rollingUpdateConfiguration ?? {};
  // In a serving group below the partition, all instances of the roles keep their pods.
  return group < Math.ceil(amountOf(partition, replicas))
    ? { partition: role.replicas }
    : undefined;
}

/** Returns a number, or the given percentage of a total. */
const amountOf = (written: unknown, total: number): number =>
  typeof written === "string" && written.endsWith("%")
    ? (Number.parseFloat(written) * total) / 100
    : Number(written);

function withRollingUpdate(set: Manifest, update: RollingUpdate): Manifest {
  const spec = set.spec as {
    rolloutStrategy: { type: string; rollingUpdateConfiguration: object };
  };
  const { type, rollingUpdateConfiguration } = spec.rolloutStrategy;
  return {
    ...set,
    spec: {
      ...spec,
      rolloutStrategy: {
        type,
        rollingUpdateConfiguration: { ...rollingUpdateConfiguration, ...update },
      },
    },
  };
}
