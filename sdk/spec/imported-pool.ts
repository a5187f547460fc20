import { z } from "zod";
import {
  count,
  namespaceName,
  objectName,
  portNumber,
  positiveInteger,
} from "../../kubernetes/kinds/field-types.ts";
import { dnsLabel } from "../../kubernetes/values/dns-label.ts";
import { importGatewayTypes, importSupportOf } from "../gateways/index.ts";
import { named, offByDefault, onByDefault, output, words, wordsOf } from "../schemas/argument.ts";
import { CertificateIssuer } from "./certificate-issuer.ts";
import { routeFields } from "./inference-route.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerEndFields } from "./picker-serving.ts";
import { programPodFields } from "./program-pods.ts";

/**
 * The route of a cluster to a pool that another cluster exports. The multi-cluster controller creates the
 * InferencePoolImport, only in namespaces that exist.
 */
/** Gateways with known support for imported pools. */
const GatewayType = wordsOf(
  "GatewayType",
  "Type of the gateway that serves a route to an imported pool.",
  importGatewayTypes,
  (type) => importSupportOf(type).summary,
);

const weight = z.int().min(0).max(1_000_000);

const Tls = named(
  "ImportTls",
  z.strictObject({
    caConfigMap: objectName.describe(
      "ConfigMap with key `ca.crt`, in the pool's namespace, with the CA of the other side's certificate.",
    ),
    hostname: z.string().min(1).max(253).describe("Host name in the certificate."),
  }),
).describe("How to verify the other side.");

const ParentTls = named(
  "ParentTls",
  z.strictObject({
    caConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key `ca.crt` and the CA of the gateway's certificate, in the pool's namespace. For `agentgateway` and `ngf`.",
      ),
    caSecret: objectName
      .optional()
      .describe(
        "Secret with key `cacert`, in the namespace of this cluster's gateway. For `istio`, which does not read ConfigMaps.",
      ),
    hostname: z.string().min(1).max(253).describe("Host name in the certificate."),
  }),
).describe("How to verify a gateway of another cluster, with one CA.");

const Parent = named(
  "ImportedParent",
  z.strictObject({
    cluster: z
      .string()
      .regex(dnsLabel, "lower-case letters, digits and dashes")
      .max(40)
      .describe("Name of the cluster. It becomes part of object names."),
    host: output(z.string().min(1).max(253)).describe(
      "Host name or address of that cluster's gateway.",
    ),
    port: portNumber.describe("Port of that gateway."),
    weight: weight
      .default(1)
      .describe("Weight of the gateway: its share of the requests to the import."),
    tls: ParentTls.optional().describe("How to verify the gateway. Default: plain HTTP."),
  }),
).describe("Gateway of a cluster that exports the pool.");

/** The Multi-Cluster Inference proposal calls it pool selection. */
const ImportSelection = words(
  "ImportSelection",
  "How the cluster of a request is selected from the clusters that export a pool.",
  {
    MetricBased: ["metric-based", "At random, weighted by free capacity."],
    HealthBased: ["health-based", "At random among the clusters whose picker responds."],
    ActivePassive: ["active-passive", "Always the first cluster whose picker responds."],
  },
);

const ImportPreference = words("ImportPreference", "Which clusters are preferred.", {
  PreferLocal: [
    "PreferLocal",
    "The cluster of the picker, while it has endpoints with free capacity.",
  ],
  PreferNearest: [
    "PreferNearest",
    "The cluster of the picker, then clusters of its zone, then of its region, then all others, each while it has endpoints with free capacity.",
  ],
  PreferOthers: ["PreferOthers", "The other clusters, while one of them has endpoints."],
  Any: ["Any", "No cluster is preferred."],
});

const clusterName = z.string().max(63).regex(dnsLabel, "lower-case letters, digits and dashes");

const ImportPickerTls = named(
  "ImportPickerTls",
  z.strictObject({
    caConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key `ca.crt`, in the pool's namespace. Default: the system's certificate authorities.",
      ),
    clientCertificateSecret: objectName
      .optional()
      .describe(
        "Secret with tls.crt and tls.key of the client certificate that the picker presents. Default: none.",
      ),
    clientCertificateIssuer: CertificateIssuer.optional().describe(
      "Issuer of that certificate, instead of an existing Secret: a cert-manager Certificate is created for this picker. Default: none.",
    ),
    hostname: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        "Host name in their certificates, with `{cluster}` as the placeholder for the cluster's name. Default: the host name of the picker's Service, or its address.",
      ),
    metrics: offByDefault(
      "Whether to read the metrics of these pickers over TLS too, with the same verification and client certificate. Metric-based selection needs the metrics.",
    ),
  }),
).describe(
  "How to verify the pickers of other clusters, and the client certificate that this picker presents to them.",
);

const ParentProbe = named(
  "ParentProbe",
  z.strictObject({
    path: z
      .string()
      .regex(/^\/[^\s]*$/, "a path that begins with /")
      .max(1024)
      .default("/v1/models")
      .describe(
        "Path of the GET request. A gateway that responds with 404 or 5xx gets no requests.",
      ),
    hostname: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Host header of the request. Default: the gateway's address."),
  }),
).describe(
  "Health check of a gateway of another cluster: a request that the gateway forwards to its pool.",
);

const Locality = named(
  "Locality",
  z.strictObject({
    region: z.string().min(1).max(63).describe("Region."),
    zone: z.string().min(1).max(63).optional().describe("Zone in the region. Default: none."),
  }),
).describe(
  "Region and zone of a cluster, with the same values as the labels of the ClusterSet's members.",
);

