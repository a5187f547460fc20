import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import {
  multiClusterControllerName as controller,
  pageAudience,
  pageTokenHeader,
} from "../../sdk/names.ts";
import { runtimePorts } from "../../sdk/topology/runtime-ports.ts";
import { type ApiReader, apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { UsageError } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";

const page = "/debug/clusters";

/** Environment variable of the token for `--url`, which the process list does not show. */
export const tokenVariable = "PULUMI_INFERENCE_TOKEN";

/** Reads the page of a cluster set's controller, through the API server of the cluster in which it runs. */
export async function askByHub(options: ClusterOptions): Promise<ClustersPage> {
  const config = loadKubeconfig(options);
  const namespace = namespaceOf(config, options);
  const service = `${controller}:${runtimePorts.metrics}`;
  const path = `${objectPath(kinds.Service, { namespace, name: service })}/proxy${page}`;
  const where = `Service ${namespace}/${controller}`;
  const api = apiReader(config);
  const seen = await api.get<ClustersPage>(path, await pageHeaders(api, namespace));
  if (seen.state === "absent")
    throw new UsageError(
      `${where} does not exist: name the hub with --context, and the namespace of the ClusterSet with -n`,
    );
  if (seen.state === "forbidden")
    throw new UsageError(
      `${where}: ${seen.why}; allow get on services/proxy and create on serviceaccounts/token, or give --url`,
    );
  return checked(seen.value, where);
}

/**
 * Returns headers with a token for the ServiceAccount of the controller, which is valid only for its pages and for ten
 * minutes. Empty if the API server grants none: the controller may require none, and otherwise its refusal is printed.
 */
async function pageHeaders(api: ApiReader, namespace: string): Promise<Record<string, string>> {
  const made = await api.review<{ status?: { token?: string } }>(
    `${objectPath(kinds.ServiceAccount, { namespace, name: controller })}/token`,
    {
      apiVersion: `${groups.authentication}/v1`,
      kind: "TokenRequest",
      spec: { audiences: [pageAudience], expirationSeconds: 600 },
    },
  );
  const token = made.state === "seen" ? made.value.status?.token : undefined;
  return token === undefined ? {} : { [pageTokenHeader]: `Bearer ${token}` };
}

/**
 * Reads the page of a controller at the address of its metrics port.
 *
 * @param token of an account that may read the page; undefined if the controller requires none
 */
export async function askByUrl(url: string, token: string | undefined): Promise<ClustersPage> {
  if (!URL.canParse(page, url))
    throw new UsageError(`--url: ${url} is not a URL; give one such as http://127.0.0.1:9090`);
  const address = new URL(page, url);
  try {
    const response = await fetch(address, {
      redirect: "error",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (response.status === 401 || response.status === 403) throw new UsageError(tokenWanted(url));
    if (!response.ok) throw new Error(`answers ${response.status}`);
    return checked(await response.json(), `${address}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message, cause } = error as Error;
    throw new UsageError(`${address}: ${cause instanceof Error ? cause.message : message}`);
  }
}

const tokenWanted = (url: string) =>
  `--url: ${url} requires a token; set ${tokenVariable} to the output of: kubectl create token ${controller} --audience ${pageAudience}`;

function checked(value: unknown, where: string): ClustersPage {
  const { controllerName, members } = (value ?? {}) as Partial<ClustersPage>;
  if (controllerName === undefined || !Array.isArray(members))
    throw new UsageError(
      `${where}: the response is not from a multi-cluster controller of this version`,
    );
  return value as ClustersPage;
}
