import type { ApiReader } from "./api-reader.ts";
import { neededCrds } from "./check-crds.ts";
import { ownCrdNames } from "./check-own-crds.ts";
import { createdResources } from "./check-permissions.ts";
import { volcanoLabels } from "./check-volcano.ts";
import {
  type Claim,
  type ClusterObject,
  type ClusterObservation,
  type Crd,
  type Deployment,
  type GatewayClass,
  type LeaderWorkerSet,
  leaderWorkerSetGroup,
  type Node,
  type Pod,
  type Queue,
  type Seen,
  type StorageClass,
  volcanoGroup,
  type Webhook,
  type WebhookConfiguration,
  webhooksFor,
} from "./observation.ts";

/** Reads all that the checks look at, in parallel. */
export async function observe(api: ApiReader, namespace: string): Promise<ClusterObservation> {
  const more = observeMore(api, namespace);
  const [crds, schedulers, controllers, kthena, queue, mutating, validating, workloads, mayCreate] =
    await Promise.all([
      byKey(
        neededCrds.map(({ name }) => name),
        (name) => api.get<Crd>(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`),
      ),
      deployments(api, volcanoLabels.scheduler),
      deployments(api, volcanoLabels.controllers),
      deployments(api, "app.kubernetes.io/component=kthena-controller-manager"),
      api.get<Queue>(`/apis/${volcanoGroup}/v1beta1/queues/default`),
      items(api.get<List<WebhookConfiguration>>(`${admission}/mutatingwebhookconfigurations`)),
      items(api.get<List<WebhookConfiguration>>(`${admission}/validatingwebhookconfigurations`)),
      items(
        api.get<List<LeaderWorkerSet>>(
          `/apis/${leaderWorkerSetGroup}/v1/namespaces/${namespace}/leaderworkersets`,
        ),
      ),
      reviewPermissions(api, namespace),
    ]);
  const needed = servedWebhooks(mutating, validating);
  const lwsNamespace =
    webhooksFor(seenOr(mutating, []), leaderWorkerSetGroup, "leaderworkersets")[0]?.clientConfig
      .service?.namespace ?? "lws-system";
  const [lws, readyEndpoints, volcanoConfig] = await Promise.all([
    deployments(api, "control-plane=controller-manager", lwsNamespace),
    byKey(servicesOf(needed), (place) => countReady(api, place)),
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
    mayCreate,
    ...(await more),
  };
}

/** What services need beside the controllers: kinds of this project, gateways, accelerators, images and volumes. */
async function observeMore(api: ApiReader, namespace: string) {
  const list = <T>(path: string) => items(api.get<List<T>>(path));
  const own = `/api/v1/namespaces/${namespace}`;
  const doors = observeDoors(api, namespace);
  const [ownCrds, gatewayClasses, nodes, pods, claims, storageClasses] = await Promise.all([
    byKey(ownCrdNames, (name) =>
      api.get<Crd>(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`),
    ),
    list<GatewayClass>("/apis/gateway.networking.k8s.io/v1/gatewayclasses"),
    list<Node>("/api/v1/nodes"),
    list<Pod>(`${own}/pods`),
    list<Claim>(`${own}/persistentvolumeclaims`),
    list<StorageClass>("/apis/storage.k8s.io/v1/storageclasses"),
  ]);
  return { ownCrds, gatewayClasses, nodes, pods, claims, storageClasses, doors: await doors };
}

async function observeDoors(
  api: ApiReader,
  namespace: string,
): Promise<ClusterObservation["doors"]> {
  /** Items of a list do not say of which kind they are. */
  const list = async (apiVersion: string, kind: string, plural: string) => {
    const root = apiVersion.includes("/") ? "/apis" : "/api";
    const path = `${root}/${apiVersion}/namespaces/${namespace}/${plural}`;
    const seen = await items(api.get<List<Pick<ClusterObject, "metadata">>>(path));
    return seen.state === "seen"
      ? { ...seen, value: seen.value.map((item) => ({ ...item, apiVersion, kind })) }
      : seen;
  };
  const [services, pools, deployments, serverPools] = await Promise.all([
    list("v1", "Service", "services"),
    list("inference.networking.k8s.io/v1", "InferencePool", "inferencepools"),
    list("apps/v1", "Deployment", "deployments"),
    list("inference.x-k8s.io/v1alpha1", "LLMServerPool", "llmserverpools"),
  ]);
  return { services, pools, deployments, serverPools };
}

