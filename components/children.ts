import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { unpublishedImage } from "../sdk/plan/picker/unpublished-image.ts";
import { autoscaledSets } from "../sdk/plan/workloads/autoscalers.ts";
import type { Metadata } from "../sdk/spec/inference-service.ts";
import { factsOf, kindOf } from "../sdk/topology/planned-kinds.ts";
import { childName } from "./base/child-name.ts";
import { inNamespace } from "./base/namespace.ts";
import { type ComponentOptions, handedOn, joinedHooks } from "./child-options.ts";
import { definitionsFor } from "./crds/crds-in-program.ts";
import { replacementOptions } from "./kubernetes/kind-options.ts";
import { type ChildKindName, childKinds } from "./nodes/child-kinds.ts";
import { type NodeKeys, type NodesOf, nodeKeyOf, nodesOf } from "./nodes/node-keys.ts";
import { assertKnownTransforms, type PlannedChild, transformed } from "./nodes/transform.ts";
import { type Readiness, timeoutsOf } from "./readiness.ts";
import { placementHooks } from "./rollout/placement-hooks.ts";
import { type RolloutSettings, rolloutHooks } from "./rollout/rollout-hooks.ts";

/** Programs that have logged the warning, by their connection to the engine. Each run has its own connection. */
const warned = new WeakSet<object>();

/** Logs one warning per program, in previews, if pods would use an image that is not published yet. */
function warnUnpublishedImage(component: pulumi.Resource, manifests: readonly Manifest[]): void {
  const program = pulumi.runtime.getMonitor();
  if (!pulumi.runtime.isDryRun() || program === undefined || warned.has(program)) return;
  const warning = unpublishedImage(manifests);
  if (warning === undefined) return;
  warned.add(program);
  void pulumi.log.warn(warning, component);
}

/** Properties shared by the children of one component. */
export interface Family<P extends NodeKeys> {
  readonly parent: pulumi.ComponentResource;
  /** Logical name of the component. */
  readonly name: string;
  /** Type and name of the component in messages, such as `InferenceService "deepseek"`. */
  readonly title: string;
  readonly metadata: Metadata;
  /** Namespace of the objects. It replaces the placeholder in the plan. */
  readonly namespace: pulumi.Input<string>;
  readonly opts: ComponentOptions<P>;
  readonly readiness: Readiness;
  readonly rollout: RolloutSettings;
  readonly nodeKeys: P;
}

type ResourceClass = new (
  name: string,
  args: Manifest,
  opts: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

/** Creates a resource for every planned object, in the plan's order. */
export function createChildren<P extends NodeKeys>(
  family: Family<P>,
  manifests: readonly Manifest[],
): NodesOf<P> {
  const { parent, title, nodeKeys, opts, metadata } = family;
  assertKnownTransforms(title, nodeKeys, opts.transform);
  warnUnpublishedImage(parent, manifests);
  const autoscaled = autoscaledSets(manifests);
  const byKind = new Map<ChildKindName, pulumi.CustomResource[]>();
  const sets = () => byKind.get("LeaderWorkerSet") ?? [];
  const hooks = joinedHooks(
    rolloutHooks(parent, title, manifests, family.rollout, sets),
    placementHooks(parent, title, manifests),
  );
  const byNodeKey = new Map<string, pulumi.CustomResource[]>();
  for (const manifest of manifests) {
    const kind = plannedKind(manifest);
    const earlier = [
      ...definitionsFor(parent, manifest),
      ...childKinds[kind].after.flatMap((first) => byKind.get(first) ?? []),
    ];
    const path = nodeKeyOf(nodeKeys, kind, manifest, metadata);
    const planned = plannedChild(family, manifest, kind, earlier);
    if (kind === "LeaderWorkerSet") {
      if (hooks !== undefined) planned.opts.hooks = hooks;
      // The autoscaler owns the number of replicas from its first change on.
      if (autoscaled.has(manifest.metadata.name))
        planned.opts.ignoreChanges = [...(planned.opts.ignoreChanges ?? []), "spec.replicas"];
    }
    const child = transformed(planned, path, opts.transform);
    const resource = new (childKinds[kind].class as unknown as ResourceClass)(
      child.name,
      child.manifest,
      child.opts,
    );
    add(byKind, kind, resource);
    add(byNodeKey, path.join("."), resource);
  }
  return nodesOf(nodeKeys, byNodeKey);
}

function add<Key>(map: Map<Key, pulumi.CustomResource[]>, key: Key, value: pulumi.CustomResource) {
  const values = map.get(key) ?? [];
  map.set(key, values);
  values.push(value);
}

function plannedKind(manifest: Manifest): ChildKindName {
  const kind = kindOf(manifest);
  if (kind !== undefined && Object.hasOwn(childKinds, kind)) return kind as ChildKindName;
  const { apiVersion, metadata } = manifest;
  throw new Error(
    `${apiVersion} ${manifest.kind} "${metadata.name}": no resource class for this kind`,
  );
}

function plannedChild<P extends NodeKeys>(
  { parent, name, metadata, namespace, opts, readiness }: Family<P>,
  manifest: Manifest,
  kind: ChildKindName,
  earlier: pulumi.Resource[],
): PlannedChild {
  const timeouts = timeoutsOf(kind, readiness);
  return {
    name: childName(name, metadata, manifest),
    manifest: withReadiness(inNamespace(manifest, namespace), kind, readiness),
    opts: {
      parent,
      ...(earlier.length > 0 ? { dependsOn: earlier } : {}),
      ...(timeouts === undefined ? {} : { customTimeouts: timeouts }),
      ...mergedOptions(kind, handedOn(opts, manifest), manifest),
    },
  };
}

/**
 * Returns the object with the annotations that make the provider wait or skip waiting. Annotations set in the service
 * take precedence.
 */
export function withReadiness(
  manifest: Manifest,
  kind: ChildKindName,
  readiness: Readiness,
): Manifest {
  const { metadata } = manifest;
  const annotations = childKinds[kind].awaited(readiness, metadata.name);
  if (annotations === undefined) return manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...annotations, ...metadata.annotations } },
  };
}

/**
 * Returns the options of a child. Classes of @pulumi/kubernetes do not handle the replacement of an object with a fixed
 * name.
 */
function mergedOptions(
  kind: ChildKindName,
  opts: pulumi.CustomResourceOptions,
  { metadata }: Manifest,
): pulumi.CustomResourceOptions {
  if (childKinds[kind].isTyped) return opts;
  return pulumi.mergeOptions(replacementOptions(factsOf(kind), metadata), opts);
}
