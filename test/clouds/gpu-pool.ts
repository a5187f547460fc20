import type { Cloud } from "./cloud-packages.ts";
import type { CloudPlan, PlannedResource } from "./print-plan.ts";

/** The nodes of a GPU pool, in the terms of Kubernetes. */
export interface GpuPool {
  readonly urn: string;
  readonly machine: string;
  /** GPUs of a node that the pool requests; undefined if the machine type implies them. */
  readonly gpus: number | undefined;
  /** Maximum number of nodes of the pool. */
  readonly nodes: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly isSpot: boolean;
  readonly zones: unknown;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** Effects in the APIs of GKE and EKS, by their names in Kubernetes. */
const effects: Readonly<Record<string, string>> = { NO_SCHEDULE: "NoSchedule" };

// biome-ignore lint/suspicious/noExplicitAny: inputs of three providers.
type Inputs = any;

interface Reader {
  readonly type: string;
  readonly name: string;
  read(inputs: Inputs): Omit<GpuPool, "urn">;
}

const taintsOf = (taints: Taint[]): Taint[] =>
  taints.map((taint) => ({ ...taint, effect: effects[taint.effect] ?? taint.effect }));

const readers: Readonly<Record<Cloud, Reader>> = {
  gke: {
    type: "gcp:container/nodePool:NodePool",
    name: "l4",
    read: ({ nodeConfig, autoscaling, nodeLocations }) => ({
      machine: nodeConfig.machineType,
      gpus: nodeConfig.guestAccelerators[0].count,
      nodes: autoscaling.totalMaxNodeCount,
      // GKE adds this label to nodes with GPUs: cloud.google.com/kubernetes-engine/docs/how-to/gpus.
      labels: { "cloud.google.com/gke-accelerator": nodeConfig.guestAccelerators[0].type },
      taints: taintsOf(nodeConfig.taints),
      isSpot: nodeConfig.spot,
      zones: nodeLocations,
    }),
  },
  eks: {
    type: "eks:index:ManagedNodeGroup",
    name: "l4",
    read: ({ instanceTypes, scalingConfig, labels, taints, capacityType, subnetIds }) => ({
      machine: instanceTypes[0],
      gpus: undefined,
      nodes: scalingConfig.maxSize,
      labels,
      taints: taintsOf(taints),
      isSpot: capacityType === "SPOT",
      zones: subnetIds,
    }),
  },
  aks: {
    type: "azure-native:containerservice:AgentPool",
    name: "a100",
    read: ({ vmSize, count, nodeLabels, nodeTaints, scaleSetPriority, availabilityZones }) => ({
      machine: vmSize,
      gpus: undefined,
      nodes: count,
      labels: nodeLabels,
      taints: nodeTaints.map((written: string) => {
        const [, key, value, effect] = /^(.+)=(.+):(\w+)$/.exec(written) ?? [];
        return { key, value, effect };
      }),
      isSpot: scaleSetPriority === "Spot",
      zones: availabilityZones,
    }),
  },
};

/** Returns the GPU pool of a plan. */
export function gpuPoolOf(cloud: Cloud, { resources }: CloudPlan): GpuPool {
  const { type, name, read } = readers[cloud];
  const found = resources.find((each) => each.type === type && each.name === name);
  if (found === undefined) throw new Error(`${cloud} plans no ${type} named "${name}"`);
  return { urn: found.urn, ...read(found.inputs) };
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** Returns the taints that no toleration matches. */
export const untolerated = (taints: readonly Taint[], tolerations: readonly Toleration[]) =>
  taints.filter(
    (taint) =>
      !tolerations.some(
        ({ key, operator = "Equal", value, effect }) =>
          (key === undefined || key === taint.key) &&
          (effect === undefined || effect === taint.effect) &&
          (operator === "Exists" || value === taint.value),
      ),
  );

/** Returns the URNs of the resources that a resource waits for, directly or not. */
export function waitsFor({ resources }: CloudPlan, of: PlannedResource): ReadonlySet<string> {
  const byUrn = new Map(resources.map((each) => [each.urn, each]));
  const found = new Set<string>();
  const visit = ({ after }: PlannedResource) => {
    for (const urn of after) {
      const next = byUrn.get(urn);
      if (next === undefined || found.has(urn)) continue;
      found.add(urn);
      visit(next);
    }
  };
  visit(of);
  return found;
}
