import { z } from "zod";
import { namespaceName, objectName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerEndFields } from "./picker-serving.ts";
import { programPodFields } from "./program-pods.ts";

/**
 * What a cluster makes of a pool that another one exports: the route to it. The InferencePoolImport itself is made by
 * the multi-cluster controller, in namespaces that exist.
 */

/** Gateways whose objects are known here. */
export const gatewayTypes = [
  "generic",
  "agentgateway",
  "istio",
  "ngf",
  "gke",
  "llm-d-global-epp",
] as const;
export type GatewayType = (typeof gatewayTypes)[number];

const weight = z.int().min(0).max(1_000_000);

const Tls = z.strictObject({
  /** ConfigMap with key `ca.crt`, in the pool's namespace, that the other side's certificate chains to. */
  caConfigMap: objectName,
  /** Name that the certificate is for. */
  hostname: z.string().min(1).max(253),
});

const ParentTls = z.strictObject({
  /** ConfigMap with key `ca.crt` that the gateway's certificate chains to, in the backend's namespace. */
  caConfigMap: objectName.optional(),
  /** Secret with key `cacert`, in the namespace of the gateway here: where the gateway reads no ConfigMap. */
  caSecret: objectName.optional(),
  /** Name that the certificate is for. */
  hostname: z.string().min(1).max(253),
});

const Parent = z.strictObject({
  /** Of the cluster; part of object names. */
  cluster: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    .max(40),
  /** Gateway of that cluster. */
  host: z.string().min(1).max(253),
  port: portNumber,
  weight: weight.default(1),
  /** Default: plain HTTP. */
  tls: ParentTls.optional(),
});

/** How a picker chooses among the clusters that export a pool (Multi-Cluster Inference proposal, pool selection). */
export const importSelections = ["metric-based", "health-based", "active-passive"] as const;
/** Whether the cluster of the picker comes first while it has endpoints. */
export const importPreferences = ["PreferLocal", "Any"] as const;

const clusterName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "lower-case letters, digits and dashes");

const ImportPicker = z.strictObject({
  selection: z.enum(importSelections).default("metric-based"),
  preference: z.enum(importPreferences).default("PreferLocal"),
  /** Clusters of active-passive, the first first; others follow by name. */
  order: z.array(clusterName).min(1).max(100).optional(),
  /** Name of this cluster among those of the set; PreferLocal knows it by that. */
  localCluster: clusterName.optional(),
  /** How pickers of other clusters are verified. Default: by the certificate authorities of the system. */
  tls: z
    .strictObject({
      /** ConfigMap with key `ca.crt`, in the pool's namespace. */
      caConfigMap: objectName.optional(),
      /** Secret with tls.crt and tls.key that the other side is shown. */
      clientCertificateSecret: objectName.optional(),
      /** Name that their certificates are for, `{cluster}` in it for the cluster's. Default: that of the Service, or the address. */
      hostname: z.string().min(1).max(253).optional(),
      /** Whether their metrics are read over TLS as well, verified and shown alike. Default false. */
      metrics: z.boolean().default(false),
    })
    .optional(),
  /** No TLS, for networks that encrypt by themselves. Default false. */
  plaintext: z.boolean().default(false),
  replicas: z.int32().min(0).default(1),
  /** Whether the picker's pages ask for a token that may read them. Needs a ClusterRole. */
  metricsAuth: z.boolean().default(true),
  ...programPodFields,
  ...pickerEndFields,
});

export type ImportPicker = z.infer<typeof ImportPicker>;

/** llm-d's picker as one among clusters. */
const GlobalPicker = z.strictObject({
  replicas: z.int32().min(0).default(1),
  ...programPodFields,
  image: programPodFields.image.describe(
    "Default: llm-d's, of the first release that picks among clusters.",
  ),
});

export type GlobalPicker = z.infer<typeof GlobalPicker>;

export const ImportedPoolSpec = z.strictObject({
  /** Whether the namespace is made here; the controller makes none. Default false. */
  createNamespace: z.boolean().default(false),
  /** Gateway that the route is for. */
  gateway: z
    .strictObject({
      type: z.enum(gatewayTypes).default("generic"),
      /** The gateway can have an InferencePool and an InferencePoolImport in one rule. */
      acceptsImports: z.boolean().default(false),
    })
    .prefault({}),
  /** Share of the requests that go to the import. */
  weight: weight.default(1),
  /** Share that stays: the InferencePool of the same name in this cluster. */
  local: z.strictObject({ weight: weight.default(1) }).optional(),
  /** Gateways of the exporting clusters, where this cluster's gateway cannot take an import. */
  parents: z.array(Parent).min(1).max(15).optional(),
  /** A picker of this project for the import: gateways ask it, and it asks the pickers of the exporting clusters. */
  picker: ImportPicker.optional(),
  /** Who may open connections to the picker. */
  networkPolicy: NetworkPolicyArgument,
  /** Of gateway.type llm-d-global-epp. */
  globalPicker: GlobalPicker.optional(),
  /** Namespace of the route. Default: that of the pool; another one gets a ReferenceGrant. */
  routeNamespace: namespaceName.optional(),
  /** HTTPRoute: what the rule is for. */
  parentRefs: z
    .array(z.looseObject({ name: z.string() }))
    .min(1)
    .max(32),
  hostnames: z.array(z.string()).max(16).optional(),
  /** Default: the paths of clients' APIs; a match of path `/` serves every path. */
  matches: z.array(z.looseObject({})).min(1).optional(),
  filters: z.array(z.looseObject({})).optional(),
  /** Verifies pickers and pods of exporting clusters, where the gateway takes a BackendTLSPolicy for an import. */
  tls: Tls.optional(),
});

export type ImportedPoolSpec = z.infer<typeof ImportedPoolSpec>;
export type ImportedParent = z.infer<typeof Parent>;
