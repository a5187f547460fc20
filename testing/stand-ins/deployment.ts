import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { ApiClient } from "../api/api-client.ts";
import { controlLoop, forEach } from "./control-loop.ts";
import { informer } from "./informer.ts";
import {
  type Condition,
  type Deployment,
  isDeleting,
  isOwnedBy,
  isReady,
  type KubeObject,
  ownerReference,
  type Pod,
} from "./objects.ts";
import type { StandIn, StandInOptions } from "./stand-in.ts";

const hashLabel = "pod-template-hash";
/** The Kubernetes provider of Pulumi finds a Deployment's ReplicaSet by it. */
const revisionAnnotation = "deployment.kubernetes.io/revision";

/**
 * STAND-IN for the Deployment and ReplicaSet controllers: one ReplicaSet for the current template with its pods. An
 * older ReplicaSet is deleted immediately, as with strategy Recreate; rolling updates are not simulated.
 */
export async function startDeploymentController(
  client: ApiClient,
  { namespace, onError }: StandInOptions,
): Promise<StandIn> {
  const abort = new AbortController();
  const loop = controlLoop(
    () =>
      forEach(
        deployments.list().filter((deployment) => !isDeleting(deployment)),
        async (deployment) => {
          const sets = replicaSets.list().filter((set) => isOwnedBy(set, deployment));
          await reconcile(client, deployment, sets, pods.list());
        },
      ),
    onError,
  );
  const watching = { onChange: () => loop.trigger(), signal: abort.signal };
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const deployments = informer<Deployment>(client, `/apis/apps/v1${scope}/deployments`, watching);
  const replicaSets = informer<KubeObject>(client, `/apis/apps/v1${scope}/replicasets`, watching);
  const pods = informer<Pod>(client, `/api/v1${scope}/pods`, watching);
  await Promise.all([deployments.synced, replicaSets.synced, pods.synced]);
  return {
    async stop() {
      abort.abort();
      await loop.stop();
    },
  };
}

async function reconcile(
  client: ApiClient,
  deployment: Deployment,
  sets: readonly KubeObject[],
  pods: readonly Pod[],
): Promise<void> {
  const base = `/apis/apps/v1/namespaces/${deployment.metadata.namespace}`;
  const name = `${deployment.metadata.name}-${templateHash(deployment)}`;
  const current = sets.find((set) => set.metadata.name === name);
  const older = sets.filter((set) => set !== current);
  await forEach(
    older.filter((set) => !isDeleting(set)),
    async (set) => {
      await client.request(
        "DELETE",
        `${base}/replicasets/${set.metadata.name}?propagationPolicy=Foreground`,
      );
    },
  );
  if (older.length === 0) {
    if (current === undefined)
      await client.request("POST", `${base}/replicasets`, replicaSet(deployment, name));
    else {
      await scale(client, deployment, current, pods);
      await publish(client, base, deployment, current, pods);
    }
  }
  await writeStatus(
    client,
    `${base}/deployments/${deployment.metadata.name}/status`,
    deployment,
    current,
    pods,
  );
}

const templateHash = ({ spec }: Deployment) =>
  createHash("sha256").update(JSON.stringify(spec.template)).digest("hex").slice(0, 10);

const podLabels = (deployment: Deployment) => ({
  ...deployment.spec.template.metadata?.labels,
  [hashLabel]: templateHash(deployment),
});

function replicaSet(deployment: Deployment, name: string) {
  const { namespace } = deployment.metadata;
  const { replicas, selector, template } = deployment.spec;
  const labels = podLabels(deployment);
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...{ name, namespace, labels, ownerReferences: [ownerReference(deployment)] },
      annotations: { [revisionAnnotation]: String(revisionOf(deployment) + 1) },
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...selector.matchLabels, [hashLabel]: templateHash(deployment) } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

const revisionOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations?.[revisionAnnotation] ?? 0);

/** Writes the revision of the ReplicaSet to its Deployment, and the number of ready pods to the ReplicaSet. */
async function publish(
  client: ApiClient,
  base: string,
  deployment: Deployment,
  set: KubeObject & { readonly status?: { readonly readyReplicas?: number } },
  pods: readonly Pod[],
): Promise<void> {
  const revision = String(revisionOf(set));
  if (String(revisionOf(deployment)) !== revision) {
    const metadata = { annotations: { [revisionAnnotation]: revision } };
    const path = `${base}/deployments/${deployment.metadata.name}`;
    await client.request("PATCH", path, { metadata }, mergePatchType);
  }
  const own = pods.filter((pod) => isOwnedBy(pod, set) && !isDeleting(pod));
  const readyReplicas = own.filter(isReady).length;
  if ((set.status?.readyReplicas ?? 0) === readyReplicas) return;
  const status = { replicas: own.length, readyReplicas, availableReplicas: readyReplicas };
  const path = `${base}/replicasets/${set.metadata.name}/status`;
  await client.request("PATCH", path, { status }, mergePatchType);
}

async function scale(
  client: ApiClient,
  deployment: Deployment,
  set: KubeObject,
  pods: readonly Pod[],
): Promise<void> {
  const base = `/api/v1/namespaces/${deployment.metadata.namespace}/pods`;
  const own = pods.filter((pod) => isOwnedBy(pod, set) && !isDeleting(pod));
  const { template, replicas } = deployment.spec;
  const names = new Set(own.map((pod) => pod.metadata.name));
  // Numbered rather than random, so that a repeated pass makes the same pods.
  const wanted = Array.from({ length: replicas }, (_, at) => `${set.metadata.name}-${at}`);
  for (const name of wanted.filter((name) => !names.has(name))) {
    await client.request("POST", base, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        annotations: template.metadata?.annotations,
        labels: podLabels(deployment),
        ownerReferences: [ownerReference(set)],
      },
      spec: template.spec,
    });
  }
  for (const name of [...names].filter((name) => !wanted.includes(name))) {
    await client.request("DELETE", `${base}/${name}`);
  }
}

async function writeStatus(
  client: ApiClient,
  path: string,
  deployment: Deployment,
  current: KubeObject | undefined,
  pods: readonly Pod[],
): Promise<void> {
  const own = pods.filter(
    (pod) => current !== undefined && isOwnedBy(pod, current) && !isDeleting(pod),
  );
  const ready = own.filter(isReady).length;
  const { replicas } = deployment.spec;
  const isAvailable = ready >= replicas;
  const status = {
    observedGeneration: deployment.metadata.generation,
    replicas: own.length,
    updatedReplicas: own.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, replicas - ready),
    conditions: [
      condition(
        deployment,
        "Available",
        isAvailable,
        isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      ),
      condition(
        deployment,
        "Progressing",
        true,
        isAvailable ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
      ),
    ],
  };
  if (isDeepStrictEqual(status, { ...absentCounts, ...deployment.status })) return;
  await client.request(
    "PATCH",
    path,
    { metadata: { uid: deployment.metadata.uid }, status },
    mergePatchType,
  );
}

/** The API server omits counts of 0 from its responses. */
const absentCounts = {
  replicas: 0,
  updatedReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
};

function condition(
  { status }: Deployment,
  type: string,
  holds: boolean,
  reason: string,
): Condition {
  const value = holds ? "True" : "False";
  const earlier = status?.conditions?.find(
    (c) => c.type === type && c.status === value && c.reason === reason,
  );
  const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  return earlier ?? { type, status: value, reason, lastUpdateTime: now, lastTransitionTime: now };
}
