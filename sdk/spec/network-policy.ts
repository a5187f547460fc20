import { z } from "zod";
import { cidr, namespaceName } from "../../kubernetes/kinds/field-types.ts";
import { named, onByDefault } from "../schemas/argument.ts";

const namespaces = z.array(namespaceName).min(1).max(64).optional();

export const NetworkPolicyFields = named(
  "NetworkPolicy",
  z.strictObject({
    enabled: onByDefault("Whether to create NetworkPolicies."),
    gatewayNamespaces: namespaces.describe(
      "Namespaces of the gateway's proxies. Default: the namespaces of the Gateways that the route names, if this kind of gateway runs its proxies there; else any namespace. With a router's `access`: only pods with the labels of the gateway's proxies, in these namespaces and in the namespace of the gateway's installation.",
    ),
    scraperNamespaces: namespaces.describe(
      "Namespaces of metrics scrapers. Default: any namespace for programs, because they require a token; none for engines.",
    ),
    networks: z
      .array(cidr)
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Networks, as CIDRs, of gateways or API servers that do not run in pods, such as nodes or load balancers. Default: none.",
      ),
  }),
).describe(
  "Peers that may open connections to pods, as NetworkPolicies. They take effect only if the cluster's network plugin enforces them, and never for pods on the host network.",
);

export const NetworkPolicyArgument = NetworkPolicyFields.prefault({}).describe(
  "Peers that may open connections to the pods. Default: only the peers that need to.",
);

export type NetworkPolicyArgument = z.infer<typeof NetworkPolicyFields>;
