import { ApiError } from "../../kubernetes/api/api-error.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import type { ApiClient } from "../api/api-client.ts";
import { controlLoop, forEach } from "./control-loop.ts";
import { type Informer, informer } from "./informer.ts";
import { isDeleting, type KubeObject, type OwnerReference } from "./objects.ts";
import { objectPath, type ResourceKind, resourceKinds } from "./resource-kinds.ts";
import type { StandIn, StandInOptions } from "./stand-in.ts";

/**
 * STAND-IN for the garbage collector and the namespace controller of kube-controller-manager: finishes foreground and
 * orphan deletions, deletes objects whose owners are gone, and empties deleted namespaces. It knows every kind that the
 * API server serves, including kinds of CRDs that are installed later.
 */
export async function startGarbageCollector(
  client: ApiClient,
  { onError }: Pick<StandInOptions, "onError">,
): Promise<StandIn> {
  const abort = new AbortController();
  const kinds = new Map<string, Tracked>();
  const loop = controlLoop(() => collect(client, tracked(kinds)), onError);
  const watching = { onChange: () => loop.trigger(), signal: abort.signal };

  const discovery = controlLoop(async () => {
    for (const kind of await resourceKinds(client)) {
      const path = collectionPath(kind);
      if (!kinds.has(path)) kinds.set(path, { kind, objects: informer(client, path, watching) });
    }
    loop.trigger();
  }, onError);
  const crds = informer<KubeObject>(client, crdPath, {
    onChange: () => discovery.trigger(),
    signal: abort.signal,
  });

  await crds.synced;
  return {
    async stop() {
      abort.abort();
      await Promise.all([discovery.stop(), loop.stop()]);
    },
  };
}

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Tracked {
  kind: ResourceKind;
  objects: Informer<KubeObject>;
}

interface Node {
  object: KubeObject;
  path: string;
}

/** Snapshot of the objects. */
interface Graph {
  nodes: Node[];
  byUid: Map<string, Node>;
  dependents: Map<string, Node[]>;
  kindOf(reference: OwnerReference): ResourceKind | undefined;
}

function tracked(kinds: ReadonlyMap<string, Tracked>): Graph {
  const nodes = [...kinds.values()].flatMap(({ kind, objects }) =>
    objects.list().map((object) => ({ object, path: objectPath(kind, object.metadata) })),
  );
  const dependents = new Map<string, Node[]>();
  for (const node of nodes) {
    for (const { uid } of node.object.metadata.ownerReferences ?? []) {
      const others = dependents.get(uid);
      if (others === undefined) dependents.set(uid, [node]);
      else others.push(node);
    }
  }
  return {
    nodes,
    byUid: new Map(nodes.map((node) => [node.object.metadata.uid, node])),
    dependents,
    kindOf: ({ apiVersion, kind }) =>
      [...kinds.values()].find((k) => k.kind.apiVersion === apiVersion && k.kind.kind === kind)
        ?.kind,
  };
}

async function collect(client: ApiClient, graph: Graph): Promise<void> {
  await forEach(graph.nodes, async (node) => {
    if (!isDeleting(node.object)) await deleteIfAbandoned(client, graph, node);
    else if (has(node, "foregroundDeletion")) await finishForeground(client, graph, node);
    else if (has(node, "orphan")) await finishOrphan(client, graph, node);
    else if (node.object.kind === "Namespace") await emptyNamespace(client, graph, node);
  });
}

const has = ({ object }: Node, finalizer: string) =>
  object.metadata.finalizers?.includes(finalizer) ?? false;

/** Dependents first; the object goes when no dependent is left that would be in the way. */
async function finishForeground(client: ApiClient, graph: Graph, node: Node): Promise<void> {
  const { uid } = node.object.metadata;
  const dependents = graph.dependents.get(uid) ?? [];
  const blocking = dependents.filter(({ object }) =>
    object.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
  );
  if (blocking.length === 0) await removeFinalizer(client, node, "foregroundDeletion");
  await forEach(
    dependents.filter(({ object }) => !isDeleting(object)),
    (dependent) => remove(client, dependent, "Foreground"),
  );
}

async function finishOrphan(client: ApiClient, graph: Graph, node: Node): Promise<void> {
  const { uid } = node.object.metadata;
  await forEach(graph.dependents.get(uid) ?? [], async ({ object, path }) => {
    const ownerReferences = object.metadata.ownerReferences?.filter((owner) => owner.uid !== uid);
    await patchMetadata(client, { object, path }, { ownerReferences });
  });
  await removeFinalizer(client, node, "orphan");
}

/** Deletes an object all of whose owners are gone. The API server is asked: caches arrive in any order. */
async function deleteIfAbandoned(client: ApiClient, graph: Graph, node: Node): Promise<void> {
  const owners = node.object.metadata.ownerReferences ?? [];
  if (owners.length === 0 || owners.some(({ uid }) => graph.byUid.has(uid))) return;
  const { namespace } = node.object.metadata;
  const absent = await Promise.all(
    owners.map((owner) => isAbsent(client, graph, owner, namespace)),
  );
  if (absent.every(Boolean)) await remove(client, node, "Background");
}

async function isAbsent(
  client: ApiClient,
  graph: Graph,
  owner: OwnerReference,
  namespace: string | undefined,
): Promise<boolean> {
  const kind = graph.kindOf(owner);
  if (kind === undefined) return false;
  const scope = namespace === undefined ? {} : { namespace };
  try {
    const path = objectPath(kind, { name: owner.name, ...scope });
    const live = await client.request<KubeObject>("GET", path);
    return live.metadata.uid !== owner.uid;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return true;
    throw error;
  }
}

async function emptyNamespace(client: ApiClient, graph: Graph, node: Node): Promise<void> {
  const { name } = node.object.metadata;
  const content = graph.nodes.filter(({ object }) => object.metadata.namespace === name);
  await forEach(
    content.filter(({ object }) => !isDeleting(object)),
    (inside) => remove(client, inside, "Background"),
  );
  if (content.length > 0) return;
  await client.request("PUT", `${node.path}/finalize`, {
    ...node.object,
    spec: { finalizers: [] },
  });
}

async function remove(
  client: ApiClient,
  { object, path }: Node,
  propagationPolicy: "Foreground" | "Background",
): Promise<void> {
  const preconditions = { uid: object.metadata.uid };
  await client.request("DELETE", path, {
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions,
    propagationPolicy,
  });
}

async function removeFinalizer(client: ApiClient, node: Node, finalizer: string): Promise<void> {
  const finalizers = node.object.metadata.finalizers?.filter((other) => other !== finalizer);
  await patchMetadata(client, node, { finalizers });
}

/** Refused with a conflict when the object has changed since it was seen. */
async function patchMetadata(
  client: ApiClient,
  { object, path }: Node,
  change: object,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  await client.request(
    "PATCH",
    path,
    { metadata: { uid, resourceVersion, ...change } },
    mergePatchType,
  );
}
