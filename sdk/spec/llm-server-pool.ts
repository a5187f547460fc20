import { z } from "zod";
import {
  labelValue,
  namespaceName,
  objectName,
  portNumber,
} from "../../kubernetes/kinds/field-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { notBoth, validations } from "../../kubernetes/kinds/validation-rules.ts";
import { named, output, typed } from "./argument.ts";
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
 * LLMServerPool, `inference.x-k8s.io/v1alpha1`: model servers that share their capacity among LLMServices.
 * `modelServerSelector` is that of the LLM Instance Gateway proposal; the other fields are ours.
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
      name: output(objectName).describe("The Service's name."),
      port: portNumber.default(9002).describe("Port of its ext-proc gRPC service."),
    }),
  )
    .describe("A Service in the pool's namespace.")
    .optional()
    .describe("Service of a picker that is deployed already; nothing else may be given then."),
  shared: SharedPickerPort.optional().describe(
    "A SharedEndpointPicker that picks for this pool too, in place of a picker of its own; beside it there may be a strategy or a configuration. Default: the pool has a picker of its own.",
  ),
  strategy: PoolStrategy.optional().describe(
    "How a request finds its pod; pd-disaggregation needs an InferenceService. Default prefix-cache.",
  ),
  endpointPickerConfig: z
    .string()
    .min(1)
    .optional()
    .describe("The picker's configuration as YAML text, in place of a strategy."),
  kvEvents: z
    .boolean()
    .optional()
    .describe(
      "Whether the picker hears from the model servers which prefixes they have cached, in place of an estimate. They publish by arguments of their own, which docs/prefix-cache.md lists. Default false.",
    ),
  ...pickerRequestFields,
  replicas: z.int32().min(0).optional().describe("Pods of the picker. Default 1."),
  ...programPodFields,
  ...pickerServingFields,
  metricsAuth: z
    .boolean()
    .optional()
    .describe(
      "Whether the picker's /metrics asks for a token that may read it, which needs a ClusterRole. Default true.",
    ),
});

const ofPods = Object.keys(EndpointPickerFields.shape).filter(
  (f) => !["serviceRef", "shared", ...besideSharedFields].includes(f),
);
const besideServiceRef = Object.keys(EndpointPickerFields.shape).filter((f) => f !== "serviceRef");

/** The Deployment that picks a server for every request, or the Service of one that is there already. */
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
).describe("The picker that chooses the model server of every request.");

export const poolFields = {
  gateway: PoolGateway.optional().describe(
    "The gateway in front of the pool. Default: one that needs no objects of its own.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the picker. Default: those who have to.",
  ),
  export: Export.optional().describe(
    "Exports the pool to the other clusters of its set. Default: it is not exported.",
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
  endpointPicker: EndpointPicker.prefault({}).describe(
    "The picker that is deployed for the pool, or one that is there already.",
  ),
  failureMode: FailureMode.default("FailClose").describe(
    "What the gateway does while the endpoint picker does not answer.",
  ),
};

/** A model name, or every name that begins so: `games-*`. */
const namePattern = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[^*]+\*?$/, "a model name, or a prefix of names such as games-*");

const AllowedNamespaceObject = named(
  "AllowedNamespace",
  z.strictObject({
    namespace: namespaceName.describe("The namespace that its LLMServices are in."),
    models: z
      .array(namePattern)
      .max(64)
      .optional()
      .describe(
        "Model names that they may register: names, or how they begin (`games-*`). Default: any that is not reserved.",
      ),
  }),
).describe("A namespace that a pool admits.");

const AllowedNamespace = z
  .union([namespaceName, AllowedNamespaceObject])
  // A string or an object: a structural schema has no word for it.
  .meta({ "x-kubernetes-preserve-unknown-fields": true });

export const selector = z
  .record(z.string(), labelValue)
  .meta({ minProperties: 1, maxProperties: 64 });

export const LLMServerPoolSpec = z.strictObject({
  modelServerSelector: selector.describe(
    "Labels of the model servers' pods; no other pool may select one of them.",
  ),
  ...poolFields,
  allowUnregisteredModels: z
    .boolean()
    .default(false)
    .describe(
      "Whether requests for models that no LLMService registers are served, at the priority of the InferenceObjective that they name; else they are answered with 404. A pool that serves them says by reservedModels or by models of each of allowedNamespaces which names other namespaces may not take.",
    ),
  allowedNamespaces: z
    .array(AllowedNamespace)
    .max(64)
    .default([])
    .describe(
      "Namespaces, besides the pool's own, whose LLMServices may use the pool: each a name, or {namespace, models: [games-*]} with the model names that they may register there.",
    ),
  fairness: Fairness.optional().describe(
    "How LLMServices share the pool while it cannot serve all at once. Default: by their shares, objectives first.",
  ),
  flowControl: FlowControl.optional().describe(
    "How requests wait in the picker while no model server has room. Default: with limits that suit interactive chat; `enabled: false` lets them wait at the model servers.",
  ),
  reservedModels: z
    .array(namePattern)
    .max(64)
    .optional()
    .describe(
      "Model names, such as the base model's, that only LLMServices of the pool's own namespace may register: names, or how they begin (`meta-llama/*`). Default: whoever registers a name has it, the pool's own namespace first.",
    ),
});

/** The namespaces that a pool admits besides its own, and the names that each may register; undefined for any. */
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

/** InferencePool as a component: pods that are there already, behind a picker that takes any model. */
export const InferencePoolComponentSpec = z.strictObject({
  selector: selector.describe("Labels of the model servers' pods."),
  ...poolFields,
});
export type InferencePoolComponentSpec = z.infer<typeof InferencePoolComponentSpec>;
