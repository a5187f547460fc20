import { z } from "zod";
import * as fields from "../kubernetes/kinds/field-types.ts";
import * as gateway from "../kubernetes/kinds/gateway.ts";
import * as references from "../kubernetes/kinds/gateway-references.ts";
import * as httpRoute from "../kubernetes/kinds/http-route.ts";
import * as httpRouteFilter from "../kubernetes/kinds/http-route-filter.ts";
import * as inferencePool from "../kubernetes/kinds/inference-pool.ts";
import * as leaderWorkerSet from "../kubernetes/kinds/leader-worker-set.ts";
import * as podGroup from "../kubernetes/kinds/pod-group.ts";
import * as queue from "../kubernetes/kinds/queue.ts";
import { bare, descriptionOf, statedDescription, unwrapped } from "../sdk/schemas/argument.ts";
import { comment, generatedFile, interfaceText } from "./type-text.ts";

/**
 * Generates the types of the typed classes' specs and statuses from `kubernetes/kinds`: for each exported object, an
 * interface of the same name. Values of a spec may be Outputs; values of a status are what controllers reported.
 */

export const kubernetesTypesFile = "components/generated/kubernetes.ts";

/** Enumerations of the Gateway API are open, because gateways add values. */
const openWords = { ...gateway, ...references, ...httpRoute, ...httpRouteFilter };
const closedWords = { ...fields, ...inferencePool, ...leaderWorkerSet, ...podGroup, ...queue };

const k8s = (name: string) => `types.input.${name}`;

/** Types that the schemas leave to Kubernetes, or that accept more than this version of a kind does. */
const types: Readonly<Record<string, string>> = {
  "HTTPRequestRedirect.statusCode": "number",
  "HTTPRouteMatch.queryParams": "pulumi.Input<HTTPValueMatch>[]",
  "LeaderWorkerTemplate.leaderTemplate": k8s("core.v1.PodTemplateSpec"),
  "LeaderWorkerTemplate.workerTemplate": k8s("core.v1.PodTemplateSpec"),
  "LeaderWorkerTemplate.restartPolicy":
    '"RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None"',
  "LeaderWorkerTemplate.volumeClaimTemplates": `pulumi.Input<${k8s("core.v1.PersistentVolumeClaim")}>[]`,
  "LeaderWorkerTemplate.persistentVolumeClaimRetentionPolicy": k8s(
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  ),
  "PodGroupSubGroup.labelSelector": k8s("meta.v1.LabelSelector"),
  "QueueSpec.affinity": "Record<string, unknown>",
  "QueueSpec.extendClusters": "pulumi.Input<Record<string, unknown>>[]",
  "QueueStatus.allocated": "Record<string, string>",
  "RouteNamespaces.selector": k8s("meta.v1.LabelSelector"),
};

/** Fields that programs must set although the API server does not require them. */
const needed = new Set([
  "InferencePoolSpec.endpointPickerRef",
  "RolloutStrategy.type",
  "SubGroupPolicy.subGroupSize",
]);

/** Fields that are only in the experimental channel of the Gateway API. */
const experimental: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GatewaySpec: {
    allowedListeners: "pulumi.Inputs",
    backendTLS: "pulumi.Inputs",
    defaultScope: "pulumi.Input<string>",
    tls: "pulumi.Inputs",
  },
  ListenerTls: { frontendValidation: "pulumi.Inputs" },
  HTTPRouteSpec: { useDefaultGateways: "pulumi.Input<string>" },
  HTTPRouteRule: { retry: "pulumi.Inputs", sessionPersistence: "pulumi.Inputs" },
  HTTPRouteFilter: { cors: "pulumi.Inputs", externalAuth: "pulumi.Inputs" },
};

const named = new Map<z.core.$ZodType, string>();
for (const [name, value] of Object.entries({ ...openWords, ...closedWords }))
  if (/^[A-Z]/.test(name) && value instanceof z.ZodObject) named.set(value, name);

export const kubernetesTypeNames = [...named.values()];

/** Returns the types as the text of a file. */
export function kubernetesTypes(): string {
  const declared = [...named].map(([schema, name]) =>
    interfaceText(name, (schema as z.ZodObject).description, undefined, fieldsOf(name, schema)),
  );
  return generatedFile("kubernetes/kinds", "scripts/kubernetes-types.ts", declared.join("\n"));
}

function fieldsOf(name: string, schema: z.core.$ZodType): string[] {
  const wrap = /(Status|Condition)$/.test(name) ? plain : input;
  const isOpen = name in openWords;
  const own = Object.entries((schema as z.ZodObject).shape).map(([field, value]) => {
    const place = `${name}.${field}`;
    const isOptional = unwrapped(value).length > 1 && !needed.has(place);
    const known = types[place];
    const type = known === undefined ? typeOf(value, isOpen, wrap) : wrap(known);
    const says = needed.has(place) ? statedDescription(value) : descriptionOf(value, "`");
    const text = comment(says, "  ");
    return `${text}  ${field}${isOptional ? "?" : ""}: ${type};`;
  });
  const others = Object.entries(experimental[name] ?? {});
  return [
    ...own,
    ...others.map(([field, type]) => `  /** Experimental channel. */\n  ${field}?: ${type};`),
  ];
}

type Wrap = (type: string) => string;
const input: Wrap = (type) => `pulumi.Input<${type}>`;
const plain: Wrap = (type) => type;

function typeOf(schema: z.ZodType, isOpen: boolean, wrap: Wrap): string {
  return wrap(bareTypeOf(bare(schema), isOpen, wrap));
}

function bareTypeOf(schema: z.ZodType, isOpen: boolean, wrap: Wrap): string {
  const inner = (value: unknown) => typeOf(value as z.ZodType, isOpen, wrap);
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema instanceof z.ZodString) return "string";
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodEnum)
    return isOpen ? "string" : schema.options.map((word) => JSON.stringify(word)).join(" | ");
  if (schema instanceof z.ZodUnion)
    return schema.options.map((each) => bareTypeOf(each as z.ZodType, isOpen, plain)).join(" | ");
  if (schema instanceof z.ZodArray) return `${inner(schema.element)}[]`;
  if (schema instanceof z.ZodRecord) return `Record<string, ${inner(schema.valueType)}>`;
  if (!(schema instanceof z.ZodObject)) throw new Error(`a ${schema.type} needs a type`);
  const fields = Object.entries(schema.shape).map(
    ([field, value]) => `${field}${unwrapped(value).length > 1 ? "?" : ""}: ${inner(value)}`,
  );
  return `{ ${fields.join("; ")} }`;
}

/** Returns the name of an object's schema, also for schemas derived from it, for example with `.describe()`. */
const nameOf = (schema: z.core.$ZodType | undefined): string | undefined =>
  schema && (named.get(schema) ?? nameOf(schema._zod.parent));
