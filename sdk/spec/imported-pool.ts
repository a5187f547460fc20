import { z } from "zod";
import { namespaceName, objectName, portNumber } from "../../kubernetes/kinds/field-types.ts";
import { dnsLabel } from "../../kubernetes/values/dns-label.ts";
import { importGatewayTypes, importSupportOf } from "../gateways/index.ts";
import { named, output, words, wordsOf } from "./argument.ts";
import { CertificateIssuer } from "./certificate-issuer.ts";
import { routeFields } from "./inference-route.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerEndFields } from "./picker-serving.ts";
import { programPodFields } from "./program-pods.ts";

/**
 * What a cluster makes of a pool that another one exports: the route to it. The InferencePoolImport itself is made by
 * the multi-cluster controller, in namespaces that exist.
 */

/** Gateways whose routes to imported pools are known. */
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
      "ConfigMap with key `ca.crt`, in the pool's namespace, that the other side's certificate chains to.",
    ),
    hostname: z.string().min(1).max(253).describe("The name that the certificate is for."),
  }),
).describe("How the other side is verified.");

const ParentTls = named(
  "ParentTls",
  z.strictObject({
    caConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key `ca.crt` that the gateway's certificate chains to, in the pool's namespace: for `agentgateway` and `ngf`.",
      ),
    caSecret: objectName
      .optional()
      .describe(
        "Secret with key `cacert`, in the namespace of the gateway here: for `istio`, which reads no ConfigMap.",
      ),
    hostname: z.string().min(1).max(253).describe("The name that the certificate is for."),
  }),
).describe("How a gateway of another cluster is verified: by one CA.");

const Parent = named(
  "ImportedParent",
  z.strictObject({
    cluster: z
      .string()
      .regex(dnsLabel, "lower-case letters, digits and dashes")
      .max(40)
      .describe("The cluster's name, which is part of object names."),
    host: output(z.string().min(1).max(253)).describe(
      "Host name or address of the gateway of that cluster.",
    ),
    port: portNumber.describe("Port of that gateway."),
    weight: weight.default(1).describe("The gateway's share of the requests to the import."),
    tls: ParentTls.optional().describe("How the gateway is verified. Default: plain HTTP."),
  }),
).describe("A gateway of a cluster that exports the pool.");

/** The Multi-Cluster Inference proposal calls it pool selection. */
const ImportSelection = words(
  "ImportSelection",
  "How the cluster of a request is chosen among those that export a pool.",
  {
    MetricBased: ["metric-based", "At random by free capacity."],
    HealthBased: ["health-based", "At random among those that answer."],
    ActivePassive: ["active-passive", "Always the first that answers."],
  },
);

const ImportPreference = words("ImportPreference", "Which clusters come first.", {
  PreferLocal: ["PreferLocal", "The cluster of the picker, while it has endpoints with room."],
  PreferNearest: [
    "PreferNearest",
    "The cluster of the picker, then clusters of its zone, of its region and all others, each while it has endpoints with room.",
  ],
  PreferOthers: ["PreferOthers", "All others, while one of them has endpoints."],
  Any: ["Any", "None."],
});

const clusterName = z.string().max(63).regex(dnsLabel, "lower-case letters, digits and dashes");

const ImportPickerTls = named(
  "ImportPickerTls",
  z.strictObject({
    caConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key `ca.crt`, in the pool's namespace. Default: the certificate authorities of the system.",
      ),
    clientCertificateSecret: objectName
      .optional()
      .describe("Secret with tls.crt and tls.key that the other side is shown. Default: none."),
    clientCertificateIssuer: CertificateIssuer.optional().describe(
      "The issuer of that certificate, in place of a Secret that is there: a Certificate of cert-manager is made for this picker. Default: none.",
    ),
    hostname: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        "The name that their certificates are for, `{cluster}` in it for the cluster's name. Default: that of the picker's Service, or its address.",
      ),
    metrics: z
      .boolean()
      .default(false)
      .describe(
        "Whether their metrics, by which metric-based chooses, are read over TLS as well, verified and shown alike.",
      ),
  }),
).describe("How pickers of other clusters are verified, and what they are shown.");

const ParentProbe = named(
  "ParentProbe",
  z.strictObject({
    path: z
      .string()
      .regex(/^\/[^\s]*$/, "a path that begins with /")
      .max(1024)
      .default("/v1/models")
      .describe("Path of a GET; a gateway that answers 404 or 5xx gets no requests."),
    hostname: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Host of the request. Default: the gateway's address."),
  }),
).describe("A request that a gateway of another cluster passes on to the pool there.");

const Locality = named(
  "Locality",
  z.strictObject({
    region: z.string().min(1).max(63).describe("The region."),
    zone: z.string().min(1).max(63).optional().describe("The zone in it. Default: none."),
  }),
).describe("The place of a cluster, in the words of the labels of the ClusterSet's members.");

