import { ApiError } from "../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import type { EndpointResponses, ResponsesPage } from "../../sdk/rollout/endpoint-responses.ts";
import { label } from "../../sdk/topology/names.ts";
import { runtimePorts } from "../../sdk/topology/runtime-ports.ts";
import type { ResponsesByPicker } from "./gate-watch.ts";

/**
 * Reads the page `/responses` of every ready pod of a picker through the API server. A pod that does not answer is left
 * out: it may be terminating.
 *
 * @throws Error if the API server forbids it, or if the picker is of a version without the page
 */
export async function readResponses(
  client: KubernetesClient,
  namespace: string,
  picker: string,
): Promise<ResponsesByPicker> {
  const query = { labelSelector: `${label.app}=${picker}` };
  const path = collectionPath(unplanned.Pod, namespace);
  const { items } = await client.request<{ items: Pod[] }>("GET", path, { query });
  const pages = new Map<string, readonly EndpointResponses[]>();
  for (const { metadata } of items.filter(isReady)) {
    const page = await readPage(client, namespace, metadata.name);
    if (page !== undefined) pages.set(metadata.name, page.endpoints);
  }
  return pages;
}

async function readPage(client: KubernetesClient, namespace: string, name: string) {
  const pod = `${name}:${runtimePorts.metrics}`;
  const path = `${objectPath(unplanned.Pod, { namespace, name: pod })}/proxy/responses`;
  try {
    return await client.request<ResponsesPage>("GET", path, { timeoutMs: 5_000 });
  } catch (error) {
    const fix = error instanceof ApiError ? fixOf(error) : undefined;
    if (fix === undefined) return undefined;
    throw new Error(
      `the gate cannot read /responses of picker pod ${namespace}/${name}: ${messageOf(error)}; ${fix}`,
    );
  }
}

/** Returns the next step after a refusal that another try does not change. */
function fixOf({ status, isStatus }: ApiError): string | undefined {
  if (status === 401 || status === 403) return "allow get on pods/proxy in this namespace";
  // The API server answers for a pod that is gone, and a picker for a page that it has not.
  if (status === 404 && !isStatus)
    return "deploy a picker of this version first, or remove rollout.gate";
  return undefined;
}

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((each) => each.type === "Ready" && each.status === "True");
