import {
  admissionregistration,
  apiextensions,
  apps,
  core,
  networking,
  policy,
  rbac,
} from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { factsOf, kindOf } from "../kubernetes/kinds/index.ts";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import type { Metadata } from "../sdk/spec/inference-service.ts";
import { childName } from "./child-name.ts";
import { type ComponentOptions, handedOn } from "./child-options.ts";
import { definitionsFor } from "./crds-in-program.ts";
import { Gateway } from "./kubernetes/gateway.ts";
import { HTTPRoute } from "./kubernetes/http-route.ts";
import { InferencePool } from "./kubernetes/inference-pool.ts";
import { replacementOptions } from "./kubernetes/kind-options.ts";
import { LeaderWorkerSet } from "./kubernetes/leader-worker-set.ts";
import { PodGroup } from "./kubernetes/pod-group.ts";
import { inNamespace } from "./namespace.ts";
import { type Readiness, timeoutsOf, withReadiness } from "./readiness.ts";
import { assertKnownTransforms, type ChildDraft, transformed } from "./transform.ts";
import { sayUnpublishedImage } from "./unpublished-image.ts";

/** Classes of this package; they know their kind's facts themselves. */
const ownClasses = { PodGroup, LeaderWorkerSet, InferencePool, Gateway, HTTPRoute };

/** Kinds that no class of this package is for. */
const { CustomResource } = apiextensions;

/** Classes of @pulumi/kubernetes. */
const builtInClasses = {
  LLMServerPool: CustomResource,
  LLMService: CustomResource,
  InferenceService: CustomResource,
  InferenceModelRewrite: CustomResource,
  InferenceObjective: CustomResource,
  ReferenceGrant: CustomResource,
  BackendTLSPolicy: CustomResource,
  AgentgatewayBackend: CustomResource,
  ServiceEntry: CustomResource,
  DestinationRule: CustomResource,
  HealthCheckPolicy: CustomResource,
  GCPBackendPolicy: CustomResource,
  Namespace: core.v1.Namespace,
  ServiceAccount: core.v1.ServiceAccount,
  Role: rbac.v1.Role,
  RoleBinding: rbac.v1.RoleBinding,
  ClusterRole: rbac.v1.ClusterRole,
  ClusterRoleBinding: rbac.v1.ClusterRoleBinding,
  ConfigMap: core.v1.ConfigMap,
  Secret: core.v1.Secret,
  NetworkPolicy: networking.v1.NetworkPolicy,
  MutatingWebhookConfiguration: admissionregistration.v1.MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy: admissionregistration.v1.ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding: admissionregistration.v1.ValidatingAdmissionPolicyBinding,
  Deployment: apps.v1.Deployment,
  PodDisruptionBudget: policy.v1.PodDisruptionBudget,
  Service: core.v1.Service,
};

