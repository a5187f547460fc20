import { z } from "zod";
import { cidr, objectName } from "../../kubernetes/kinds/field-types.ts";
import { parseLabelSelector } from "../../kubernetes/values/label-selector.ts";
import { named, offByDefault, words } from "../schemas/argument.ts";
import { CertificateIssuer } from "./certificate-issuer.ts";

/** Mode of an export, `RoutingMode` in the Multi-Cluster Inference proposal. */
export const ExportMode = words("ExportMode", "How other clusters reach an exported pool.", {
  Endpoint: [
    "EndpointMode",
    "Importing gateways call the picker of this cluster and connect to its pods. The clusters' pod networks must be connected.",
  ],
  Parent: ["ParentMode", "Importing gateways send requests to a gateway of this cluster."],
});
export type ExportMode = z.infer<typeof ExportMode>;
export const exportModes = ExportMode.options;

const ExportServiceType = words("ExportServiceType", "Service type of an exported pool's picker.", {
  ClusterIP: ["ClusterIP", "For networks that route cluster addresses between clusters."],
  LoadBalancer: [
    "LoadBalancer",
    "For networks that do not route cluster addresses between clusters.",
  ],
});

/** Value of the export annotation that selects every cluster of the set. */
export const exportedTo = "ClusterSet";

export const Export = named(
  "Export",
  z.strictObject({
    mode: ExportMode.default("EndpointMode").describe("How other clusters reach the pool."),
    exportTo: z
      .string()
      .max(253)
      .refine(
        (text) => parseLabelSelector(text) !== undefined,
        "a label selector, such as tier=prod or topology.kubernetes.io/region in (eu, us)",
      )
      .optional()
      .describe(
        "Members of the cluster set that import the pool, as a label selector over the members' `labels` in the ClusterSet. Default: all members.",
      ),
    gkeFleet: offByDefault(
      "Whether the GKE fleet also imports the pool, as a GCPInferencePoolImport of its config cluster.",
    ),
    serviceType: ExportServiceType.default("ClusterIP").describe("Type of the picker's Service."),
    serviceAnnotations: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        "Annotations of that Service, such as the cloud provider's annotations for internal load balancers.",
      ),
    certificateSecret: objectName
      .optional()
      .describe(
        "Secret with tls.crt and tls.key of the picker's serving certificate, which importing clusters verify. Default: a self-signed certificate that the picker creates at start and that no importing cluster can verify.",
      ),
    certificateIssuer: CertificateIssuer.optional().describe(
      "Issuer of that certificate, instead of an existing Secret: a cert-manager Certificate is created for the picker's Service. Default: none.",
    ),
    clientCaConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key ca.crt. All clients of the picker, including gateways of its own cluster, need a certificate signed by these certificate authorities. Default: clients need no certificate.",
      ),
    allowedNetworks: z
      .array(cidr)
      .max(64)
      .default([])
      .describe(
        "Networks, as CIDRs, from which other clusters may connect to the picker. Default: any network.",
      ),
    metrics: offByDefault(
      "Whether other clusters can also reach the picker's metrics (port 9090). Importing pickers that select clusters by load need them; without metrics they assume an average load. Any client that reaches the picker may then read its metrics: clients with a certificate of clientCaConfigMap, otherwise clients in allowedNetworks.",
    ),
  }),
).describe(
  "Export of a pool to the other clusters of its set. The set's controller creates an InferencePoolImport for it in each of them.",
);

export type Export = z.infer<typeof Export>;
