import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import type { ResourceRequirements } from "../../spec/resources.ts";
import { templateHashLabel } from "../../topology/names.ts";
import { canonicalResources } from "../canonical-quantities.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";

/** How pods of this project's own programs are placed and kept, the same for all of them. */

/**
 * Requests, so that no pod is the first to be evicted. The limit leaves room for a prefix cache of a hundred servers and
 * for the largest program that docs/benchmarks.md measured, a multi-cluster controller of 420 MiB with 2,000 imports. No
 * limit of CPU, which would add to latency.
 */
const defaultResources: ResourceRequirements = {
  requests: { cpu: "250m", memory: "256Mi" },
  limits: { memory: "1Gi" },
};

/** Resources of a program's container: what is given, as it is, or the default. */
export const programResources = ({ resources = defaultResources }: ProgramPods) =>
  canonicalResources(resources);

/**
 * The share of the limit that a program's heap may take, of 100. What is left is for buffers, which V8 does not count:
 * bodies and connections. A program that comes near the limit collects garbage before the kernel kills it.
 */
const heapShare = 50n;

/**
 * The largest half of a heap's young part, of 32 parts of the heap and at most 16 MiB. V8's own bound is 64 MiB whatever the
 * limit, and it keeps both halves once a burst of objects has filled them: a picker of 1,000 pools took 110 MiB more. A pick
 * costs the same with 16 MiB (docs/benchmarks.md).
 */
const youngHalf = (heap: bigint) => {
  const most = heap / 32n;
  return [16n, 8n, 4n, 2n].find((size) => size <= most) ?? 1n;
};

/** Node's environment: how large the heap of a container with these limits may grow; nothing without a limit. */
export function programEnvironment(pods: ProgramPods): Array<{ name: string; value: string }> {
  const heap = heapOf(pods);
  if (heap === 0n) return [];
  const value = `--max-old-space-size=${heap} --max-semi-space-size=${youngHalf(heap)}`;
  return [{ name: "NODE_OPTIONS", value }];
}

/** The same of a container in GPU pods, which another value would restart: what it gains is too little for that. */
export function sidecarEnvironment(pods: ProgramPods): Array<{ name: string; value: string }> {
  const heap = heapOf(pods);
  return heap === 0n ? [] : [{ name: "NODE_OPTIONS", value: `--max-old-space-size=${heap}` }];
}

/** In MiB; 0 without a limit. */
function heapOf(pods: ProgramPods): bigint {
  const memory = (programResources(pods)?.limits as Record<string, unknown> | undefined)?.memory;
  const limit = parseQuantity(memory);
  return limit === undefined ? 0n : (limit.nanos * heapShare) / (100n * 1_000_000_000n * 2n ** 20n);
}

/** Fields of the pod's spec that say where it may run and what it is pulled with, in a manifest's order. */
export function programPlacement(
  { nodeSelector, affinity, tolerations, topologySpreadConstraints, imagePullSecrets }: ProgramPods,
  podLabels: Readonly<Record<string, string>>,
) {
  return {
    imagePullSecrets,
    nodeSelector,
    affinity,
    tolerations,
    topologySpreadConstraints: topologySpreadConstraints ?? [spreadOverNodes(podLabels)],
  };
}

/** For one pod too: scaling then changes no template, and so restarts no pod. */
const spreadOverNodes = (podLabels: Readonly<Record<string, string>>) => ({
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: podLabels },
  // Old pods do not count while new ones take their place.
  matchLabelKeys: [templateHashLabel],
});

/**
 * A PodDisruptionBudget for several pods, or where one is asked for. One pod alone has none by default: a budget that
 * keeps it would keep its node from being drained.
 */
export function planDisruptionBudget(
  context: PlanContext,
  name: string,
  podLabels: Readonly<Record<string, string>>,
  { replicas, podDisruptionBudget }: ProgramPods & { readonly replicas: number },
): Manifest[] {
  if (podDisruptionBudget === undefined && replicas < 2) return [];
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = podDisruptionBudget ?? {};
  return [
    {
      apiVersion: kinds.PodDisruptionBudget.apiVersion,
      kind: "PodDisruptionBudget",
      metadata: objectMeta(context, name, podLabels),
      spec: present({
        minAvailable,
        maxUnavailable: maxUnavailable ?? (minAvailable === undefined ? 1 : undefined),
        selector: { matchLabels: podLabels },
        // A pod that does not work keeps no node from being drained.
        unhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? "AlwaysAllow",
      }),
    },
  ];
}
