import { isIP } from "node:net";
import { dnsLabel } from "../../../kubernetes/values/dns-label.ts";
import { importSupportOf } from "../../../sdk/gateways/index.ts";
import type { ImportedPoolSpec } from "../../../sdk/spec/imported-pool.ts";
import type { RemoteCluster } from "../imports/remote-cluster.ts";

/** An imported pool with the gateways of an import. */
export interface RoutedPool {
  readonly spec: ImportedPoolSpec;
  /** Reasons for omitted gateways and clusters, one sentence each. */
  readonly problems: readonly string[];
}

type Parents = NonNullable<ImportedPoolSpec["parents"]>;

/** Largest weight of a backend (Gateway API). */
const mostWeight = 1_000_000;
/** Maximum length of a cluster's name, which is part of object names. */
const longestName = 40;

/**
 * Returns the imported pool with one parent per gateway of the import. Each parent that gets requests has the import's
 * weight. The local pool's weight is multiplied by their number, so that the configured shares stay the same.
 *
 * @param usable names of the clusters that get requests. If no cluster gets requests, the local pool gets all requests;
 *   without a local share, clusters that are Ready in the import get them
 */
export function withParents(
  { parentsAgent, ...spec }: ImportedPoolSpec,
  clusters: readonly RemoteCluster[],
  usable: ReadonlySet<string>,
): RoutedPool {
  const problems: string[] = [];
  const support = importSupportOf(spec.gateway.type).parents;
  const stayHere = (spec.local?.weight ?? 0) > 0;
  const getsRequests = ({ name, ready }: RemoteCluster) =>
    usable.size > 0 || stayHere ? usable.has(name) : ready === "True";
  const parents: Parents = [];
  for (const cluster of [...clusters].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const hosts = cluster.parents.filter(({ host }) => {
      const isTaken = support?.needsHostName !== true || isIP(host) === 0;
      if (!isTaken)
        problems.push(
          `gateway ${host} of cluster ${cluster.name} is omitted: gateway.type ${spec.gateway.type} needs DNS names`,
        );
      return isTaken;
    });
    for (const [at, { host, port }] of hosts.entries()) {
      const name = at === 0 ? cluster.name : `${cluster.name}-${at + 1}`;
      if (!dnsLabel.test(name) || name.length > longestName) {
        problems.push(
          `cluster ${cluster.name} is omitted: its name is not a DNS label of ${longestName} characters`,
        );
        continue;
      }
      const weight = getsRequests(cluster) ? spec.weight : 0;
      const tls = parentsAgent?.tls && {
        ...parentsAgent.tls,
        hostname: parentsAgent.tls.hostname.replaceAll("{cluster}", cluster.name),
      };
      parents.push({ cluster: name, host, port, weight, ...(tls && { tls }) });
    }
  }
  const sharing = parents.filter(({ weight }) => weight > 0).length;
  const { local } = spec;
  return {
    spec: {
      ...spec,
      parents,
      ...(local && {
        local: { weight: Math.min(mostWeight, local.weight * Math.max(1, sharing)) },
      }),
    },
    problems,
  };
}
