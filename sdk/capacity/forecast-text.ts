import type { PlacedReplica } from "../forecast/forecast.ts";
import type { GpuNode } from "../forecast/gpu-nodes.ts";
import { gangOrder } from "../forecast/start-order.ts";
import type { StartingReplica } from "../forecast/starting-replicas.ts";
import {
  type InferenceService,
  inferenceRolesOf,
  isDisaggregated,
} from "../spec/inference-service.ts";
import type { InferenceRole } from "../spec/role.ts";
import { type CapacityStatus, isWhole, type ReplicaForecast } from "./replica-forecast.ts";

/** Returns a status as text: `Full`, `Blocked`, `Partial (1P + 1D)` or `Partial (1 of 2 inference)`. */
export function formatStatus(
  service: InferenceService,
  {
    status,
    replicas,
  }: { readonly status: CapacityStatus; readonly replicas: readonly ReplicaForecast[] },
): string {
  if (status !== "Partial") return status;
  const roles = inferenceRolesOf(service.spec);
  const paired: InferenceRole[] = isDisaggregated(roles)
    ? roles.filter((role) => role.componentType !== "worker")
    : [];
  const pair = `${wholeOf(paired, "prefiller", replicas)}P + ${wholeOf(paired, "decoder", replicas)}D`;
  const others = roles
    .filter((role) => !paired.includes(role))
    .map(
      (role) => `${wholeOf([role], role.componentType, replicas)} of ${role.replicas} ${role.name}`,
    );
  return `Partial (${[...(paired.length > 0 ? [pair] : []), ...others].join(", ")})`;
}

function wholeOf(
  roles: readonly InferenceRole[],
  componentType: InferenceRole["componentType"],
  replicas: readonly ReplicaForecast[],
): number {
  const names = roles
    .filter((role) => role.componentType === componentType)
    .map(({ name }) => name);
  return replicas.filter((replica) => names.includes(replica.role) && isWhole(replica)).length;
}

/**
 * Returns the reason why a gang does not start, such as `needs 48 GPUs for 1 prefill + 1 decode together`; undefined
 * if it starts.
 */
export function whyGangWaits(placed: readonly PlacedReplica[], gpus: number): string | undefined {
  const inGang = placed.filter(({ replica }) => replica.gang !== undefined);
  const [first] = inGang;
  if (first?.replica.gang === undefined) return undefined;
  if (inGang.some(({ scheduledPods }) => scheduledPods > 0)) return undefined;
  const replicas = inGang.map(({ replica }) => replica);
  const { minimum } = gangOrder(first.replica.gang, replicas);
  const required = new Set(minimum.map(({ replica }) => replica));
  const members = replicas.filter(({ pods }) => pods[0] && required.has(pods[0].replica));
  if (members.length === 0) return undefined;
  const needed = minimum.reduce((sum, pod) => sum + pod.gpus, 0);
  const byRole = Map.groupBy(members, ({ role }) => role);
  const who = [...byRole].map(([role, its]) => `${its.length} ${role}`).join(" + ");
  const together = members.length === 1 ? "" : " together";
  if (needed > gpus) return `needs ${count(needed)} for ${who}${together}`;
  return `${count(gpus)} are enough for ${who}${together} (${needed}), but no placement was found for pods of ${podSizes(members)}`;
}

/**
 * Returns the pods outside a gang that request more GPUs than any node has, such as `a pod of inference needs 16 GPUs,
 * and no node has more than 8`.
 */
export function largerThanNodes(
  placed: readonly PlacedReplica[],
  nodes: readonly GpuNode[],
): string[] {
  const largest = Math.max(0, ...nodes.map(({ gpus }) => gpus));
  const needs = placed.flatMap(({ replica: { gang, role, pods } }) =>
    gang === undefined
      ? pods
          .filter(({ gpus }) => gpus > largest)
          .map(
            ({ gpus }) =>
              `a pod of ${role} needs ${count(gpus)}, but no node has more than ${largest}`,
          )
      : [],
  );
  return [...new Set(needs)];
}

const count = (gpus: number) => (gpus === 1 ? "1 GPU" : `${gpus} GPUs`);

function podSizes(members: readonly StartingReplica[]): string {
  const sizes = members.flatMap(({ pods }) =>
    pods.map(
      ({ gpus, distinctNode }) =>
        `${count(gpus)}${distinctNode && pods.length > 1 ? " on distinct nodes" : ""}`,
    ),
  );
  return [...new Set(sizes)].join(" and ");
}

/** Returns the replicas that hold GPUs without serving. Only pods outside a gang can do that. */
export function halfStarted(replicas: readonly ReplicaForecast[]): string | undefined {
  const half = replicas.filter((replica) => replica.scheduledPods > 0 && !isWhole(replica));
  if (half.length === 0) return undefined;
  const list = half.map((r) => `${r.role}-${r.index} has ${r.scheduledPods} of ${r.size} pods`);
  return `without a gang, pods start one by one in varying order and can hold GPUs without serving: ${list.join(", ")}`;
}

/** Returns the forecast's assumptions about accelerators. */
export function acceleratorAssumptions(placed: readonly PlacedReplica[]): string[] {
  const replicas = placed.map(({ replica }) => replica);
  const without = replicas.filter(
    ({ pods, isUncounted }) => !isUncounted && pods.every(({ gpus }) => gpus === 0),
  );
  const uncounted = replicas.filter(({ isUncounted }) => isUncounted);
  const kinds = new Set(replicas.flatMap((replica) => replica.kinds));
  return [
    ...rolesOf(without).map((role) => `${role} requests no GPU and is counted as started`),
    ...rolesOf(uncounted).map(
      (role) =>
        `the number of accelerators of ${role} is unknown (a claim, or a share of memory): the role is counted as started and its accelerators as idle`,
    ),
    ...(kinds.size > 1 ? [`${[...kinds].join(" and ")} are counted as one kind`] : []),
  ];
}

const rolesOf = (replicas: readonly StartingReplica[]) => [
  ...new Set(replicas.map(({ role }) => role)),
];
