import { apps, core, rbac } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { factsOf, kindOf } from "../sdk/kubernetes/kinds.ts";
import type { Manifest } from "../sdk/kubernetes/manifest.ts";
import { present } from "../sdk/kubernetes/present.ts";
import type { Metadata } from "../sdk/spec/inference-service.ts";
import { childName } from "./child-name.ts";
import { handedOn, type InferenceServiceOptions } from "./child-options.ts";
import { Gateway } from "./kubernetes/gateway.ts";
import { HTTPRoute } from "./kubernetes/http-route.ts";
import { InferencePool } from "./kubernetes/inference-pool.ts";
import { replacementOptions } from "./kubernetes/kind-options.ts";
import { LeaderWorkerSet } from "./kubernetes/leader-worker-set.ts";
import { PodGroup } from "./kubernetes/pod-group.ts";
import { type Readiness, timeoutsOf, withReadiness } from "./readiness.ts";
import { type ChildDraft, transformed } from "./transform.ts";

/** The resources of an InferenceService, by kind; those that its spec does not ask for are undefined. */
export interface InferenceServiceNodes {
  readonly podGroup?: PodGroup;
  /** In the order of the roles and their replicas. */
  readonly leaderWorkerSets: readonly LeaderWorkerSet[];
  readonly serviceAccount?: core.v1.ServiceAccount;
  readonly role?: rbac.v1.Role;
  readonly roleBinding?: rbac.v1.RoleBinding;
  readonly clusterRole?: rbac.v1.ClusterRole;
  readonly clusterRoleBinding?: rbac.v1.ClusterRoleBinding;
  readonly configMap?: core.v1.ConfigMap;
  readonly deployment?: apps.v1.Deployment;
  readonly service?: core.v1.Service;
  readonly inferencePool?: InferencePool;
  readonly gateway?: Gateway;
  readonly httpRoute?: HTTPRoute;
}

/** Classes of this package; they know their kind's facts themselves. */
const ownClasses = { PodGroup, LeaderWorkerSet, InferencePool, Gateway, HTTPRoute };

/** Classes of @pulumi/kubernetes. */
const builtInClasses = {
  ServiceAccount: core.v1.ServiceAccount,
  Role: rbac.v1.Role,
  RoleBinding: rbac.v1.RoleBinding,
  ClusterRole: rbac.v1.ClusterRole,
  ClusterRoleBinding: rbac.v1.ClusterRoleBinding,
  ConfigMap: core.v1.ConfigMap,
  Deployment: apps.v1.Deployment,
  Service: core.v1.Service,
};

type Classes = typeof ownClasses & typeof builtInClasses;
type PlannedKind = keyof Classes;
type ResourceOf<K extends PlannedKind> = InstanceType<Classes[K]>;
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
  InferencePool: ["Service"],
  HTTPRoute: ["InferencePool", "Gateway"],
};

/** What the children of one component have in common. */
export interface Family {
  readonly parent: pulumi.ComponentResource;
  /** Logical name of the component. */
  readonly name: string;
  readonly metadata: Metadata;
  readonly opts: InferenceServiceOptions;
  readonly readiness: Readiness;
}

/** Creates a resource for every planned object, in the plan's order. */
export function createChildren(
  family: Family,
  manifests: readonly Manifest[],
): InferenceServiceNodes {
  const made = new Map<PlannedKind, pulumi.CustomResource[]>();
  for (const manifest of manifests) {
    const kind = plannedKind(manifest);
    const earlier = (after[kind] ?? []).flatMap((first) => made.get(first) ?? []);
    const { name, manifest: args, opts } = draftOf(family, manifest, kind, earlier);
    const siblings = made.get(kind) ?? [];
    made.set(kind, siblings);
    siblings.push(new classes[kind](name, args, opts));
  }
  return nodesOf(made);
}

function plannedKind(manifest: Manifest): PlannedKind {
  const kind = kindOf(manifest);
  if (kind !== undefined && Object.hasOwn(classes, kind)) return kind as PlannedKind;
  const { apiVersion, metadata } = manifest;
  throw new Error(
    `${apiVersion} ${manifest.kind} "${metadata.name}": no resource class for this kind`,
  );
}

function draftOf(
  { parent, name, metadata, opts, readiness }: Family,
  manifest: Manifest,
  kind: PlannedKind,
  earlier: pulumi.CustomResource[],
): ChildDraft {
  const timeouts = timeoutsOf(kind, readiness);
  const draft = {
    name: childName(name, metadata, manifest),
    manifest: withReadiness(manifest, kind, readiness),
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

function nodesOf(made: ReadonlyMap<PlannedKind, pulumi.CustomResource[]>): InferenceServiceNodes {
  const only = <K extends PlannedKind>(kind: K) => made.get(kind)?.[0] as ResourceOf<K> | undefined;
  return present({
    podGroup: only("PodGroup"),
    leaderWorkerSets: (made.get("LeaderWorkerSet") ?? []) as LeaderWorkerSet[],
    serviceAccount: only("ServiceAccount"),
    role: only("Role"),
    roleBinding: only("RoleBinding"),
    clusterRole: only("ClusterRole"),
    clusterRoleBinding: only("ClusterRoleBinding"),
    configMap: only("ConfigMap"),
    deployment: only("Deployment"),
    service: only("Service"),
    inferencePool: only("InferencePool"),
    gateway: only("Gateway"),
    httpRoute: only("HTTPRoute"),
  });
}
