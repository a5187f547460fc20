import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { formatQuantity } from "../../../kubernetes/values/quantity.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { label, lwsLabel, podGroupName, taskName } from "../../topology/names.ts";
import { podResources, type ResourceList, scaled, sum } from "../../topology/pod-resources.ts";
import type { RoleLayout } from "../../topology/role-layout.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { type RoleContext, rolePods } from "./pod-template.ts";

/**
 * The PodGroup of a service (scheduling.volcano.sh/v1beta1), or undefined where no role is in a gang.
 * It exists while its roles do, also at 0 replicas: a pod that names a PodGroup that is not there waits
 * without any event.
 */
export function planPodGroup(
  context: PlanContext,
  roles: readonly RoleContext[],
  strategy: InferenceServiceSpec["schedulingStrategy"],
): Manifest | undefined {
  const gang = roles.filter(({ layout }) => layout.inGang);
  if (gang.length === 0) return undefined;
  const service = context.metadata.name;
  return {
    apiVersion: kinds.PodGroup.apiVersion,
    kind: "PodGroup",
    metadata: objectMeta(context, podGroupName(service)),
    spec: present({
      ...(strategy.gang.layout === "task" ? tasks(gang) : subGroups(service, gang, strategy.gang)),
      queue: strategy.queue,
      priorityClassName: strategy.priorityClassName,
    }),
  };
}

/**
 * Each replica is a sub-group that starts whole or not at all; the gang starts with minReplicas of each role.
 * Needs Volcano 1.14.1 or later: 1.14.0 schedules sub-groups only with a hard network topology.
 */
function subGroups(
  service: string,
  gang: readonly RoleContext[],
  { networkTopology }: InferenceServiceSpec["schedulingStrategy"]["gang"],
) {
  return {
    minMember: podsOf(gang, ({ minReplicas }) => minReplicas),
    minResources: resourcesOf(gang, ({ minReplicas }) => minReplicas),
    subGroupPolicy: gang.map(({ layout: { role, size, minReplicas, perReplica } }) => ({
      name: role.name,
      labelSelector: { matchLabels: { [label.service]: service, [label.roleName]: role.name } },
      // Pods of one replica share this label's value; without such a key a policy matches no pod.
      matchLabelKeys: [perReplica ? label.replicaIndex : lwsLabel.groupIndex],
      subGroupSize: size,
      minSubGroups: minReplicas,
      ...present({ networkTopology }),
    })),
  };
}

/**
 * The InferenceService design's PodGroup: one task per replica. The scheduler checks tasks only where minMember
 * is their sum, so everything starts or nothing does.
 */
function tasks(gang: readonly RoleContext[]) {
  const members = gang.flatMap(({ layout: { role, size, replicas } }) =>
    Array.from({ length: replicas }, (_, replica) => [taskName(role.name, replica), size] as const),
  );
  return {
    minMember: podsOf(gang, ({ replicas }) => replicas),
    minTaskMember: members.length === 0 ? undefined : Object.fromEntries(members),
    minResources: resourcesOf(gang, ({ replicas }) => replicas),
  };
}

type Replicas = (layout: RoleLayout) => number;

const podsOf = (gang: readonly RoleContext[], replicas: Replicas): number =>
  gang.reduce((pods, { layout }) => pods + replicas(layout) * layout.size, 0);

/** What the counted pods ask for: more would keep the gang out of a queue that could start it. */
function resourcesOf(gang: readonly RoleContext[], replicas: Replicas) {
  const total = sum(gang.map((role) => scaled(replicaResources(role), replicas(role.layout))));
  return writtenResources(total);
}

/** What the pods of one replica ask for, with what plugins and the plan add. */
function replicaResources(context: RoleContext): ResourceList {
  const { layout, plugins, sidecar } = context;
  const { role, size, workloads } = layout;
  if (plugins === undefined && sidecar === undefined)
    return scaled(podResources(role.template.spec), size);
  const { leader, worker } = rolePods(context)(workloads[0]?.replicaIndex);
  if (leader === undefined) return podResources(worker.spec);
  return sum([podResources(leader.spec), scaled(podResources(worker.spec), size - 1)]);
}

/** Quantities as a manifest has them; undefined where there are none. */
export function writtenResources(resources: ResourceList): Record<string, string> | undefined {
  const entries = [...resources].filter(([, quantity]) => quantity.nanos !== 0n);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([resource, quantity]) => [resource, formatQuantity(quantity)]),
  );
}
