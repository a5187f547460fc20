/** Names of the cluster in pods on the host's network: what a spec and a stack are both held to. */
export const hostNetworkResolvesNames = {
  id: "host-network-resolves-names",
  title: "Pods on the host network can resolve cluster names",
  why: "With any other DNS policy they use the node's resolver, which cannot resolve LWS_LEADER_ADDRESS or a Service. Workers then never find their leader.",
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
    given: `is ${dnsPolicy ?? "missing"} on the host network, so cluster names do not resolve`,
    allowed: dnsOnHost,
    fix: `Set dnsPolicy: ${dnsOnHost}.`,
  };
}