const ImportPicker = named(
  "ImportPicker",
  z.strictObject({
    selection: ImportSelection.default("metric-based").describe("How a cluster is selected."),
    preference: ImportPreference.optional().describe(
      "Whether this cluster is preferred, avoided or neither. Default: PreferLocal; PreferOthers if `local` is set, because its share of the requests stays in this cluster already.",
    ),
    spilloverQueueThreshold: positiveInteger
      .max(1_000_000)
      .optional()
      .describe(
        "Queued requests per endpoint of a cluster from which PreferLocal and PreferNearest no longer prefer the cluster. The picker knows this number only if the export sets `metrics`. Default: 5.",
      ),
    order: z
      .array(clusterName)
      .min(1)
      .max(100)
      .optional()
      .describe(
        "Failover order for active-passive. Unlisted clusters follow in order of their names. Default: order of names.",
      ),
    weights: z
      .record(clusterName, weight)
      .refine((weights) => Object.keys(weights).length <= 100, "at most 100 clusters")
      .optional()
      .describe(
        "Factors by cluster that multiply the cluster's probability in a random selection. A cluster with 0 gets requests only if no other cluster can serve them. Default: 1 for each cluster.",
      ),
    localCluster: clusterName
      .optional()
      .describe(
        "Name of this cluster in the set. PreferLocal and PreferNearest match on it. Default: no cluster is local.",
      ),
    locality: Locality.optional().describe(
      "Region and zone of this cluster, for PreferNearest. Default: none.",
    ),
    parentProbe: ParentProbe.optional().describe(
      "Health check of the gateways of clusters in ParentMode. Default: the check passes if a connection opens; it uses TLS if the ImportedInferencePool sets `tls`.",
    ),
    tls: ImportPickerTls.optional().describe(
      "How to verify the pickers of other clusters. Default: with the system's certificate authorities.",
    ),
    plaintext: offByDefault(
      "Whether to connect without TLS, for networks with their own encryption.",
    ),
    replicas: count.default(1).describe("Pods of the picker."),
    metricsAuth: onByDefault(
      "Whether the picker's pages require a bearer token with permission to read them. This needs a ClusterRole.",
    ),
    ...programPodFields,
    ...pickerEndFields,
  }),
).describe(
  "Picker that selects a cluster for each request, and asks that cluster's picker for the pod.",
);

export type ImportPicker = z.infer<typeof ImportPicker>;

/**
 * Returns the preference of a picker that sets none. With `local`, a share of the requests stays in the cluster
 * anyway.
 */
export const defaultPreference = (local: unknown) =>
  local === undefined ? "PreferLocal" : "PreferOthers";

const GlobalPicker = named(
  "GlobalPicker",
  z.strictObject({
    replicas: count.default(1).describe("Pods of the picker."),
    ...programPodFields,
    image: programPodFields.image.describe(
      "Image of the picker. Default: llm-d's image of the first release that selects among clusters.",
    ),
  }),
).describe(
  "llm-d's picker, which selects among clusters, with this project's import-agent as a sidecar.",
);

export type GlobalPicker = z.infer<typeof GlobalPicker>;

const ParentsAgent = named(
  "ParentsAgent",
  z.strictObject({
    tls: ParentTls.optional().describe("How to verify the gateways. Default: plain HTTP."),
    probe: ParentProbe.optional().describe(
      "Health check of the gateways. Default: the check passes if a connection opens.",
    ),
    ...programPodFields,
  }),
).describe(
  "Program that writes the route and its backends from the import. It follows changes of the other clusters' gateways, and sends no requests to gateways that do not respond.",
);

export type ParentsAgent = z.infer<typeof ParentsAgent>;

const ImportingGateway = named(
  "ImportingGateway",
  z.strictObject({
    type: GatewayType.default("generic").describe("Kind of gateway."),
    acceptsImports: offByDefault(
      "Whether the gateway supports an InferencePool and an InferencePoolImport in one rule.",
    ),
  }),
).describe("Gateway of a route to an import.");

const LocalPool = named(
  "LocalPool",
  z.strictObject({
    weight: weight.default(1).describe("Weight of the local pool: its share of the requests."),
  }),
).describe("Pool of the same name in this cluster.");

export const ImportedPoolSpec = z.strictObject({
  createNamespace: offByDefault(
    "Whether to create the namespace. The controller writes imports only to existing namespaces, and creates none itself.",
  ),
  gateway: ImportingGateway.prefault({}).describe("Gateway that serves the route."),
  weight: weight.default(1).describe("Weight of the import: its share of the requests."),
  local: LocalPool.optional().describe(
    "InferencePool of the same name in this cluster, and its share of the requests. Default: none.",
  ),
  parents: z
    .array(Parent)
    .min(1)
    .max(15)
    .optional()
    .describe(
      "Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`, which do not support imports. Default: none.",
    ),
  parentsAgent: ParentsAgent.optional().describe(
    "Alternative to `parents`: a program in this cluster reads the gateways from the import and updates the route when they change. Default: none.",
  ),
  picker: ImportPicker.optional().describe(
    "This project's picker for the import, with an InferencePool that gateways use as the backend. Gateways call this picker, which calls the pickers of the exporting clusters. Default: none.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the picker. Default: only the peers that need to.",
  ),
  globalPicker: GlobalPicker.optional().describe(
    "Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`.",
  ),
  routeNamespace: namespaceName
    .optional()
    .describe(
      "Namespace of the route. A ReferenceGrant is created if it differs from the pool's namespace. Default: the pool's namespace.",
    ),
  ...routeFields,
  tls: Tls.optional().describe(
    "How to verify the pickers and pods of exporting clusters, if the gateway supports a BackendTLSPolicy for an import. Default: no verification.",
  ),
});

export type ImportedPoolSpec = z.infer<typeof ImportedPoolSpec>;
