import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { groupKind } from "../../kubernetes/kinds/kind.ts";
import { lwsLabel, lwsPrefix } from "../names.ts";
import type { BackendRefShape, PoolShape, RouteShape } from "./shapes.ts";
import type { Stack } from "./stack.ts";
import { type StackObject, specsOf, type TypedObject } from "./stack-object.ts";
import { lwsKind, type PodTemplateUse } from "./workloads.ts";

export const poolGroup = groups.inference;
export const routeKind = groupKind(kinds.HTTPRoute);

export type Pool = TypedObject<PoolShape>;

export const poolsOf = (stack: Stack): Pool[] =>
  specsOf<PoolShape>(stack, `${poolGroup}/InferencePool`);

/** Reports whether pods are in a pool, or may be. The labels that a controller adds are only partly known. */
function isInPool(pods: PodTemplateUse, pool: Pool): boolean {
  const wanted = Object.entries(pool.spec.selector?.matchLabels ?? {});
  return (
    pods.workload.namespace === pool.namespace &&
    wanted.length > 0 &&
    wanted.every(([key, value]) => mayHave(pods, key, value))
  );
}

function mayHave(pods: PodTemplateUse, key: string, value: string): boolean {
  const { workload, labels, isWorker } = pods;
  if (workload.object.kind !== lwsKind || !key.startsWith(lwsPrefix)) return labels[key] === value;
  if (key === `${lwsPrefix}name`) return workload.name === value;
  if (key === lwsLabel.workerIndex) return isWorker === (value !== "0");
  return true;
}

const pooled = new WeakMap<Stack, Map<StackObject, readonly PodTemplateUse[]>>();

/** Returns the pods of a stack that are in a pool. Throws `UnknownValueError` if this is not known for some pod. */
export function podsOfPool(stack: Stack, pool: Pool): readonly PodTemplateUse[] {
  const pools = pooled.get(stack) ?? new Map<StackObject, readonly PodTemplateUse[]>();
  pooled.set(stack, pools);
  // Cached, because many rules request them.
  const pods =
    pools.get(pool.object) ??
    stack
      .everyWorkload()
      .flatMap((workload) => workload.pods)
      .filter((each) => isInPool(each, pool));
  pools.set(pool.object, pods);
  return pods;
}

export interface Rule {
  readonly path: readonly (string | number)[];
  readonly backends: readonly BackendRefShape[];
}

/** Rules of a route, each with its backends. */
export const rulesOf = ({ spec, path }: TypedObject<RouteShape>): Rule[] =>
  (spec.rules ?? []).map(({ backendRefs = [] }, at) => ({
    path: [...path, "rules", at],
    backends: backendRefs,
  }));

export const isPool = ({ group = "", kind }: BackendRefShape): boolean =>
  group === poolGroup && kind === "InferencePool";

/** Reports whether a backend is an object that represents a pool of other clusters. */
export const isImport = ({ kind }: BackendRefShape): boolean =>
  kind === "InferencePoolImport" || kind === "GCPInferencePoolImport";
