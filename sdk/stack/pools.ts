import { groups } from "../../kubernetes/kinds/groups.ts";
import { lwsLabel, lwsPrefix } from "../topology/names.ts";
import type { BackendRefShape, PoolShape, RouteShape } from "./shapes.ts";
import type { Stack } from "./stack.ts";
import { type StackObject, specsOf, type TypedObject } from "./stack-object.ts";
import { lwsKind, type PodTemplateUse } from "./workloads.ts";

export const poolGroup = groups.inference;
export const routeKind = "gateway.networking.k8s.io/HTTPRoute";

export type Pool = TypedObject<PoolShape>;

/** InferencePools of a stack. */
export const poolsOf = (stack: Stack): Pool[] =>
  specsOf<PoolShape>(stack, `${poolGroup}/InferencePool`);

/** Whether pods are of a pool, or may be: a label that a controller adds is known in part. */
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

/** The pods of a stack that are in a pool; throws `NotKnownYet` where one cannot be told. */
export function podsOfPool(stack: Stack, pool: Pool): readonly PodTemplateUse[] {
  const pools = pooled.get(stack) ?? new Map<StackObject, readonly PodTemplateUse[]>();
  pooled.set(stack, pools);
  // Many rules ask for them.
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

/** What stands for a pool of other clusters. */
export const isImport = ({ kind }: BackendRefShape): boolean =>
  kind === "InferencePoolImport" || kind === "GCPInferencePoolImport";
