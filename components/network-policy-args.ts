/**
 * Who may open connections to pods, as NetworkPolicies. They take effect where the cluster's network has one enforce them,
 * and never for pods on the host's network.
 */
export interface NetworkPolicy {
  /** Whether there are any. Default true. */
  enabled?: boolean;
  /**
   * Namespaces of the gateway's proxies. Default: those of the Gateways that the route names, where the kind of gateway
   * is known to run its proxies there, else any of the cluster.
   */
  gatewayNamespaces?: string[];
  /**
   * Namespaces from which metrics are read. Default: of programs any of the cluster, since they ask for a token; of
   * engines none.
   */
  scraperNamespaces?: string[];
  /** Networks, as CIDRs, from which gateways or API servers come that are no pods. */
  networks?: string[];
}
