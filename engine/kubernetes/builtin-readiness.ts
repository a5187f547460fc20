import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { isMap, type PropertyMap, sameValue } from "../property-value.ts";
import type { KubernetesObject } from "./object.ts";
import {
  conditionOf,
  isBehind,
  type Readiness,
  type ReadyCondition,
  statusOf,
} from "./object-status.ts";

// The main conditions that the Pulumi provider awaits by default. Its warnings about pods, its watch of events and its
// reports of single containers are not emulated, and an Ingress only waits for its address.

const ready: Readiness = { ready: true };
const waitingFor = (what: string): Readiness => ({ ready: false, waitingFor: what });
const failed = (what: string): Readiness => ({ ready: false, waitingFor: what, failed: true });

const specOf = (live: KubernetesObject): PropertyMap => (isMap(live.spec) ? live.spec : {});
const count = (value: unknown, otherwise = 0) => (typeof value === "number" ? value : otherwise);

/** Returns the condition for a kind that the provider supports; `undefined` for any other kind. */
export function builtinReadiness({
  apiVersion,
  kind,
}: KubernetesObject): ReadyCondition | undefined {
  return CONDITIONS[`${apiVersion}/${kind}`];
}

const deployment: ReadyCondition = (live) => {
  const status = statusOf(live);
  const wanted = count(specOf(live).replicas, 1);
  if (status.observedGeneration === undefined || isBehind(live))
    return waitingFor("the rollout to begin");
  const updated = count(status.updatedReplicas);
  const available = count(status.availableReplicas);
  if (updated < wanted) return waitingFor(`${updated} of ${wanted} replicas updated`);
  if (count(status.replicas) > updated) return waitingFor("old replicas to end");
  if (available < wanted) return waitingFor(`${available} of ${wanted} replicas available`);
  return conditionOf(live, "Available")?.status === "False"
    ? waitingFor("condition Available")
    : ready;
};

const statefulSet: ReadyCondition = (live) => {
  const status = statusOf(live);
  const wanted = count(specOf(live).replicas, 1);
  if (status.observedGeneration === undefined || isBehind(live))
    return waitingFor("the rollout to begin");
  const readyReplicas = count(status.readyReplicas);
  if (readyReplicas < wanted) return waitingFor(`${readyReplicas} of ${wanted} replicas ready`);
  if (status.currentRevision !== status.updateRevision) return waitingFor("the new revision");
  return ready;
};

const daemonSet: ReadyCondition = (live) => {
  const status = statusOf(live);
  if (status.observedGeneration === undefined || isBehind(live))
    return waitingFor("the rollout to begin");
  const wanted = count(status.desiredNumberScheduled);
  const updated = Math.min(count(status.updatedNumberScheduled), count(status.numberReady));
  return updated < wanted ? waitingFor(`${updated} of ${wanted} pods ready`) : ready;
};

const pod: ReadyCondition = (live) => {
  const { phase, message } = statusOf(live);
  if (phase === "Succeeded") return ready;
  if (phase === "Failed") return failed(`the pod failed${message ? `: ${message}` : ""}`);
  return conditionOf(live, "Ready")?.status === "True" ? ready : waitingFor("condition Ready");
};

const job: ReadyCondition = (live) => {
  const failure = conditionOf(live, "Failed");
  if (failure?.status === "True")
    return failed(`the job failed: ${failure.message ?? failure.reason}`);
  return conditionOf(live, "Complete")?.status === "True"
    ? ready
    : waitingFor("condition Complete");
};

const service: ReadyCondition = async (live, lookup) => {
  const spec = specOf(live);
  const { namespace, name } = live.metadata;
  if (spec.type === "LoadBalancer" && !hasAddress(live))
    return waitingFor("an address of the load balancer");
  const isHeadless = spec.clusterIP === "None";
  const selects = isMap(spec.selector) && Object.keys(spec.selector).length > 0;
  if (spec.type === "ExternalName" || isHeadless || !selects) return ready;
  const slices = await lookup(collectionPath(unplanned.EndpointSlice, String(namespace)), {
    labelSelector: `kubernetes.io/service-name=${name}`,
  });
  const items = (slices?.items ?? []) as { endpoints?: { conditions?: { ready?: boolean } }[] }[];
  const hasEndpoint = items.some(({ endpoints }) =>
    endpoints?.some(({ conditions }) => conditions?.ready !== false),
  );
  return hasEndpoint ? ready : waitingFor("an endpoint; no ready pod is selected");
};

const ingress: ReadyCondition = (live) => (hasAddress(live) ? ready : waitingFor("an address"));

function hasAddress(live: KubernetesObject): boolean {
  const { loadBalancer } = statusOf(live);
  return (
    isMap(loadBalancer) && Array.isArray(loadBalancer.ingress) && loadBalancer.ingress.length > 0
  );
}

const persistentVolume: ReadyCondition = (live) => {
  const { phase } = statusOf(live);
  return phase === "Available" || phase === "Bound"
    ? ready
    : waitingFor("the volume to be available");
};

const persistentVolumeClaim: ReadyCondition = async (live, lookup) => {
  const { phase } = statusOf(live);
  if (phase === "Bound") return ready;
  const { storageClassName } = specOf(live);
  const storageClass = storageClassName
    ? await lookup(objectPath(unplanned.StorageClass, { name: String(storageClassName) }))
    : undefined;
  // Such a claim is bound only when a pod uses it.
  const bindsLater = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  return bindsLater && phase === "Pending" ? ready : waitingFor("the claim to be bound");
};

const replicationController: ReadyCondition = (live) => {
  const wanted = count(specOf(live).replicas, 1);
  const available = count(statusOf(live).availableReplicas);
  return available < wanted ? waitingFor(`${available} of ${wanted} replicas available`) : ready;
};

const resourceQuota: ReadyCondition = (live) =>
  sameValue(specOf(live).hard, statusOf(live).hard)
    ? ready
    : waitingFor("the quota to be in force");

const serviceAccountToken: ReadyCondition = (live) =>
  live.type !== "kubernetes.io/service-account-token" || isMap(live.data)
    ? ready
    : waitingFor("the token to be written");

const CONDITIONS: Readonly<Record<string, ReadyCondition>> = {
  "apps/v1/DaemonSet": daemonSet,
  "apps/v1/Deployment": deployment,
  "apps/v1/StatefulSet": statefulSet,
  "batch/v1/Job": job,
  "networking.k8s.io/v1/Ingress": ingress,
  "v1/PersistentVolume": persistentVolume,
  "v1/PersistentVolumeClaim": persistentVolumeClaim,
  "v1/Pod": pod,
  "v1/ReplicationController": replicationController,
  "v1/ResourceQuota": resourceQuota,
  "v1/Secret": serviceAccountToken,
  "v1/Service": service,
};
