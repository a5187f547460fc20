import { unlessAbsent } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { objectPath } from "../../../kubernetes/paths.ts";
import { annotation } from "../../../sdk/names.ts";
import { withExtensions } from "../../../sdk/plan/status-object.ts";
import type { HookWorkload, WorkloadIdentity } from "../../../sdk/plugins/hook-request.ts";
import { modelServingVersions } from "../../../sdk/spec/model-serving.ts";

/** The InferenceService or ModelServing of a pod with plugins. */
export interface PluginOwner {
  readonly kind: "InferenceService" | "ModelServing";
  readonly namespace: string;
  readonly name: string;
}

/** Versions in which the API server may serve the kind of an owner. */
const served: Record<PluginOwner["kind"], ReadonlyArray<{ apiVersion: string; plural: string }>> = {
  InferenceService: [kinds.InferenceService],
  ModelServing: modelServingVersions.map((apiVersion) => ({ apiVersion, plural: "modelservings" })),
};

/** Returns the paths at which the object of an owner may exist. */
export const ownerPaths = (owner: PluginOwner): string[] =>
  served[owner.kind].map((kind) => objectPath(kind, owner));

interface OwnerObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: HookWorkload["spec"];
}

/** Time for which a spec is reused, in ms: the pods of a service are created together. */
const keptMs = 1_000;

/** Returns a function that reads a pod's workload, at most once per second. The next pod retries a failed read. */
export function workloadReader(
  client: Pick<KubernetesClient, "request">,
  now: () => number,
): (workload: WorkloadIdentity) => Promise<HookWorkload> {
  const reads = new Map<
    string,
    { readonly at: number; readonly workload: Promise<HookWorkload> }
  >();
  return (identity) => {
    const { namespace, name } = identity.metadata;
    const key = `${identity.kind}/${namespace}/${name}`;
    for (const [other, { at }] of reads) if (now() - at >= keptMs) reads.delete(other);
    const known = reads.get(key);
    if (known !== undefined) return known.workload;
    const workload = workloadWithSpec(client, identity);
    reads.set(key, { at: now(), workload });
    workload.catch(() => reads.delete(key));
    return workload;
  };
}

/** Reads the current spec of a workload from the API server; the result has no spec if the workload has no object. */
async function workloadWithSpec(
  client: Pick<KubernetesClient, "request">,
  workload: WorkloadIdentity,
): Promise<HookWorkload> {
  const owner = { kind: workload.kind as PluginOwner["kind"], ...workload.metadata };
  for (const path of ownerPaths(owner)) {
    const object = await unlessAbsent(client.request<OwnerObject>("GET", path));
    if (object !== undefined) return { ...workload, spec: specOf(object) };
  }
  return workload;
}

function specOf({ metadata, spec }: OwnerObject): HookWorkload["spec"] {
  const extensions = metadata.annotations?.[annotation.extensions];
  if (extensions === undefined) return spec;
  return withExtensions(spec, JSON.parse(extensions)) as HookWorkload["spec"];
}
