import { ApiError, unlessAbsent } from "../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { label } from "../../sdk/names.ts";
import { type ResponsesPage, responsesPage } from "../../sdk/rollout/endpoint-responses.ts";
import { observePod, observeReplicaSet, observeWorkload } from "../../sdk/status/observed.ts";
import { ownPods } from "../../sdk/status/own-pods.ts";
import { runtimePorts } from "../../sdk/topology/runtime-ports.ts";
import type { PickerPages } from "./gate-watch.ts";

/**
 * Reads the page `/responses` of every ready pod of a picker through the API server. Only pods that the picker's
 * Deployment created are read: the author of another pod can copy their labels.
 *
 * @throws Error if the API server cannot be read or forbids it, or if the picker is of a version without the page
 */
export async function readResponses(
  client: KubernetesClient,
  namespace: string,
  picker: string,
): Promise<PickerPages> {
  const list = async (kind: KindAddress, query = {}) =>
    (await client.request<{ items: unknown[] }>("GET", collectionPath(kind, namespace), { query }))
      .items;
  const [pods, sets, deployment] = await Promise.all([
    list(unplanned.Pod, { labelSelector: `${label.app}=${picker}` }),
    list(unplanned.ReplicaSet),
    unlessAbsent(client.request("GET", objectPath(kinds.Deployment, { namespace, name: picker }))),
  ]);
  const replicaSets = new Map(sets.map(observeReplicaSet).map((set) => [set?.name, set]));
  const own = ownPods(
    pods.map((pod) => observePod(pod)),
    deployment === undefined ? undefined : observeWorkload(deployment),
    (name) => replicaSets.get(name),
  );
  const pages = new Map<string, ResponsesPage>();
  const unread = own.length === 0 ? [`no pod of the picker ${namespace}/${picker} is ready`] : [];
  for (const { name } of own) {
    const page = await readPage(client, namespace, name);
    if (typeof page === "string") unread.push(`${name}: ${page}`);
    else pages.set(name, page);
  }
  return { pages, unread };
}

/** Returns the page, or why it cannot be read now. */
async function readPage(client: KubernetesClient, namespace: string, name: string) {
  const pod = `${name}:${runtimePorts.metrics}`;
  const path = `${objectPath(unplanned.Pod, { namespace, name: pod })}/proxy/responses`;
  try {
    const { data, error } = responsesPage.safeParse(
      await client.request("GET", path, { timeoutMs: 5_000 }),
    );
    if (error === undefined) return data;
    const [{ path: at, message } = { path: [], message: "" }] = error.issues;
    return `its page is not valid: ${[...at, message].join(".")}`;
  } catch (error) {
    const fix = error instanceof ApiError ? fixOf(error) : undefined;
    if (fix === undefined) return messageOf(error);
    throw new Error(
      `the gate cannot read /responses of picker pod ${namespace}/${name}: ${messageOf(error)}; ${fix}`,
    );
  }
}

/** Returns the next step after a refusal that another try does not change. */
function fixOf({ status, isStatus }: ApiError): string | undefined {
  if (status === 401 || status === 403) return "allow get on pods/proxy in this namespace";
  // The API server sends it for a pod that is gone, and a picker for a page that the picker does not have.
  if (status === 404 && !isStatus)
    return "deploy a picker of this version first, or remove rollout.gate";
  return undefined;
}
