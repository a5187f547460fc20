import { isIP } from "node:net";
import { stringify } from "yaml";
import { dnsSubdomain } from "../../../kubernetes/values/dns-label.ts";
import { type Reach, reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { RemoteAddress, RemoteCluster } from "../imports/remote-cluster.ts";

/**
 * A file of clusters for pickers that choose among clusters by one (llm-d-router, plugin
 * `multicluster-file-discovery`).
 */
export interface ClustersFile {
  readonly text: string;
  /** Which clusters it leaves out, and why, a sentence each. */
  readonly problems: readonly string[];
}

/** One of the file's endpoints. Its reader takes texts only, the port too. */
interface ClusterEndpoint {
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly port: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Bytes of the largest file that is read. */
const maxBytes = 2 ** 20;

/**
 * The file of an import: a gateway each. It is read as an address that requests are sent to, so that clusters without
 * gateways have no place in it, and neither have those that say of themselves that they are not ready.
 *
 * @param namespace of the import
 * @throws Error where the file would be too long for its reader
 */
export function clustersFile(namespace: string, clusters: readonly RemoteCluster[]): ClustersFile {
  const problems: string[] = [];
  const endpoints: ClusterEndpoint[] = [];
  for (const cluster of [...clusters].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (cluster.ready === "False") continue;
    const reach = reachOf({ networks: cluster.networks, loopback: false });
    const isReached = (host: string) => isIP(host) === 0 || reach(host) === undefined;
    const parents = cluster.parents.filter(({ host }) => isReadable(host) && isReached(host));
    if (parents.length === 0) problems.push(reasonWithout(cluster, reach));
    for (const [at, parent] of parents.entries())
      endpoints.push(endpointOf(cluster, namespace, parent, at));
  }
  // Quoted, since readers of older YAML take a cluster `on` for true.
  const text = stringify(
    { endpoints },
    { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" },
  );
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw new Error(`${endpoints.length} gateways are ${bytes} bytes; readers accept ${maxBytes}`);
  return { text, problems };
}

const endpointOf = (
  { name, picker }: RemoteCluster,
  namespace: string,
  { host, port }: RemoteAddress,
  at: number,
): ClusterEndpoint => ({
  name: at === 0 ? name : `${name}-${at + 1}`,
  namespace,
  address: host,
  port: String(port),
  labels: { cluster: name, ...metricsLabels(picker) },
});

/** Labels by which the load of the pool is read at the picker, not at the gateway. */
function metricsLabels(picker: RemoteCluster["picker"]): Record<string, string> {
  const host = picker?.addresses[0]?.host;
  if (host === undefined || picker?.metricsPort === undefined) return {};
  return { metricsAddress: host, metricsPort: String(picker.metricsPort) };
}

/** An IP address or a name of DNS, lower-case. */
const isReadable = (host: string): boolean =>
  isIP(host) !== 0 || (host.length <= 253 && dnsSubdomain.test(host));

function reasonWithout({ name, mode, parents }: RemoteCluster, reach: Reach): string {
  if (parents.length === 0)
    return `cluster ${name} (${mode}) is omitted: it has no gateway; export the pool there in ParentMode`;
  const reasons = parents.map(({ host }) =>
    isIP(host) === 0 ? `${host} is neither an IP address nor a DNS name` : `${host} ${reach(host)}`,
  );
  return `cluster ${name} is omitted: ${reasons.join("; ")}`;
}
