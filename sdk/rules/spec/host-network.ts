/** Rule on cluster names in pods on the host network. Shared by the rules on specs and on stacks. */
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

/** DNS policy with which a pod on the host network resolves cluster names. */
export const dnsOnHost = "ClusterFirstWithHostNet";

/** Returns the fault in the DNS policy of a pod that resolves cluster names. Undefined if there is none. */
export function unresolvedNames({ hostNetwork, dnsPolicy }: PodOnHost) {
  // Policy None sets separate resolvers, and a value that is not yet known may be correct.
  const asksTheNode =
    dnsPolicy === undefined || dnsPolicy === "ClusterFirst" || dnsPolicy === "Default";
  if (hostNetwork !== true || !asksTheNode) return undefined;
  return {
    given: `is ${dnsPolicy ?? "missing"} on the host network, so cluster names do not resolve`,
    allowed: dnsOnHost,
    fix: `Set dnsPolicy: ${dnsOnHost}.`,
  };
}