const admission = "/apis/admissionregistration.k8s.io/v1";

interface List<T> {
  items: T[];
}

async function items<T>(list: Promise<Seen<List<T>>>): Promise<Seen<T[]>> {
  const seen = await list;
  return seen.state === "seen" ? { state: "seen", value: seen.value.items } : seen;
}

const seenOr = <T>(seen: Seen<T>, otherwise: T): T =>
  seen.state === "seen" ? seen.value : otherwise;

async function byKey<T>(keys: readonly string[], read: (key: string) => Promise<T>) {
  const entries = await Promise.all(keys.map(async (key) => [key, await read(key)] as const));
  return Object.fromEntries(entries);
}

function deployments(api: ApiReader, label: string, namespace?: string) {
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const selector = encodeURIComponent(label);
  return items(
    api.get<List<Deployment>>(`/apis/apps/v1${place}/deployments?labelSelector=${selector}`),
  );
}

function servedWebhooks(
  mutating: ClusterObservation["mutatingWebhooks"],
  validating: ClusterObservation["validatingWebhooks"],
): Webhook[] {
  const all = [...seenOr(mutating, []), ...seenOr(validating, [])];
  return [
    ...webhooksFor(all, leaderWorkerSetGroup, "leaderworkersets"),
    ...webhooksFor(all, volcanoGroup, "podgroups"),
  ];
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

/** Ready endpoints of a Service; an endpoint that does not say is ready, as the API has it. */
async function countReady(api: ApiReader, place: string): Promise<Seen<number>> {
  const [namespace, name] = place.split("/");
  const selector = encodeURIComponent(`kubernetes.io/service-name=${name}`);
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=${selector}`;
  const slices = await items(api.get<List<EndpointSlice>>(path));
  if (slices.state !== "seen") return slices;
  const endpoints = slices.value.flatMap((slice) => slice.endpoints ?? []);
  return {
    state: "seen",
    value: endpoints.filter(({ conditions }) => conditions?.ready !== false).length,
  };
}

/**
 * The configuration file of a manager: the flag names the file, a ConfigMap volume of the Deployment holds it
 * under the file's name.
 */
async function configOf(
  api: ApiReader,
  managers: Seen<readonly Deployment[]>,
  flag: string,
): Promise<Seen<string>> {
  if (managers.state === "hidden") return managers;
  const [deployment] = seenOr(managers, []);
  const file = deployment && fileOf(deployment, flag);
  if (deployment === undefined || file === undefined) return { state: "absent" };
  const names = (deployment.spec.template.spec.volumes ?? []).flatMap(({ configMap }) =>
    configMap?.name === undefined ? [] : [configMap.name],
  );
  const found = await Promise.all(
    names.map((name) =>
      api.get<{ data?: Record<string, string> }>(
        `/api/v1/namespaces/${deployment.metadata.namespace}/configmaps/${name}`,
      ),
    ),
  );
  const texts = found.flatMap((seen) => (seen.state === "seen" ? [seen.value.data?.[file]] : []));
  const text = texts.find((each) => each !== undefined);
  if (text !== undefined) return { state: "seen", value: text };
  const refused = found.find((seen) => seen.state === "hidden");
  return refused?.state === "hidden" ? refused : { state: "absent" };
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
  const groups = new Map(
    createdResources.map(({ resource, group }) => [resource as string, group]),
  );
  return byKey([...groups.keys()], async (resource): Promise<Seen<boolean>> => {
    const review = await api.review<{ status?: { allowed?: boolean } }>(
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
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
