import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { label, manager } from "../../sdk/names.ts";
import type { ApiReader } from "./api-reader.ts";
import { neededCrds } from "./check-crds.ts";
import { ownCrdNames } from "./check-own-crds.ts";
import { createdResources } from "./check-permissions.ts";
import { kedaLabel } from "./check-tested-versions.ts";
import { volcanoLabels } from "./check-volcano.ts";
import {
  type Claim,
  type ClusterObject,
  type ClusterObservation,
  type Crd,
  type Deployment,
  type GatewayClass,
  type LeaderWorkerSet,
  type Node,
  type Pod,
  type Queue,
  type Seen,
  type StorageClass,
  seenOf,
  type Webhook,
  type WebhookConfiguration,
  webhooksFor,
} from "./observation.ts";

/** Reads all data for the checks, in parallel. */
export async function observe(api: ApiReader, namespace: string): Promise<ClusterObservation> {
  const more = observeMore(api, namespace);
  const [
    crds,
    schedulers,
    controllers,
    kthena,
    keda,
    queue,
    mutating,
    validating,
    workloads,
    mayCreate,
  ] = await Promise.all([
    byKey(
      neededCrds.map(({ name }) => name),
      (name) => api.get<Crd>(objectPath(unplanned.CustomResourceDefinition, { name })),
    ),
    deployments(api, volcanoLabels.scheduler),
    deployments(api, volcanoLabels.controllers),
    deployments(api, "app.kubernetes.io/component=kthena-controller-manager"),
    deployments(api, kedaLabel),
    api.get<Queue>(objectPath(kinds.Queue, { name: "default" })),
    items(api.get<List<WebhookConfiguration>>(collectionPath(kinds.MutatingWebhookConfiguration))),
    items(
      api.get<List<WebhookConfiguration>>(collectionPath(unplanned.ValidatingWebhookConfiguration)),
    ),
    items(api.get<List<LeaderWorkerSet>>(collectionPath(kinds.LeaderWorkerSet, namespace))),
    reviewPermissions(api, namespace),
  ]);
  const needed = servedWebhooks(mutating, validating);
  const lwsNamespace =
    webhooksFor(seenOf(mutating), kinds.LeaderWorkerSet)[0]?.clientConfig.service?.namespace ??
    "lws-system";
  const [lws, readyEndpoints, volcanoConfig] = await Promise.all([
    deployments(api, "control-plane=controller-manager", lwsNamespace),
    byKey(servicesOf(needed), (location) => countReady(api, location)),
    configOf(api, schedulers, "--scheduler-conf"),
  ]);
  return {
    namespace,
    crds,
    lwsManagers: lws,
    lwsConfig: await configOf(api, lws, "--config"),
    volcanoSchedulers: schedulers,
    volcanoControllers: controllers,
    volcanoConfig,
    defaultQueue: queue,
    mutatingWebhooks: mutating,
    validatingWebhooks: validating,
    readyEndpoints,
    leaderWorkerSets: workloads,
    kthenaManagers: kthena,
    kedaOperators: keda,
    mayCreate,
    ...(await more),
  };
}

/**
 * Reads the needs of services in addition to the controllers: kinds of this project, gateways, accelerators, images
 * and volumes.
 */
async function observeMore(api: ApiReader, namespace: string) {
  const list = <T>(path: string) => items(api.get<List<T>>(path));
  const ruled = observeRuled(api, namespace);
  const [ownCrds, gatewayClasses, nodes, nodePools, pods, claims, storageClasses, imports] =
    await Promise.all([
      byKey(ownCrdNames, (name) =>
        api.get<Crd>(objectPath(unplanned.CustomResourceDefinition, { name })),
      ),
      list<GatewayClass>(collectionPath(unplanned.GatewayClass)),
      list<Node>(collectionPath(unplanned.Node)),
      list<object>(collectionPath(unplanned.NodePool)),
      list<Pod>(collectionPath(unplanned.Pod, namespace)),
      list<Claim>(collectionPath(unplanned.PersistentVolumeClaim, namespace)),
      list<StorageClass>(collectionPath(unplanned.StorageClass)),
      list<ClusterObject>(collectionPath(kinds.InferencePoolImport, namespace)),
    ]);
  const seen = { ownCrds, gatewayClasses, nodes, nodePools, pods, claims, storageClasses, imports };
  return { ...seen, ruled: await ruled };
}

async function observeRuled(
  api: ApiReader,
  namespace: string,
): Promise<ClusterObservation["ruled"]> {
  // Items of a list have no kind.
  const list = async (of: KindAddress, location?: string, query = "") => {
    const { apiVersion, kind } = of;
    const path = `${collectionPath(of, location)}${query}`;
    const seen = await items(api.get<List<Pick<ClusterObject, "metadata">>>(path));
    return seen.state === "seen"
      ? { ...seen, value: seen.value.map((item) => ({ ...item, apiVersion, kind })) }
      : seen;
  };
  const ofThisProject = `?labelSelector=${encodeURIComponent(`${label.managedBy}=${manager}`)}`;
  const [services, pools, deployments, serverPools, inferenceServices, routes, programs, grants] =
    await Promise.all([
      list(kinds.Service, namespace),
      list(kinds.InferencePool, namespace),
      list(kinds.Deployment, namespace),
      list(kinds.LLMServerPool, namespace),
      list(kinds.InferenceService, namespace),
      list(kinds.HTTPRoute, namespace),
      list(kinds.Deployment, undefined, ofThisProject),
      list(kinds.ReferenceGrant),
    ]);
  return { services, pools, deployments, serverPools, inferenceServices, routes, programs, grants };
}

