import { z } from "zod";
import {
  count,
  labelValue,
  namespaceName,
  nonEmptyText,
  objectName,
  portNumber,
} from "../../kubernetes/kinds/field-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { AppProtocol } from "../../kubernetes/kinds/inference-pool.ts";
import { notBoth, validations } from "../../kubernetes/kinds/validation-rules.ts";
import { named, offByDefault, output, typed } from "../schemas/argument.ts";
import { Export } from "./export.ts";
import { Fairness, FlowControl } from "./flow-control.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerRequestFields } from "./picker-requests.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { PoolGateway } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";
import { FailureMode, RoutingStrategy } from "./role.ts";
import { besideSharedFields, SharedPickerPort } from "./shared-picker-port.ts";

/**
 * LLMServerPool, `inference.x-k8s.io/v1alpha1`: model servers that share their capacity among LLMServices. The LLM
 * Instance Gateway proposal defines `modelServerSelector`; this project defines the other fields.
 */
export const llmServerPoolKind = {
  apiVersion: kinds.LLMServerPool.apiVersion,
  kind: "LLMServerPool",
} as const;

/** pd-disaggregation needs the roles of an InferenceService. */
const PoolStrategy = typed("RoutingStrategy", RoutingStrategy.exclude(["pd-disaggregation"]));

const EndpointPickerFields = z.strictObject({
  serviceRef: named(
    "EndpointPickerService",
    z.strictObject({
      name: output(objectName).describe("Name of the Service."),
      port: portNumber.default(9002).describe("Port of its ext_proc gRPC service."),
    }),
  )
    .describe("Service in the pool's namespace.")
    .optional()
    .describe("Service of an existing picker. No other field may be set with it."),
  shared: SharedPickerPort.optional().describe(
    "SharedEndpointPicker that also serves this pool, instead of a dedicated picker. A strategy or a configuration may be set with it. Default: a dedicated picker.",
  ),
  strategy: PoolStrategy.optional().describe(
    "How the picker selects the pod of a request. pd-disaggregation needs an InferenceService. Default prefix-cache.",
  ),
  endpointPickerConfig: nonEmptyText
    .optional()
    .describe("Configuration of the picker as YAML text, instead of a strategy."),
  kvEvents: z
    .boolean()
    .optional()
    .describe(
      "Whether the model servers publish the prefixes in their caches to the picker, which otherwise estimates them. The servers need the arguments listed in docs/prefix-cache.md. Default false.",
    ),
  ...pickerRequestFields,
  replicas: count.optional().describe("Pods of the picker. Default 1."),
  ...programPodFields,
  ...pickerServingFields,
  metricsAuth: z
    .boolean()
    .optional()
    .describe(
      "Whether the picker's /metrics requires a bearer token with permission to read it. This needs a ClusterRole. Default true.",
    ),
});

const ofPods = Object.keys(EndpointPickerFields.shape).filter(
  (f) => !["serviceRef", "shared", ...besideSharedFields].includes(f),
);
const besideServiceRef = Object.keys(EndpointPickerFields.shape).filter((f) => f !== "serviceRef");

/** Deployment that selects a server for each request, or the Service of an existing picker. */
export const EndpointPicker = named(
  "EndpointPicker",
  EndpointPickerFields.meta(
    validations(
      {
        rule: `!has(self.serviceRef) || !(${besideServiceRef.map((f) => `has(self.${f})`).join(" || ")})`,
        message:
          "serviceRef cannot be combined with other fields, because the referenced picker is deployed elsewhere",
      },
      {
        rule: `!has(self.shared) || !(${ofPods.map((f) => `has(self.${f})`).join(" || ")})`,
        message:
          "with shared, the SharedEndpointPicker configures the pods and pages of the picker",
      },
      notBoth("strategy", "endpointPickerConfig"),
      notBoth("kvEvents", "endpointPickerConfig"),
    ),
  ),
).describe("Picker that selects the model server of each request.");

