import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { endpointPickerPorts } from "../../sdk/plan/picker-ports.ts";
import { multiClusterControllerName as controller } from "../../sdk/topology/names.ts";
import { apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { Misuse } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";

const page = "/debug/clusters";

/** What the controller of a set tells, asked by way of the API server of the cluster that it runs in. */
export async function askByHub(options: ClusterOptions): Promise<ClustersPage> {
  const config = loadKubeconfig(options);
  const namespace = namespaceOf(config, options);
  const service = `${controller}:${endpointPickerPorts.metrics}`;
  const path = `/api/v1/namespaces/${namespace}/services/${service}/proxy${page}`;
  const where = `Service ${namespace}/${controller}`;
  const seen = await apiReader(config).get<ClustersPage>(path);
  if (seen.state === "absent")
    throw new Misuse(
      `${where} does not exist: name the hub with --context, and the namespace of the ClusterSet with -n`,
    );
  if (seen.state === "hidden")
    throw new Misuse(`${where}: ${seen.why}; allow get on services/proxy, or give --url`);
  return checked(seen.value, where);
}

/** What it tells at the address of its metrics port. */
export async function askByUrl(url: string): Promise<ClustersPage> {
  if (!URL.canParse(page, url))
    throw new Misuse(`--url: ${url} is no URL; give one such as http://127.0.0.1:9090`);
  const address = new URL(page, url);
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`answers ${response.status}`);
    return checked(await response.json(), `${address}`);
  } catch (error) {
    if (error instanceof Misuse) throw error;
    const { message, cause } = error as Error;
    throw new Misuse(`${address}: ${cause instanceof Error ? cause.message : message}`);
  }
}

function checked(value: unknown, where: string): ClustersPage {
  const { controllerName, members } = (value ?? {}) as Partial<ClustersPage>;
  if (controllerName === undefined || !Array.isArray(members))
    throw new Misuse(`${where}: is no multi-cluster controller, or one of another version`);
  return value as ClustersPage;
}
