import { z } from "zod";
import {
  labelValue,
  namespaceName,
  objectName,
  portNumber,
} from "../../kubernetes/kinds/field-types.ts";
import { notBoth, validations } from "../../kubernetes/kinds/validation-rules.ts";
import { poolGatewayTypes } from "../gateways/pool-gateways.ts";
import { Export } from "./export.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { programPodFields } from "./program-pods.ts";
import { failureModes, routingStrategies } from "./role.ts";

/**
 * LLMServerPool, `inference.x-k8s.io/v1alpha1`: model servers that share their capacity among LLMServices.
 * `modelServerSelector` is that of the LLM Instance Gateway proposal; the other fields are ours.
 */
export const llmServerPoolKind = {
  apiVersion: "inference.x-k8s.io/v1alpha1",
  kind: "LLMServerPool",
} as const;

/** pd-disaggregation needs the roles of an InferenceService. */
export const poolStrategies = routingStrategies.filter((name) => name !== "pd-disaggregation");

const EndpointPickerFields = z.strictObject({
  serviceRef: z
    .strictObject({ name: objectName, port: portNumber.default(9002) })
    .optional()
    .describe("Service of a picker that is deployed already; then nothing else may be given."),
  strategy: z.enum(poolStrategies).optional().describe("Default prefix-cache."),
  endpointPickerConfig: z
    .string()
    .min(1)
    .optional()
    .describe("The picker's configuration as YAML text, in place of a strategy."),
  replicas: z.int32().min(0).optional().describe("Default 1."),
  ...programPodFields,
  ...pickerServingFields,
  metricsAuth: z
    .boolean()
    .optional()
    .describe("Whether /metrics asks for a token that may read it. Default true."),
});

const besideServiceRef = Object.keys(EndpointPickerFields.shape).filter((f) => f !== "serviceRef");

/** The Deployment that picks a server for every request, or the Service of one that is there already. */
export const EndpointPicker = EndpointPickerFields.meta(
  validations(
    {
      rule: `!has(self.serviceRef) || !(${besideServiceRef.map((f) => `has(self.${f})`).join(" || ")})`,
      message: "serviceRef stands alone, since that picker is somebody else's",
    },
    notBoth("strategy", "endpointPickerConfig"),
  ),
);

export const poolFields = {
  gateway: z
    .strictObject({ type: z.enum(poolGatewayTypes) })
    .optional()
    .describe("Kind of the gateway in front, which may need objects of its own beside the pool."),
  networkPolicy: NetworkPolicyArgument,
  export: Export.optional().describe("Exports the pool to the other clusters of its set."),
  targetPorts: z
    .array(portNumber)
    .min(1)
    .max(8)
    .meta(
      validations({
        rule: "self.all(a, self.exists_one(b, b == a))",
        message: "a pool names a port once",
      }),
    )
    .default([8000])
    .describe("Ports of the model servers."),
  endpointPicker: EndpointPicker.prefault({}),
  failureMode: z
    .enum(failureModes)
    .default("FailClose")
    .describe("Whether requests are refused or go to any server while the picker does not answer."),
};

/** A model name, or every name that begins so: `games-*`. */
const namePattern = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[^*]+\*?$/, "a model name, or how names begin, such as games-*");

const AllowedNamespace = z
  .union([
    namespaceName,
    z.strictObject({
      namespace: namespaceName,
      models: z.array(namePattern).max(64).optional(),
    }),
  ])
  // A text or an object: a structural schema has no word for it.
  .meta({ "x-kubernetes-preserve-unknown-fields": true });

export const selector = z
  .record(z.string(), labelValue)
  .meta({ minProperties: 1, maxProperties: 64 });

export const LLMServerPoolSpec = z.strictObject({
  modelServerSelector: selector.describe("Labels of the model servers' pods."),
  ...poolFields,
  allowUnregisteredModels: z
    .boolean()
    .default(false)
    .describe("Whether models that no LLMService registers are served."),
  allowedNamespaces: z
    .array(AllowedNamespace)
    .max(64)
    .default([])
    .describe(
      "Namespaces, besides the pool's own, whose LLMServices may use the pool: each a name, or {namespace, models: [games-*]} with the model names that they may register there.",
    ),
  reservedModels: z
    .array(namePattern)
    .max(64)
    .optional()
    .describe(
      "Model names, such as the base model's, that only LLMServices of the pool's own namespace may register.",
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
  selector,
  ...poolFields,
});
export type InferencePoolComponentSpec = z.infer<typeof InferencePoolComponentSpec>;
