import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { service } from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../inference-service.ts";

/** Fields of a planned container that tests read. */
export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: Array<{ name: string; value?: string }>;
  ports?: Array<{ name?: string; containerPort: number }>;
  startupProbe?: { httpGet?: { port: number } };
  restartPolicy?: string;
}
/** Fields of a planned pod that tests read. */
export interface Pod {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: unknown;
  containers: [Container, ...Container[]];
  initContainers?: Container[];
  volumes?: Array<{ name: string }>;
}

export const plan = (...roles: Parameters<typeof service>[0]) =>
  planInferenceService(service(roles));
export const named = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name);

export function podsOf(
  manifests: readonly Manifest[],
  name: string,
): { leader?: Pod; worker: Pod } {
  const spec = named(manifests, "LeaderWorkerSet", name)?.spec as {
    leaderWorkerTemplate: Record<"leaderTemplate" | "workerTemplate", { spec: Pod } | undefined>;
  };
  const { leaderTemplate, workerTemplate } = spec.leaderWorkerTemplate;
  return {
    ...(leaderTemplate && { leader: leaderTemplate.spec }),
    worker: workerTemplate?.spec as Pod,
  };
}

export const sidecarOf = ({ initContainers = [] }: Pod) =>
  initContainers.find(({ name }) => name === "pd-sidecar");