interface List<T> {
  items: T[];
}

async function items<T>(list: Promise<Seen<List<T>>>): Promise<Seen<T[]>> {
  const seen = await list;
  return seen.state === "seen" ? { state: "seen", value: seen.value.items } : seen;
}

async function byKey<T>(keys: readonly string[], read: (key: string) => Promise<T>) {
  const entries = await Promise.all(keys.map(async (key) => [key, await read(key)] as const));
  return Object.fromEntries(entries);
}

function deployments(api: ApiReader, label: string, namespace?: string) {
  const path = collectionPath(kinds.Deployment, namespace);
  const selector = encodeURIComponent(label);
  return items(api.get<List<Deployment>>(`${path}?labelSelector=${selector}`));
}

function servedWebhooks(
  mutating: ClusterObservation["mutatingWebhooks"],
  validating: ClusterObservation["validatingWebhooks"],
): Webhook[] {
  const all = [...seenOf(mutating), ...seenOf(validating)];
  return [...webhooksFor(all, kinds.LeaderWorkerSet), ...webhooksFor(all, kinds.PodGroup)];
}

function servicesOf(webhooks: readonly Webhook[]): string[] {
  const services = webhooks.flatMap(({ clientConfig: { service } }) =>
    service === undefined ? [] : [`${service.namespace}/${service.name}`],
  );
  return [...new Set(services)];
}

interface EndpointSlice {
  endpoints?: Array<{ conditions?: { ready?: boolean } }> | null;
}

/** Returns the number of ready endpoints of a Service; in the API, an endpoint without `ready` counts as ready. */
async function countReady(api: ApiReader, location: string): Promise<Seen<number>> {
  const [namespace, name] = location.split("/");
  const selector = encodeURIComponent(`kubernetes.io/service-name=${name}`);
  const path = `${collectionPath(unplanned.EndpointSlice, namespace)}?labelSelector=${selector}`;
  const slices = await items(api.get<List<EndpointSlice>>(path));
  if (slices.state !== "seen") return slices;
  const endpoints = slices.value.flatMap((slice) => slice.endpoints ?? []);
  return {
    state: "seen",
    value: endpoints.filter(({ conditions }) => conditions?.ready !== false).length,
  };
}

/**
 * Returns the configuration file of a manager: a flag contains the file name, and a ConfigMap volume of the Deployment
 * contains the file under that name.
 */
async function configOf(
  api: ApiReader,
  managers: Seen<readonly Deployment[]>,
  flag: string,
): Promise<Seen<string>> {
  if (managers.state === "forbidden") return managers;
  const [deployment] = seenOf(managers);
  const file = deployment && fileOf(deployment, flag);
  if (deployment === undefined || file === undefined) return { state: "absent" };
  const names = (deployment.spec.template.spec.volumes ?? []).flatMap(({ configMap }) =>
    configMap?.name === undefined ? [] : [configMap.name],
  );
  const found = await Promise.all(
    names.map((name) =>
      api.get<{ data?: Record<string, string> }>(
        objectPath(kinds.ConfigMap, { namespace: deployment.metadata.namespace, name }),
      ),
    ),
  );
  const texts = found.flatMap((seen) => (seen.state === "seen" ? [seen.value.data?.[file]] : []));
  const text = texts.find((each) => each !== undefined);
  if (text !== undefined) return { state: "seen", value: text };
  const refused = found.find((seen) => seen.state === "forbidden");
  return refused?.state === "forbidden" ? refused : { state: "absent" };
}

/** The base name of the file behind `--flag=/path/file`. */
function fileOf({ spec }: Deployment, flag: string): string | undefined {
  const words = spec.template.spec.containers.flatMap(({ command = [], args = [] }) => [
    ...command,
    ...args,
  ]);
  const path = words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  return path?.split("/").at(-1);
}

async function reviewPermissions(api: ApiReader, namespace: string) {
  const groups = new Map(createdResources.map(({ plural, group }) => [plural as string, group]));
  return byKey([...groups.keys()], async (resource): Promise<Seen<boolean>> => {
    const review = await api.review<{ status?: { allowed?: boolean } }>(
      collectionPath(unplanned.SelfSubjectAccessReview),
      {
        apiVersion: unplanned.SelfSubjectAccessReview.apiVersion,
        kind: "SelfSubjectAccessReview",
        spec: {
          resourceAttributes: { namespace, verb: "create", group: groups.get(resource), resource },
        },
      },
    );
    return review.state === "seen"
      ? { state: "seen", value: review.value.status?.allowed ?? false }
      : review;
  });
}
