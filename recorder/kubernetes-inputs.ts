import { randomBytes } from "node:crypto";
import {
  carrySecrets,
  isMap,
  isUnknown,
  type PropertyMap,
  UNKNOWN,
  withoutSecrets,
} from "./property-value.ts";

/** Inputs of a new object as the Kubernetes provider completes them, and the outputs that a preview knows. */

/** Metadata that only the API server sets, which inputs omit. */
const SERVER_SET_METADATA = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "uid",
];

/** Kinds of objects that have no namespace. Every other kind is taken for a namespaced one. */
const CLUSTER_SCOPED = new Set([
  ...["v1/Namespace", "v1/Node", "v1/PersistentVolume", "storage.k8s.io/v1/StorageClass"],
  ...[
    "rbac.authorization.k8s.io/v1/ClusterRole",
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
  ],
  ...["apiextensions.k8s.io/v1/CustomResourceDefinition", "scheduling.k8s.io/v1/PriorityClass"],
  ...["networking.k8s.io/v1/IngressClass", "gateway.networking.k8s.io/v1/GatewayClass"],
  ...[
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
  ].map((kind) => `admissionregistration.k8s.io/v1/${kind}`),
]);

export interface NewObject {
  type: string;
  /** Name of the resource, from which a missing name of the object is generated. */
  name: string;
  inputs: PropertyMap;
  /** Namespace of objects that set no namespace. */
  namespace: string;
}

/**
 * Returns the inputs with a namespace and a name.
 *
 * @throws Error with every reason why the provider would refuse the inputs
 */
export function completeInputs({ type, name, inputs, namespace }: NewObject): PropertyMap {
  const plain = withoutSecrets(inputs);
  const problems = [...problemsOf(type, plain)];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const { metadata: given = {} } = plain;
  // Metadata that is unknown as a whole gets its name once it is known.
  if (!isMap(given)) return inputs;
  const metadata = named(given, name);
  if (!metadata.namespace && isNamespaced(type)) metadata.namespace = namespace;
  for (const field of SERVER_SET_METADATA) delete metadata[field];
  return carrySecrets({ ...plain, metadata }, inputs);
}

/** Returns the outputs of an object that a preview knows. */
export function knownOutputs(inputs: PropertyMap): PropertyMap {
  const { metadata } = inputs;
  if (!isMap(metadata)) return inputs;
  const serverSet = {
    uid: UNKNOWN,
    resourceVersion: UNKNOWN,
    generation: UNKNOWN,
    creationTimestamp: UNKNOWN,
  };
  return { ...inputs, metadata: { ...serverSet, ...metadata } };
}

export const isNamespacedKind = (apiVersion: string, kind: string): boolean =>
  !CLUSTER_SCOPED.has(`${apiVersion}/${kind}`);

function isNamespaced(type: string): boolean {
  const { apiVersion, kind } = kindOf(type);
  return isNamespacedKind(apiVersion, kind.replace(/Patch$/, ""));
}

/** Returns `apps/v1` and `Deployment` for `kubernetes:apps/v1:Deployment`; the core group has no name in the API. */
function kindOf(type: string): { apiVersion: string; kind: string } {
  const [, version = "", kind = ""] = type.split(":");
  return { apiVersion: version.replace(/^core\//, ""), kind };
}

function* problemsOf(type: string, inputs: PropertyMap): Iterable<string> {
  if (/^kubernetes:(helm\.sh|kustomize)/.test(type)) {
    yield `${type} needs the provider's plugin; use typed resources, yaml.ConfigGroup or the Pulumi CLI`;
    return;
  }
  // Type tokens of the core group's classes contain `core/v1`; the type token of a CustomResource with the apiVersion
  // `v1` contains no group.
  if (/^kubernetes:[^/]*:/.test(type))
    yield `${type}: the provider creates no CustomResource of the core group; use a class of kubernetes.core.v1`;
  const metadata = isMap(inputs.metadata) ? inputs.metadata : {};
  const { kind } = inputs;
  // A resource such as ConfigMapPatch manages some fields of an object of another owner.
  const isPatch = kindOf(type).kind === `${String(kind)}Patch`;
  if (typeof kind === "string" && kind.endsWith("List") && "items" in inputs)
    yield "kind: a list cannot be created; create its items";
  if (!inputs.apiVersion || !kind) yield "apiVersion and kind have to be set";
  if (metadata.name === undefined && isPatch)
    yield "metadata.name: a Patch resource names the object whose fields it manages";
  if (metadata.name === undefined && metadata.generateName !== undefined)
    yield "metadata.generateName: is not supported with server-side apply; set name or neither";
}

function named(given: PropertyMap, name: string): PropertyMap {
  const metadata = { ...given };
  if (metadata.name !== undefined && metadata.name !== "") return metadata;
  metadata.name = `${name}-${randomBytes(4).toString("hex")}`;
  const annotations = metadata.annotations ?? {};
  if (!isUnknown(annotations))
    metadata.annotations = { ...(annotations as PropertyMap), "pulumi.com/autonamed": "true" };
  return metadata;
}