export const poolFields = {
  gateway: PoolGateway.optional().describe(
    "Gateway in front of the pool. Default: a gateway that needs no further objects.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the picker. Default: only the peers that need to.",
  ),
  export: Export.optional().describe(
    "Exports the pool to the other clusters of its set. Default: no export.",
  ),
  targetPorts: z
    .array(portNumber)
    .min(1)
    .max(8)
    .meta(
      validations({
        rule: "self.all(a, self.exists_one(b, b == a))",
        message: "the target ports of a pool are unique",
      }),
    )
    .default([8000])
    .describe("Ports of the model servers, 1 to 8."),
  appProtocol: AppProtocol.optional().describe(
    "Protocol of the model servers: `http`, which is HTTP/1.1, or `kubernetes.io/h2c` for gRPC. Default: `http`.",
  ),
  endpointPicker: EndpointPicker.prefault({}).describe(
    "Picker of the pool: the settings of a new one, or the Service of an existing one.",
  ),
  failureMode: FailureMode.default("FailClose").describe(
    "How the gateway handles requests while the endpoint picker does not respond.",
  ),
};

/** A model name, or a pattern such as `games-*` for all names with that prefix. */
const namePattern = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[^*]+\*?$/, "a model name, or a prefix of names such as games-*");

const AllowedNamespaceObject = named(
  "AllowedNamespace",
  z.strictObject({
    namespace: namespaceName.describe("Namespace of the LLMServices."),
    models: z
      .array(namePattern)
      .max(64)
      .optional()
      .describe(
        "Model names that these LLMServices may register, or prefixes such as `games-*`. Default: any name that is not reserved.",
      ),
  }),
).describe("Namespace that a pool admits.");

const AllowedNamespace = z
  .union([namespaceName, AllowedNamespaceObject])
  // A string or an object, which a structural schema cannot express.
  .meta({ "x-kubernetes-preserve-unknown-fields": true });

export const selector = z
  .record(z.string(), labelValue)
  .meta({ minProperties: 1, maxProperties: 64 });

export const LLMServerPoolSpec = z.strictObject({
  modelServerSelector: selector.describe(
    "Labels of the model servers' pods. No two pools may select the same pod.",
  ),
  ...poolFields,
  allowUnregisteredModels: offByDefault(
    "Whether the pool serves requests for models that no LLMService registers, at the priority of the InferenceObjective that they name. If false, they get status 404. If true, use reservedModels, or `models` of each entry in allowedNamespaces, to limit the names that other namespaces can register.",
  ),
  allowedNamespaces: z
    .array(AllowedNamespace)
    .max(64)
    .default([])
    .describe(
      "Other namespaces whose LLMServices may use the pool. An entry is a namespace, or {namespace, models: [games-*]} with the model names that it may register.",
    ),
  fairness: Fairness.optional().describe(
    "How LLMServices share the pool while its capacity is exhausted. Default: by their shares, with objectives first.",
  ),
  flowControl: FlowControl.optional().describe(
    "How requests wait in the picker while no model server has free capacity. Default: enabled, with limits for interactive chat; `enabled: false` makes requests wait at the model servers.",
  ),
  reservedModels: z
    .array(namePattern)
    .max(64)
    .optional()
    .describe(
      "Model names that only LLMServices in the pool's namespace may register, such as the base model's name, or prefixes such as `meta-llama/*`. Default: no name is reserved. The first LLMService to register a name gets it, and LLMServices in the pool's namespace take precedence.",
    ),
});

/**
 * Returns the namespaces that a pool admits in addition to its own, with the names that each may register; undefined
 * for any name.
 */
export function allowedNamespacesOf(
  { allowedNamespaces }: Pick<LLMServerPoolSpec, "allowedNamespaces">,
  own: string,
): ReadonlyMap<string, readonly string[] | undefined> {
  return new Map(
    allowedNamespaces
      .map((each) => (typeof each === "string" ? { namespace: each, models: undefined } : each))
      .filter(({ namespace }) => namespace !== own)
      .map(({ namespace, models }) => [namespace, models]),
  );
}

export type LLMServerPoolSpec = z.infer<typeof LLMServerPoolSpec>;
export type LLMServerPoolSpecInput = z.input<typeof LLMServerPoolSpec>;
export type EndpointPicker = z.infer<typeof EndpointPicker>;

/** InferencePool as a component: existing pods behind an endpoint picker that accepts any model. */
export const InferencePoolComponentSpec = z.strictObject({
  selector: selector.describe("Labels of the model servers' pods."),
  ...poolFields,
});
export type InferencePoolComponentSpec = z.infer<typeof InferencePoolComponentSpec>;
