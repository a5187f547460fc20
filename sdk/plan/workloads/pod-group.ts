import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { label, lwsLabel, podGroupName, taskName } from "../../names.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import type { RoleLayout } from "../../topology/role-layout.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { revisionOf } from "../revision.ts";
import { minResources, type Pods } from "./min-resources.ts";
import { type RoleContext, rolePods } from "./pod-template.ts";

/**
 * Returns the PodGroup of a service (scheduling.volcano.sh/v1beta1). Undefined if no role is in a gang. The PodGroup
 * also exists at 0 replicas, because a pod that names a missing PodGroup waits without any event.
 */
export function planPodGroup(
  context: PlanContext,
  roles: readonly RoleContext[],
  workloads: readonly Manifest[],
  strategy: InferenceServiceSpec["schedulingStrategy"],
): Manifest | undefined {
  const gang = roles.filter(({ layout }) => layout.inGang);
  if (gang.length === 0) return undefined;
  const service = context.metadata.name;
  return {
    apiVersion: kinds.PodGroup.apiVersion,
    kind: "PodGroup",
    metadata: objectMeta(context, podGroupName(service), revisionOfGang(workloads)),
    spec: present({
      ...(strategy.gang.layout === "task" ? tasks(gang) : subGroups(service, gang, strategy.gang)),
      queue: strategy.queue,
      priorityClassName: strategy.priorityClassName,
    }),
  };
}

/** Returns the label with the revision of all pods of a gang. */
const revisionOfGang = (workloads: readonly Manifest[]) => ({
  [label.revision]: revisionOf(
    [...new Set(workloads.map(({ metadata }) => metadata.labels?.[label.revision]))].sort(),
  ),
});

/**
 * Makes each replica a sub-group that starts as a whole or not at all. The gang starts with minReplicas of each role.
 * Requires Volcano 1.14.1 or later: 1.14.0 schedules sub-groups only with a hard network topology.
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
      // Pods of one replica share this label's value. Without a key a policy matches no pod.
      matchLabelKeys: [perReplica ? label.replicaIndex : lwsLabel.groupIndex],
      subGroupSize: size,
      minSubGroups: minReplicas,
      ...present({ networkTopology }),
    })),
  };
}

/**
 * Defines one task per replica, as in the InferenceService design. The scheduler checks tasks only if minMember is
 * their sum, so either everything starts or nothing does.
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

/**
 * Returns the requests of the pods in the minimum. A higher value could keep the gang waiting in a queue that could
 * start it.
 */
const resourcesOf = (gang: readonly RoleContext[], replicas: Replicas) =>
  minResources(
    gang.flatMap((role) =>
      podsOfReplica(role).map(({ spec, count }) => ({
        spec,
        count: count * replicas(role.layout),
      })),
    ),
  );

/** Returns the pods of one replica, with the containers that plugins and the plan add. */
function podsOfReplica(context: RoleContext): Pods[] {
  const { layout, plugins, sidecar } = context;
  const { role, size, workloads } = layout;
  if (plugins === undefined && sidecar === undefined)
    return [{ spec: role.template.spec, count: size }];
  const { leader, worker } = rolePods(context)(workloads[0]?.replicaIndex);
  if (leader === undefined) return [{ spec: worker.spec, count: 1 }];
  return [
    { spec: leader.spec, count: 1 },
    { spec: worker.spec, count: size - 1 },
  ];
}
