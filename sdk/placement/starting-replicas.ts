import { kinds } from "../../kubernetes/kinds/index.ts";
import { acceleratorsOfPod, isDevice } from "../engines/accelerators/pod-accelerators.ts";
import { podResources } from "../engines/accelerators/pod-resources.ts";
import { label } from "../names.ts";
import type { PodSpec } from "../schemas/pod-template.ts";
import { type Gang, gangOf } from "../stack/gangs.ts";
import type { AutoscalerShape } from "../stack/shapes.ts";
import type { Stack } from "../stack/stack.ts";
import type { StackObject } from "../stack/stack-object.ts";
import type { PodTemplateUse, Workload } from "../stack/workloads.ts";
import { volcano } from "../topology/scheduling.ts";
import type { Packing, PodDemand } from "./gpu-nodes.ts";
import { requestsOf } from "./node-fit.ts";

/** One replica of a workload before it starts. */
export interface StartingReplica {
  readonly workload: Workload;
  /** Role of an InferenceService; undefined for other workloads. */
  readonly role: string | undefined;
  /** Index in the replicas of its role or its workload. */
  readonly index: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The gang that its pods name. */
  readonly gang: Gang | undefined;
  readonly pods: readonly PodDemand[];
  /** The accelerator resources that its pods request. */
  readonly kinds: readonly string[];
  /**
   * Whether its pods have accelerators that cannot be counted; the placement counts them as pods without accelerators.
   */
  readonly isUncounted: boolean;
}

/**
 * Returns every replica of a stack that a scheduler places, in the order of the objects. Pods of a DaemonSet do not
 * wait for accelerators that other pods could take.
 *
 * @param packing how Volcano chooses nodes; the default scheduler always spreads, as Volcano's `stock` does
 */
export function startingReplicas(
  { everyWorkload, gangs, objects }: Stack,
  packing: Packing,
): StartingReplica[] {
  return everyWorkload()
    .filter(({ object, pods }) => object.kind !== "apps/DaemonSet" && pods.length > 0)
    .flatMap((workload) => {
      const [first] = workload.pods as readonly [PodTemplateUse];
      const { labels } = first;
      const gang = gangOf(first, gangs);
      const { schedulerName } = first.spec;
      const how = gang !== undefined || schedulerName === volcano ? packing : "stock";
      const kinds = [...new Set(workload.pods.flatMap((pods) => acceleratorKindsOf(pods)))];
      const isUncounted = workload.pods.some(
        ({ spec }) => acceleratorsOfPod(spec, workload.accelerators) === undefined,
      );
      const replicas = scaledReplicas(workload, objects) ?? workload.replicas;
      return Array.from({ length: replicas }, (_, at): StartingReplica => {
        const index = Number(labels[label.replicaIndex] ?? at);
        const pods = podsOf(workload, how);
        return {
          workload,
          role: labels[label.roleName],
          index,
          labels,
          gang,
          pods,
          kinds,
          isUncounted,
        };
      });
    });
}

/**
 * Returns the minimum of the autoscaler of a workload whose object has no replicas, as in rendered manifests; undefined
 * for other workloads. The object is created with one replica.
 */
export function scaledReplicas(
  { object: { manifest }, namespace }: Workload,
  objects: readonly StackObject[],
): number | undefined {
  const { replicas } = (manifest.spec ?? {}) as { readonly replicas?: unknown };
  if (replicas !== undefined) return undefined;
  for (const { manifest: scaler } of objects) {
    if (!scalers.includes(scaler.kind)) continue;
    const { scaleTargetRef, minReplicas, minReplicaCount } = scaler.spec as AutoscalerShape;
    const isSame = (scaler.metadata.namespace ?? "default") === namespace;
    if (
      isSame &&
      scaleTargetRef.kind === manifest.kind &&
      scaleTargetRef.name === manifest.metadata.name
    )
      return Math.max(1, minReplicas ?? minReplicaCount ?? 1);
  }
  return undefined;
}

const scalers: readonly string[] = [kinds.ScaledObject.kind, kinds.HorizontalPodAutoscaler.kind];

/** The accelerator resources that one pod requests. */
const acceleratorKindsOf = ({ spec, workload }: PodTemplateUse): string[] =>
  [...podResources(spec)]
    .filter(([resource, { nanos }]) => nanos > 0n && isDevice(resource, workload.accelerators))
    .map(([resource]) => resource);

function podsOf({ pods, accelerators }: Workload, packing: Packing): PodDemand[] {
  const replica = {};
  return pods.flatMap(({ spec, inReplica }) => {
    const podSpec = spec;
    const gpus = acceleratorsOfPod(podSpec, accelerators) ?? 0;
    const pod: PodDemand = {
      gpus,
      requests: requestsOf(podSpec),
      spec: podSpec,
      distinctNode: wantsOwnNode(podSpec),
      replica,
      packing,
    };
    return Array.from({ length: inReplica }, () => pod);
  });
}

interface AntiAffinity {
  readonly podAntiAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: ReadonlyArray<{
      readonly topologyKey?: string;
    }>;
  };
}

/** The placement follows anti-affinity only within a replica: pods of other replicas may share the node. */
function wantsOwnNode({ affinity }: PodSpec): boolean {
  const { podAntiAffinity } = (affinity ?? {}) as AntiAffinity;
  const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some(({ topologyKey }) => topologyKey === "kubernetes.io/hostname");
}
