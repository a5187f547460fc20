/** Names of the cluster in pods on the host's network: what a spec and a stack are both held to. */
export const hostNetworkResolvesNames = {
  id: "host-network-resolves-names",
  title: "Pods on the host's network resolve names of the cluster",
  why: "With any other DNS policy they ask the node's resolver, which does not know LWS_LEADER_ADDRESS or a Service: workers never find their leader.",
  source: "k8s.io/kubernetes, Pod's DNS Policy: ClusterFirstWithHostNet; issue 35761",
  code: "reference",
} as const;

interface PodOnHost {
  readonly hostNetwork?: unknown;
  readonly dnsPolicy?: unknown;
  readonly [field: string]: unknown;
}

/** The DNS policy by which a pod on the host's network resolves names of the cluster. */
export const dnsOnHost = "ClusterFirstWithHostNet";

/** Returns what is wrong with the DNS policy of a pod that needs names of the cluster; undefined if nothing is. */
export function unresolvedNames({ hostNetwork, dnsPolicy }: PodOnHost) {
  // None has resolvers of its own; a value that is not known yet may be right.
  const asksTheNode =
    dnsPolicy === undefined || dnsPolicy === "ClusterFirst" || dnsPolicy === "Default";
  if (hostNetwork !== true || !asksTheNode) return undefined;
  return {
    given: `is ${dnsPolicy ?? "missing"} on the host's network, so that names of the cluster do not resolve`,
    allowed: dnsOnHost,
    fix: `Set dnsPolicy: ${dnsOnHost}.`,
  };
}
