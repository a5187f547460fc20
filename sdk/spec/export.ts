import { z } from "zod";
import { cidr, objectName } from "../../kubernetes/kinds/field-types.ts";

/** How other clusters reach an exported pool (Multi-Cluster Inference proposal, `RoutingMode`). */
export const exportModes = ["EndpointMode", "ParentMode"] as const;
export type ExportMode = (typeof exportModes)[number];

/** Types of the picker's Service that another cluster can reach, where its network can. */
export const exportServiceTypes = ["ClusterIP", "LoadBalancer"] as const;

/** Value of the export annotation: every cluster of the set. */
export const exportedTo = "ClusterSet";

/** An InferencePool that other clusters of a set may import. */
export const Export = z.strictObject({
  /**
   * EndpointMode: importing gateways ask the picker here and connect to the pods, so that pod networks must reach each
   * other. ParentMode: they send requests to a gateway here.
   */
  mode: z.enum(exportModes).default("EndpointMode").describe("Default EndpointMode."),
  gkeFleet: z
    .boolean()
    .default(false)
    .describe(
      "Whether the GKE fleet imports the pool too, as a GCPInferencePoolImport of its config cluster. Default false.",
    ),
  /** LoadBalancer where cluster addresses are not routed between clusters. */
  serviceType: z
    .enum(exportServiceTypes)
    .default("ClusterIP")
    .describe("Of the picker. Default ClusterIP."),
  serviceAnnotations: z
    .record(z.string(), z.string())
    .default({})
    .describe("Of that Service, such as a cloud's for internal load balancers."),
  certificateSecret: objectName
    .optional()
    .describe(
      "Secret with tls.crt and tls.key that the picker serves with. Default: a self-signed certificate, made at start.",
    ),
  clientCaConfigMap: objectName
    .optional()
    .describe(
      "ConfigMap with key ca.crt: whoever asks the picker, gateways here too, needs a certificate of these CAs.",
    ),
  allowedNetworks: z
    .array(cidr)
    .max(64)
    .default([])
    .describe("Networks from which other clusters reach the picker. Default any."),
  /**
   * For importing pickers that choose by load. Without it they take the cluster for one of the mean. Whoever reaches the
   * picker may then read it: they have certificates of `clientCaConfigMap`, or come from `allowedNetworks`.
   */
  metrics: z
    .boolean()
    .default(false)
    .describe("Whether other clusters reach the picker's metrics (9090) too. Default false."),
});

export type Export = z.infer<typeof Export>;
