import { z } from "zod";
import { cidr, namespaceName } from "../../kubernetes/kinds/field-types.ts";
import { named } from "./argument.ts";

const namespaces = z.array(namespaceName).min(1).max(64).optional();

export const NetworkPolicyFields = named(
  "NetworkPolicy",
  z.strictObject({
    enabled: z.boolean().default(true).describe("Whether NetworkPolicies are made."),
    gatewayNamespaces: namespaces.describe(
      "Namespaces of the gateway's proxies. Default: those of the Gateways that the route names, where the kind of gateway is known to run its proxies there, else any of the cluster.",
    ),
    scraperNamespaces: namespaces.describe(
      "Namespaces from which metrics are read. Default: any of the cluster for programs, since they ask for a token; none for engines.",
    ),
    networks: z
      .array(cidr)
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Networks, as CIDRs, from which gateways or API servers come that are not pods: nodes, load balancers. Default: none.",
      ),
  }),
).describe(
  "Who may open connections to pods, as NetworkPolicies. They take effect where the cluster's network has one enforce them, and never for pods on the host's network.",
);

export const NetworkPolicyArgument = NetworkPolicyFields.prefault({}).describe(
  "Who may open connections to the pods. Default: those who have to.",
);

export type NetworkPolicyArgument = z.infer<typeof NetworkPolicyFields>;
