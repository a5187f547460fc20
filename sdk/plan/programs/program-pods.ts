import { kinds } from "../../../kubernetes/kinds/index.ts";
import { withKnown } from "../../../kubernetes/values/deferred.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import { templateHashLabel } from "../../names.ts";
import type { ResourceRequirements } from "../../schemas/resources.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import { canonicalResources } from "../canonical-quantities.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";

/** Placement and resources of the pods of this project's programs. */

/**
 * Requests are set so that the pods are not evicted first. The memory limit fits a prefix cache of 100 servers, and the
 * largest program measured in docs/benchmarks.md: a multi-cluster controller of 420 MiB with 2,000 imports. There is no
 * CPU limit, because it would add latency.
 */
const defaultResources: ResourceRequirements = {
  requests: { cpu: "250m", memory: "256Mi" },
  limits: { memory: "1Gi" },
};

/** Returns the resources of a program's container: the given ones, or the default. */
export const programResources = ({ resources = defaultResources }: ProgramPods) =>
  canonicalResources(resources);

/**
 * Share of the memory limit for a program's heap, in percent. The rest is for buffers of bodies and connections, which
 * V8 does not count. A program near the limit then collects garbage before the kernel kills it.
 */
const heapShare = 50n;

/**
 * Returns the maximum size of a semi-space of V8's young generation, in MiB: a 32nd of the heap, at most 16. V8's own
 * maximum is 64 MiB for any limit, and it keeps both semi-spaces after a burst of objects has filled them: a picker of
 * 1,000 pools used 110 MiB more. A pick takes the same time with 16 MiB (docs/benchmarks.md).
 */
const youngHalf = (heap: bigint) => {
  const most = heap / 32n;
  return [16n, 8n, 4n, 2n].find((size) => size <= most) ?? 1n;
};

/** Returns the environment variable of Node.js that limits the heap of a container. Empty without a memory limit. */
export const programEnvironment = (pods: ProgramPods) =>
  nodeOptions(pods, (heap) => ` --max-semi-space-size=${youngHalf(heap)}`);

/**
 * The same for a container in GPU pods, without the limit of the young generation. A changed value would restart the
 * pods, and the gain is too small for that.
 */
export const sidecarEnvironment = (pods: ProgramPods) => nodeOptions(pods, () => "");

function nodeOptions(
  pods: ProgramPods,
  more: (heap: bigint) => string,
): Array<{ name: string; value: unknown }> {
  const memory = (programResources(pods)?.limits as Record<string, unknown> | undefined)?.memory;
  const value = withKnown([memory], ([limit]) => {
    const heap = heapOf(limit);
    return heap === 0n ? "" : `--max-old-space-size=${heap}${more(heap)}`;
  });
  return value === "" ? [] : [{ name: "NODE_OPTIONS", value }];
}

/** Returns the heap limit in MiB; 0 without a memory limit. */
function heapOf(memory: unknown): bigint {
  const limit = parseQuantity(memory);
  return limit === undefined ? 0n : (limit.nanos * heapShare) / (100n * 1_000_000_000n * 2n ** 20n);
}

/** Returns the fields of the pod spec for placement and for pulling images, in the order of a manifest. */
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

/** Also set for a single pod, so that scaling changes no template and restarts no pod. */
const spreadOverNodes = (podLabels: Readonly<Record<string, string>>) => ({
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: podLabels },
  // Pods of the old template do not count during a rollout.
  matchLabelKeys: [templateHashLabel],
});

/**
 * Returns a PodDisruptionBudget if there are several pods or one is configured. By default there is no budget for a
 * single pod, because it would block the drain of the pod's node.
 */
export const planDisruptionBudget = (
  context: PlanContext,
  name: string,
  podLabels: Readonly<Record<string, string>>,
  {
    replicas,
    podDisruptionBudget,
  }: Pick<ProgramPods, "podDisruptionBudget"> & { readonly replicas: number },
): Manifest[] =>
  podDisruptionBudget === undefined && replicas < 2
    ? []
    : [disruptionBudget(context, name, podLabels, podDisruptionBudget)];

/** Returns a PodDisruptionBudget. By default, it allows one unavailable pod. */
export function disruptionBudget(
  context: PlanContext,
  name: string,
  podLabels: Readonly<Record<string, string>>,
  settings: NonNullable<ProgramPods["podDisruptionBudget"]> = {},
): Manifest {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = settings;
  return {
    apiVersion: kinds.PodDisruptionBudget.apiVersion,
    kind: "PodDisruptionBudget",
    metadata: objectMeta(context, name, podLabels),
    spec: present({
      minAvailable,
      maxUnavailable: maxUnavailable ?? (minAvailable === undefined ? 1 : undefined),
      selector: { matchLabels: podLabels },
      // An unhealthy pod must not block the drain of its node.
      unhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? "AlwaysAllow",
    }),
  };
}
