import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { ApiClient } from "../api/api-client.ts";
import { controlLoop, forEach } from "./control-loop.ts";
import { informer } from "./informer.ts";
import { lostPods } from "./lost-pods.ts";
import { groupChanges, groupsOf } from "./lws-groups.ts";
import { lwsLabel, subdomainOf } from "./lws-pods.ts";
import { refusalsOf } from "./lws-refusals.ts";
import { lwsStatus } from "./lws-status.ts";
import {
  isDeleting,
  type KubeObject,
  keyOf,
  type LeaderWorkerSet,
  ownerReference,
  type Pod,
} from "./objects.ts";
import type { StandIn, StandInOptions } from "./stand-in.ts";

/**
 * STAND-IN for the LeaderWorkerSet controller and its webhooks. Pods, headless Services, group recreation,
 * rolling updates one group at a time and status are as upstream; there are no StatefulSets and no
 * ControllerRevisions between a LeaderWorkerSet and its pods, and what is not played is refused.
 */
export async function startLwsController(
  client: ApiClient,
  { namespace, onError }: StandInOptions,
): Promise<StandIn> {
  const abort = new AbortController();
  const refused = new Map<string, string>();
  const bereftOf = lostPods();
  const loop = controlLoop(async () => {
    const podsOf = podsBySet(pods.list());
    const bereft = bereftOf(pods.list());
    const present = new Set(services.list().map(keyOf));
    await forEach(
      sets.list().filter((lws) => !isDeleting(lws)),
      async (lws) => {
        const refusals = refusalsOf(lws);
        if (refusals.length > 0) return refuse(client, lws, refusals, refused, onError);
        const own = podsOf.get(keyOf(lws)) ?? [];
        await createServices(client, lws, own, present);
        await reconcile(client, lws, own, bereft);
      },
    );
  }, onError);
  const watching = { onChange: () => loop.trigger(), signal: abort.signal };
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const sets = informer<LeaderWorkerSet>(
    client,
    `/apis/leaderworkerset.x-k8s.io/v1${scope}/leaderworkersets`,
    watching,
  );
  const pods = informer<Pod>(client, `/api/v1${scope}/pods`, watching);
  const services = informer<KubeObject>(client, `/api/v1${scope}/services`, watching);
  await Promise.all([sets.synced, pods.synced, services.synced]);
  return {
    async stop() {
      abort.abort();
      await loop.stop();
    },
  };
}

/** Pods by the key of the LeaderWorkerSet that they belong to. */
function podsBySet(pods: readonly Pod[]): Map<string, Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = pod.metadata.labels?.[lwsLabel.name];
    if (name === undefined) continue;
    const key = keyOf({ metadata: { ...pod.metadata, name } });
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pod]);
    else group.push(pod);
  }
  return groups;
}

async function reconcile(
  client: ApiClient,
  lws: LeaderWorkerSet,
  pods: readonly Pod[],
  bereft: ReadonlySet<string>,
): Promise<void> {
  const { create, remove } = groupChanges(lws, pods, bereft);
  await forEach(remove, (leader) => deleteLeader(client, leader));
  // In order, since a scheduler may go by the time of creation.
  for (const pod of create) await createIfAbsent(client, podsPath(lws), pod);
  await writeStatus(client, lws, pods);
}

const podsPath = ({ metadata }: KubeObject) => `/api/v1/namespaces/${metadata.namespace}/pods`;

async function createIfAbsent(client: ApiClient, path: string, object: object): Promise<void> {
  try {
    await client.request("POST", path, object);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
  }
}

async function deleteLeader(client: ApiClient, leader: Pod): Promise<void> {
  await client.request("DELETE", `${podsPath(leader)}/${leader.metadata.name}`, {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Foreground",
    preconditions: { uid: leader.metadata.uid },
  });
}

/** One Service for all groups, or one for each leader. A Service of that name that is there already stays. */
async function createServices(
  client: ApiClient,
  lws: LeaderWorkerSet,
  pods: readonly Pod[],
  present: ReadonlySet<string>,
): Promise<void> {
  const { name, namespace } = lws.metadata;
  const isPerReplica = lws.spec.networkConfig?.subdomainPolicy === "UniquePerReplica";
  const services = isPerReplica
    ? groupsOf(lws, pods).flatMap(({ index, leader }) =>
        leader === undefined || isDeleting(leader)
          ? []
          : [
              headlessService(subdomainOf(lws, index), leader, {
                [lwsLabel.groupIndex]: String(index),
              }),
            ],
      )
    : [headlessService(name, lws)];
  for (const service of services.filter((service) => !present.has(keyOf(service)))) {
    await createIfAbsent(client, `/api/v1/namespaces/${namespace}/services`, service);
  }

  function headlessService(serviceName: string, owner: KubeObject, selector = {}) {
    return {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: serviceName,
        ...(namespace !== undefined && { namespace }),
        ownerReferences: [ownerReference(owner)],
      },
      spec: {
        clusterIP: "None",
        publishNotReadyAddresses: true,
        selector: { [lwsLabel.name]: name, ...selector },
      },
    };
  }
}

async function writeStatus(
  client: ApiClient,
  lws: LeaderWorkerSet,
  pods: readonly Pod[],
): Promise<void> {
  const status = lwsStatus(lws, pods, new Date().toISOString().replace(/\.\d+Z$/, "Z"));
  if (isDeepStrictEqual(status, lws.status)) return;
  const { name, namespace, uid } = lws.metadata;
  await client.request(
    "PATCH",
    `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${namespace}/leaderworkersets/${name}/status`,
    { metadata: { uid }, status },
    mergePatchType,
  );
}

/** Says once for each generation why nothing is made, as an event and to `onError`. */
async function refuse(
  client: ApiClient,
  lws: LeaderWorkerSet,
  refusals: readonly string[],
  refused: Map<string, string>,
  onError: (error: unknown) => void,
): Promise<void> {
  const message = refusals.join("; ");
  if (refused.get(lws.metadata.uid) === message) return;
  refused.set(lws.metadata.uid, message);
  onError(new Error(`LeaderWorkerSet ${keyOf(lws)}: ${message}`));
  const { name, namespace, uid } = lws.metadata;
  await client.request("POST", `/api/v1/namespaces/${namespace}/events`, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: lws.apiVersion, kind: lws.kind, name, namespace, uid },
    type: "Warning",
    reason: "Refused",
    message: message.slice(0, 1024),
    source: { component: "lws-stand-in" },
  });
}
