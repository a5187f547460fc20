import { z } from "zod";
import { cidr, objectName } from "../../kubernetes/kinds/field-types.ts";
import { parseLabelSelector } from "../../kubernetes/values/label-selector.ts";
import { named, words } from "./argument.ts";
import { CertificateIssuer } from "./certificate-issuer.ts";

/** The Multi-Cluster Inference proposal calls it `RoutingMode`. */
export const ExportMode = words("ExportMode", "How other clusters reach an exported pool.", {
  Endpoint: [
    "EndpointMode",
    "Importing gateways ask the picker here and connect to the pods: pod networks must reach each other.",
  ],
  Parent: ["ParentMode", "Importing gateways send requests to a gateway here."],
});
export type ExportMode = z.infer<typeof ExportMode>;
export const exportModes = ExportMode.options;

const ExportServiceType = words("ExportServiceType", "Service of the picker of an exported pool.", {
  ClusterIP: ["ClusterIP", "For networks that route cluster addresses between clusters."],
  LoadBalancer: ["LoadBalancer", "For networks that do not."],
});

/** Value of the export annotation: every cluster of the set. */
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
        "The members of the cluster set that import the pool, as a label selector over their `labels` in the ClusterSet. Default: all.",
      ),
    gkeFleet: z
      .boolean()
      .default(false)
      .describe(
        "Whether the GKE fleet imports the pool too, as a GCPInferencePoolImport of its config cluster.",
      ),
    serviceType: ExportServiceType.default("ClusterIP").describe(
      "The type of the picker's Service.",
    ),
    serviceAnnotations: z
      .record(z.string(), z.string())
      .default({})
      .describe("Annotations of that Service, such as a cloud's for internal load balancers."),
    certificateSecret: objectName
      .optional()
      .describe(
        "The Secret with tls.crt and tls.key that the picker serves with; importing clusters verify it. Default: a self-signed certificate that the picker makes at start and none of them can verify.",
      ),
    certificateIssuer: CertificateIssuer.optional().describe(
      "The issuer of that certificate, in place of a Secret that is there: a Certificate of cert-manager is made for the picker's Service. Default: none.",
    ),
    clientCaConfigMap: objectName
      .optional()
      .describe(
        "The ConfigMap with key ca.crt: whoever asks the picker, gateways of its own cluster too, needs a certificate of these certificate authorities. Default: nobody needs one.",
      ),
    allowedNetworks: z
      .array(cidr)
      .max(64)
      .default([])
      .describe("Networks, as CIDRs, from which other clusters reach the picker. Default: any."),
    metrics: z
      .boolean()
      .default(false)
      .describe(
        "Whether other clusters reach the picker's metrics (9090) too, for importing pickers that choose by load; without it they assume a mean load. Whoever reaches the picker may then read them: with a certificate of clientCaConfigMap, else from allowedNetworks.",
      ),
  }),
).describe(
  "An export of a pool to the other clusters of its set, whose controller makes an InferencePoolImport of it in each.",
);

export type Export = z.infer<typeof Export>;
