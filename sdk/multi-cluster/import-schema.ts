import { z } from "zod";
import { atomicList, conditions, count, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { controllerName, parentStatus } from "../../kubernetes/kinds/inference-pool.ts";
import { exportModes } from "../spec/export.ts";

/**
 * InferencePoolImport, inference.networking.x-k8s.io/v1alpha1: an InferencePool that other clusters export. Its status
 * has both formats in use. `clusters`, from the Go types of the Multi-Cluster Inference proposal, describes how each
 * exporting cluster is reached. `controllers`, from the gateway-api-inference-extension CRD, contains the exporting
 * clusters that each controller reports. Every object that is valid under that CRD is valid here.
 */
export const importKind = kinds.InferencePoolImport;

/** A list whose entries have different writers. */
const namedList = <Item extends z.ZodType>(item: Item) =>
  z.array(item).meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });

const clusterName = z.string().min(1).max(253);

const ServiceImport = z.strictObject({
  type: z.enum(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
  addresses: atomicList(z.string()).optional().describe("IP addresses and host names."),
  ports: atomicList(z.strictObject({ number: portNumber })).optional(),
});

/** A Secret with credentials, in the importing cluster. Secrets are never copied between clusters. */
const secretReference = z.strictObject({
  name: z.string().optional(),
  namespace: z.string().optional(),
});

const portOfPicker = z.strictObject({
  port: portNumber,
  secretRef: secretReference.optional(),
});

const EndpointPickerImport = z.strictObject({
  name: z.string().describe("Name of the picker's Service in its cluster."),
  service: atomicList(ServiceImport).describe(
    "Addresses at which the picker accepts ext_proc streams.",
  ),
  health: portOfPicker.optional().describe("Address of the picker's gRPC health service."),
  metrics: portOfPicker.optional().describe("Address of the picker's metrics."),
});

const ParentImport = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  service: atomicList(ServiceImport),
  conditions: conditions.optional(),
});

export const ImportedCluster = z.strictObject({
  name: clusterName.describe("Name of the exporting cluster."),
  routingMode: z
    .enum(exportModes)
    .describe(
      "Whether importing gateways call the picker and connect to pods, or send requests to a parent.",
    ),
  targetPortNumber: portNumber.describe("Port of the model servers."),
  endpointPicker: EndpointPickerImport.optional().describe("Picker of the exported pool."),
  parents: atomicList(ParentImport).optional().describe("Gateways in front of the exported pool."),
  networks: atomicList(z.string().max(64))
    .optional()
    .describe(
      "CIDRs to which requests for this cluster may be sent. If absent, any address is allowed.",
    ),
  maxEndpoints: count
    .optional()
    .describe("Maximum number of model servers that importing pickers count for the cluster."),
  locality: z
    .strictObject({ region: z.string().max(63), zone: z.string().max(63).optional() })
    .optional()
    .describe("Region and zone of the cluster, by which importing pickers prefer nearby clusters."),
  exportTo: z
    .string()
    .max(253)
    .optional()
    .describe(
      "Label selector of the members that import the pool. If absent, all members import it.",
    ),
  conditions: conditions
    .optional()
    .describe(
      "Conditions of the cluster. Ready is True if requests to this cluster can be served.",
    ),
});

const ImportController = z.strictObject({
  name: controllerName,
  // Upstream neither merges this list nor rejects duplicate names.
  exportingClusters: z.array(z.strictObject({ name: clusterName })).optional(),
  parents: atomicList(parentStatus).optional(),
  conditions: conditions.max(8).optional(),
});

export const InferencePoolImportSpec = z.strictObject({});

export const InferencePoolImportStatus = z.strictObject({
  observedGeneration: z.int().min(0).meta({ format: "int64" }).optional(),
  clusters: namedList(ImportedCluster).optional().describe("Clusters that export the pool."),
  conditions: conditions
    .optional()
    .describe(
      "Conditions of the import: Accepted, and Ready, which is True if one of the clusters is ready.",
    ),
  controllers: namedList(ImportController)
    .max(8)
    .optional()
    .describe(
      "Status reported by each controller, including the controllers of gateways that use the import.",
    ),
});

export type ServiceImport = z.infer<typeof ServiceImport>;
export type ParentImport = z.infer<typeof ParentImport>;
export type EndpointPickerImport = z.infer<typeof EndpointPickerImport>;
export type ImportedCluster = z.infer<typeof ImportedCluster>;
export type ImportController = z.infer<typeof ImportController>;
export type InferencePoolImportStatus = z.infer<typeof InferencePoolImportStatus>;
