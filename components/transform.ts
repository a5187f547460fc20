import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Kind } from "../kubernetes/kinds/index.ts";
import { isDeferred, isKnownMap } from "../kubernetes/values/deferred.ts";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import type { GatewayArgs } from "./kubernetes/gateway.ts";
import type { HTTPRouteArgs } from "./kubernetes/http-route.ts";
import type { InferencePoolArgs } from "./kubernetes/inference-pool.ts";
import type { LeaderWorkerSetArgs } from "./kubernetes/leader-worker-set.ts";
import type { PodGroupArgs } from "./kubernetes/pod-group.ts";

/**
 * A change to every child of one kind, for what the arguments have no word for.
 *
 * An object is merged into the planned one as `kubectl patch --type merge` would: objects merge, null removes,
 * everything else replaces. A function gets the planned object, the resource options and the child's logical
 * name, and changes the first two in place.
 */
export type Transform<Args> =
  | { readonly [field: string]: unknown }
  | ((args: pulumi.Unwrap<Args>, opts: pulumi.CustomResourceOptions, name: string) => void);

/**
 * Transforms by kind of child. They run when the component is created, before engine transforms. Name and
 * namespace of an object stay as planned, since other objects refer to it by them.
 */
export interface ObjectTransforms {
  podGroup?: Transform<PodGroupArgs>;
  leaderWorkerSet?: Transform<LeaderWorkerSetArgs>;
  serviceAccount?: Transform<types.input.core.v1.ServiceAccount>;
  role?: Transform<types.input.rbac.v1.Role>;
  roleBinding?: Transform<types.input.rbac.v1.RoleBinding>;
  clusterRole?: Transform<types.input.rbac.v1.ClusterRole>;
  clusterRoleBinding?: Transform<types.input.rbac.v1.ClusterRoleBinding>;
  configMap?: Transform<types.input.core.v1.ConfigMap>;
  secret?: Transform<types.input.core.v1.Secret>;
  networkPolicy?: Transform<types.input.networking.v1.NetworkPolicy>;
  deployment?: Transform<types.input.apps.v1.Deployment>;
  podDisruptionBudget?: Transform<types.input.policy.v1.PodDisruptionBudget>;
  service?: Transform<types.input.core.v1.Service>;
  inferencePool?: Transform<InferencePoolArgs>;
  gateway?: Transform<GatewayArgs>;
  httpRoute?: Transform<HTTPRouteArgs>;
  namespace?: Transform<types.input.core.v1.Namespace>;
  referenceGrant?: Transform<Manifest>;
  backendTlsPolicy?: Transform<Manifest>;
  agentgatewayBackend?: Transform<Manifest>;
  llmServerPool?: Transform<Manifest>;
  llmService?: Transform<Manifest>;
  inferenceModelRewrite?: Transform<Manifest>;
  inferenceObjective?: Transform<Manifest>;
  /** The service as an object of its own kind. */
  statusObject?: Transform<Manifest>;
}

/** A child before it is created. */
export interface ChildDraft {
  readonly name: string;
  readonly manifest: Manifest;
  readonly opts: pulumi.CustomResourceOptions;
}

const keyOf: Partial<Record<Kind, keyof ObjectTransforms>> = {
  PodGroup: "podGroup",
  LeaderWorkerSet: "leaderWorkerSet",
  ServiceAccount: "serviceAccount",
  Role: "role",
  RoleBinding: "roleBinding",
  ClusterRole: "clusterRole",
  ClusterRoleBinding: "clusterRoleBinding",
  ConfigMap: "configMap",
  Secret: "secret",
  NetworkPolicy: "networkPolicy",
  Deployment: "deployment",
  PodDisruptionBudget: "podDisruptionBudget",
  Service: "service",
  InferencePool: "inferencePool",
  Gateway: "gateway",
  HTTPRoute: "httpRoute",
  Namespace: "namespace",
  ReferenceGrant: "referenceGrant",
  BackendTLSPolicy: "backendTlsPolicy",
  AgentgatewayBackend: "agentgatewayBackend",
  LLMServerPool: "llmServerPool",
  LLMService: "llmService",
  InferenceModelRewrite: "inferenceModelRewrite",
  InferenceObjective: "inferenceObjective",
  InferenceService: "statusObject",
};

/**
 * @param component as it is named in the error
 * @throws RunError for a transform of a kind that no component makes
 */
export function assertKnownTransforms(component: string, transforms: ObjectTransforms): void {
  const known = new Set<string | undefined>(Object.values(keyOf));
  const unknown = Object.keys(transforms).filter((key) => !known.has(key));
  if (unknown.length === 0) return;
  throw new pulumi.RunError(
    `${component}: transform: has ${unknown.join(", ")}, which no child is; ` +
      `allowed: ${[...known].sort().join(", ")}. Name the kind of the child.`,
  );
}

/** The child as its kind's transform leaves it. The draft itself is not touched: children share parts. */
export function transformed(
  draft: ChildDraft,
  kind: Kind,
  transforms: ObjectTransforms,
): ChildDraft {
  const key = keyOf[kind];
  const transform = key && (transforms[key] as Transform<Manifest> | undefined);
  if (transform === undefined) return draft;
  const { name } = draft;
  const opts = { ...draft.opts };
  let manifest: Manifest;
  if (typeof transform === "function") {
    manifest = copied(draft.manifest);
    transform(manifest as pulumi.Unwrap<Manifest>, opts, name);
  } else {
    manifest = merged(draft.manifest, transform) as Manifest;
  }
  assertSameObject(`transform.${key}`, draft.manifest, manifest);
  return { name, manifest, opts };
}

function assertSameObject(transform: string, planned: Manifest, made: Manifest): void {
  for (const field of ["name", "namespace"] as const) {
    const [before, after] = [planned.metadata[field], made.metadata?.[field]];
    if (before === after) continue;
    throw new pulumi.RunError(
      `${transform}: changes metadata.${field} of ${planned.kind} "${planned.metadata.name}" from ${shown(before)} to ${shown(after)}; ` +
        `it stays as planned, since other objects refer to it. Set metadata.${field} of the component instead.`,
    );
  }
}

const shown = (value: unknown) => (isDeferred(value) ? "an Output" : JSON.stringify(value));

/** JSON merge patch (RFC 7386). Values known only later are replaced, never merged into. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isKnownMap(patch)) return patch;
  const result: Record<string, unknown> = isKnownMap(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else if (value !== undefined) result[field] = merged(result[field], value);
  }
  return result;
}

function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copied) as T;
  if (!isKnownMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, entry]) => [field, copied(entry)]),
  ) as T;
}
