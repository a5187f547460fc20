import { z } from "zod";
import { cidr, namespaceName } from "../../kubernetes/kinds/field-types.ts";

/**
 * Who may open connections to pods that are planned here. A NetworkPolicy stands for it; it takes effect where the
 * cluster's network has one enforce it, and never for pods on the host's network.
 */
const namespaces = z.array(namespaceName).min(1).max(64).optional();

export const NetworkPolicyFields = z.strictObject({
  /** None is planned, as before there were any. */
  enabled: z.boolean().default(true).describe("Whether NetworkPolicies are planned. Default true."),
  gatewayNamespaces: namespaces.describe(
    "Namespaces of the gateway's proxies. Default: those of the route's Gateways where the kind of gateway is known to run them there, else any of the cluster.",
  ),
  scraperNamespaces: namespaces.describe(
    "Namespaces from which metrics are read. Default: of programs any of the cluster, since they ask for a token; of engines none.",
  ),
  networks: z
    .array(cidr)
    .min(1)
    .max(64)
    .optional()
    .describe(
      "Networks from which gateways come that are no pods: nodes, load balancers, API servers.",
    ),
});

export const NetworkPolicyArgument = NetworkPolicyFields.prefault({}).describe(
  "Who may open connections to the pods.",
);

export type NetworkPolicyArgument = z.infer<typeof NetworkPolicyFields>;
