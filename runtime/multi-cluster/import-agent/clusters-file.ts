import { isIP } from "node:net";
import { stringify } from "yaml";
import { dnsSubdomain } from "../../../kubernetes/values/dns-label.ts";
import { type Reach, reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { RemoteAddress, RemoteCluster } from "../imports/remote-cluster.ts";

/**
 * A file of clusters for pickers that select a cluster from it (llm-d-router, plugin `multicluster-file-discovery`).
 */
export interface ClustersFile {
  readonly text: string;
  /** Reasons for omitted clusters, one sentence each. */
  readonly problems: readonly string[];
}

/** An endpoint in the file. Its reader accepts only strings, also for the port. */
interface ClusterEndpoint {
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly port: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Maximum file size that the reader accepts, in bytes. */
const maxBytes = 2 ** 20;

/**
 * Builds the file of an import, with one entry per gateway. The reader sends requests to these addresses, so clusters
 * without gateways and clusters that are not ready are omitted.
 *
 * @param namespace namespace of the import
 * @throws Error if the file would be too large for its reader
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
  // Quoted, because YAML 1.1 readers parse a cluster named `on` as true.
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

/** Labels with which the reader gets the pool's load from the picker instead of the gateway. */
function metricsLabels(picker: RemoteCluster["picker"]): Record<string, string> {
  const host = picker?.addresses[0]?.host;
  if (host === undefined || picker?.metricsPort === undefined) return {};
  return { metricsAddress: host, metricsPort: String(picker.metricsPort) };
}

/** Whether the host is an IP address or a lower-case DNS name. */
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