type Classes = typeof ownClasses & typeof builtInClasses;
export type PlannedKind = keyof Classes;
export type ResourceOf<K extends PlannedKind> = InstanceType<Classes[K]>;
type ResourceClass = new (
  name: string,
  args: Manifest,
  opts: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

const classes = { ...ownClasses, ...builtInClasses } as unknown as Record<
  PlannedKind,
  ResourceClass
>;

/**
 * Kinds whose objects come first, and go last. LeaderWorkerSets do not wait for each other: members of a gang
 * start together or not at all, so waiting for one before creating the next would never end.
 */
const after: Partial<Record<PlannedKind, readonly PlannedKind[]>> = {
  LeaderWorkerSet: ["PodGroup"],
  RoleBinding: ["ServiceAccount", "Role"],
  ClusterRoleBinding: ["ServiceAccount", "ClusterRole"],
  Deployment: ["ConfigMap", "RoleBinding", "ClusterRoleBinding"],
  // Pods that it is for would wait for it.
  MutatingWebhookConfiguration: ["Service", "Deployment"],
  // A token is made for an account that is there.
  Secret: ["ServiceAccount"],
  InferencePool: ["Service"],
  HTTPRoute: [
    "Namespace",
    "InferencePool",
    "Gateway",
    "ReferenceGrant",
    "AgentgatewayBackend",
    "ServiceEntry",
  ],
  AgentgatewayBackend: ["Namespace"],
  ServiceEntry: ["Namespace"],
  DestinationRule: ["Namespace", "Service"],
  HealthCheckPolicy: ["InferencePool"],
  GCPBackendPolicy: ["InferencePool"],
  BackendTLSPolicy: ["Namespace"],
  ReferenceGrant: ["Namespace"],
  LLMServerPool: ["InferencePool"],
  LLMService: ["InferencePool"],
  InferenceModelRewrite: ["InferencePool"],
  // Its status is about the others.
  InferenceService: [
    "LeaderWorkerSet",
    "Deployment",
    "InferencePool",
    "HTTPRoute",
    "LLMService",
    "InferenceModelRewrite",
  ],
};

/** What the children of one component have in common. */
export interface Family {
  readonly parent: pulumi.ComponentResource;
  /** Logical name of the component. */
  readonly name: string;
  readonly metadata: Metadata;
  /** In which the objects are made, where the plan has a placeholder for it. */
  readonly namespace: pulumi.Input<string>;
  readonly opts: ComponentOptions;
  readonly readiness: Readiness;
}

/** The resources that were made, by kind, in the plan's order. */
export class Children {
  readonly #made: ReadonlyMap<PlannedKind, pulumi.CustomResource[]>;

  constructor(made: ReadonlyMap<PlannedKind, pulumi.CustomResource[]> = new Map()) {
    this.#made = made;
  }

  all<K extends PlannedKind>(kind: K): ReadonlyArray<ResourceOf<K>> {
    return (this.#made.get(kind) ?? []) as unknown as ReadonlyArray<ResourceOf<K>>;
  }

  /** The first of a kind; of most kinds a component makes one at most. */
  one<K extends PlannedKind>(kind: K): ResourceOf<K> | undefined {
    return this.all(kind)[0];
  }
}

/** Creates a resource for every planned object, in the plan's order. */
export function createChildren(family: Family, manifests: readonly Manifest[]): Children {
  assertKnownTransforms(titleOf(family), family.opts.transform ?? {});
  sayUnpublishedImage(family.parent, manifests);
  const made = new Map<PlannedKind, pulumi.CustomResource[]>();
  for (const manifest of manifests) {
    const kind = plannedKind(manifest);
    const earlier = [
      ...definitionsFor(family.parent, manifest),
      ...(after[kind] ?? []).flatMap((first) => made.get(first) ?? []),
    ];
    const { name, manifest: args, opts } = draftOf(family, manifest, kind, earlier);
    const siblings = made.get(kind) ?? [];
    made.set(kind, siblings);
    siblings.push(new classes[kind](name, args, opts));
  }
  return new Children(made);
}

/** `InferenceService "deepseek"`. */
const titleOf = ({ parent, name }: Family): string =>
  `${String((parent as { __pulumiType?: unknown }).__pulumiType)
    .split(":")
    .at(-1)} "${name}"`;

function plannedKind(manifest: Manifest): PlannedKind {
  const kind = kindOf(manifest);
  if (kind !== undefined && Object.hasOwn(classes, kind)) return kind as PlannedKind;
  const { apiVersion, metadata } = manifest;
  throw new Error(
    `${apiVersion} ${manifest.kind} "${metadata.name}": no resource class for this kind`,
  );
}

function draftOf(
  { parent, name, metadata, namespace, opts, readiness }: Family,
  manifest: Manifest,
  kind: PlannedKind,
  earlier: pulumi.Resource[],
): ChildDraft {
  const timeouts = timeoutsOf(kind, readiness);
  const draft = {
    name: childName(name, metadata, manifest),
    manifest: withReadiness(inNamespace(manifest, namespace), kind, readiness),
    opts: {
      parent,
      ...(earlier.length > 0 ? { dependsOn: earlier } : {}),
      ...(timeouts === undefined ? {} : { customTimeouts: timeouts }),
      ...mergedOptions(kind, handedOn(opts, manifest), manifest),
    },
  };
  return transformed(draft, kind, opts.transform ?? {});
}

/** Classes of @pulumi/kubernetes do not know how their kind is replaced under a fixed name. */
function mergedOptions(
  kind: PlannedKind,
  opts: pulumi.CustomResourceOptions,
  { metadata }: Manifest,
): pulumi.CustomResourceOptions {
  if (!Object.hasOwn(builtInClasses, kind)) return opts;
  return pulumi.mergeOptions(replacementOptions(factsOf(kind), metadata), opts);
}