const ImportPicker = named(
  "ImportPicker",
  z.strictObject({
    selection: ImportSelection.default("metric-based").describe("How a cluster is chosen."),
    preference: ImportPreference.optional().describe(
      "Whether this cluster comes first, last or neither. Default: PreferLocal; PreferOthers beside `local`, whose share has stayed here already.",
    ),
    spilloverQueueThreshold: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        "Requests that wait in a cluster for each of its endpoints, from which PreferLocal and PreferNearest prefer it no more. Known where the export has `metrics`. Default: 5.",
      ),
    order: z
      .array(clusterName)
      .min(1)
      .max(100)
      .optional()
      .describe(
        "Failover order for active-passive; unlisted clusters follow by name. Default: by name.",
      ),
    weights: z
      .record(clusterName, weight)
      .refine((weights) => Object.keys(weights).length <= 100, "at most 100 clusters")
      .optional()
      .describe(
        "By cluster, what its chance in a selection at random is multiplied by; 0 for one that gets requests only where no other can. Default: 1 for each.",
      ),
    localCluster: clusterName
      .optional()
      .describe(
        "Name of this cluster among those of the set, by which PreferLocal and PreferNearest know it. Default: none comes first.",
      ),
    locality: Locality.optional().describe(
      "The place of this cluster, for PreferNearest. Default: none.",
    ),
    parentProbe: ParentProbe.optional().describe(
      "A request by which gateways of clusters in ParentMode are looked at. Default: a connection is enough; over TLS with `tls` of the ImportedInferencePool.",
    ),
    tls: ImportPickerTls.optional().describe(
      "How the pickers of other clusters are verified. Default: by the certificate authorities of the system.",
    ),
    plaintext: z
      .boolean()
      .default(false)
      .describe("Whether there is no TLS, for networks that encrypt by themselves."),
    replicas: z.int32().min(0).default(1).describe("Pods of the picker."),
    metricsAuth: z
      .boolean()
      .default(true)
      .describe(
        "Whether the picker's pages ask for a token that may read them, which needs a ClusterRole.",
      ),
    ...programPodFields,
    ...pickerEndFields,
  }),
).describe(
  "A picker that chooses a cluster for every request, and asks the picker there for the pod.",
);

export type ImportPicker = z.infer<typeof ImportPicker>;

/** The preference of a picker that names none: beside `local` a share of the requests has stayed here already. */
export const defaultPreference = (local: unknown) =>
  local === undefined ? "PreferLocal" : "PreferOthers";

const GlobalPicker = named(
  "GlobalPicker",
  z.strictObject({
    replicas: z.int32().min(0).default(1).describe("Pods of the picker."),
    ...programPodFields,
    image: programPodFields.image.describe(
      "The picker's image. Default: llm-d's, of the first release that picks among clusters.",
    ),
  }),
).describe("llm-d's picker as one among clusters, with this project's import-agent beside it.");

export type GlobalPicker = z.infer<typeof GlobalPicker>;

const ParentsAgent = named(
  "ParentsAgent",
  z.strictObject({
    tls: ParentTls.optional().describe("How the gateways are verified. Default: plain HTTP."),
    probe: ParentProbe.optional().describe(
      "A request by which the gateways are looked at. Default: a connection is enough.",
    ),
    ...programPodFields,
  }),
).describe(
  "A program that writes the route and its backends from the import: gateways of other clusters come and go with it, and those that do not answer get no requests.",
);

export type ParentsAgent = z.infer<typeof ParentsAgent>;

const ImportingGateway = named(
  "ImportingGateway",
  z.strictObject({
    type: GatewayType.default("generic").describe("The kind of gateway."),
    acceptsImports: z
      .boolean()
      .default(false)
      .describe(
        "Whether the gateway can have an InferencePool and an InferencePoolImport in one rule.",
      ),
  }),
).describe("What a gateway can do with an import.");

const LocalPool = named(
  "LocalPool",
  z.strictObject({ weight: weight.default(1).describe("The share of the requests that stay.") }),
).describe("The pool of the same name in this cluster.");

export const ImportedPoolSpec = z.strictObject({
  createNamespace: z
    .boolean()
    .default(false)
    .describe(
      "Creates the namespace. Imports are only written to namespaces that exist, and the controller makes none.",
    ),
  gateway: ImportingGateway.prefault({}).describe("The gateway that the route is for."),
  weight: weight.default(1).describe("The share of the requests that go to the import."),
  local: LocalPool.optional().describe(
    "The share that stays: the InferencePool of the same name in this cluster. Default: there is none.",
  ),
  parents: z
    .array(Parent)
    .min(1)
    .max(15)
    .optional()
    .describe(
      "Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`, which cannot take an import. Default: none.",
    ),
  parentsAgent: ParentsAgent.optional().describe(
    "In place of `parents`: these are the gateways that the import names, and the route is written by a program here as they change. Default: none.",
  ),
  picker: ImportPicker.optional().describe(
    "A picker of this project for the import, and an InferencePool by which gateways find it: they ask it, and it asks the pickers of the exporting clusters. Default: none.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the picker. Default: those who have to.",
  ),
  globalPicker: GlobalPicker.optional().describe(
    "Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`.",
  ),
  routeNamespace: namespaceName
    .optional()
    .describe(
      "Namespace of the route; one that is not the pool's gets a ReferenceGrant. Default: that of the pool.",
    ),
  ...routeFields,
  tls: Tls.optional().describe(
    "Verifies pickers and pods of exporting clusters, where the gateway takes a BackendTLSPolicy for an import. Default: nothing is verified.",
  ),
});

export type ImportedPoolSpec = z.infer<typeof ImportedPoolSpec>;
