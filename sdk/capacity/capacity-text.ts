import { toUnits } from "../../kubernetes/values/quantity.ts";
import { hasClaims } from "../engines/accelerators/pod-accelerators.ts";
import { formatDevices } from "../placement/device-counts.ts";
import type { GpuNode } from "../placement/gpu-nodes.ts";
import type { PlacedReplica } from "../placement/placement.ts";
import { gangOrder } from "../placement/start-order.ts";
import type { StartingReplica } from "../placement/starting-replicas.ts";
import { isDisaggregated } from "../spec/inference-service.ts";
import { type CapacityStatus, isWhole, type ReplicaPlacement } from "./replica-placement.ts";
import { roleName, type ServingRole } from "./serving-unit.ts";

/**
 * Returns a status as text: `Full`, `Blocked`, `Partial (1P + 1D)` or `Partial (1 of 2 inference)`.
 *
 * @param service a service, or the roles of a placement
 */
export function formatStatus(
  service: { readonly spec: { readonly roles: readonly ServingRole[] } },
  {
    status,
    replicas,
  }: { readonly status: CapacityStatus; readonly replicas: readonly ReplicaPlacement[] },
): string {
  if (status !== "Partial") return status;
  const roles = service.spec.roles.filter(({ componentType }) => componentType !== "router");
  const paired = isDisaggregated(roles)
    ? roles.filter((role) => role.componentType === "prefiller" || role.componentType === "decoder")
    : [];
  const wholeOf = (those: readonly ServingRole[]) => {
    const names = those.map(({ name }) => name);
    return replicas.filter((replica) => names.includes(replica.role) && isWhole(replica)).length;
  };
  const half = (type: string) => wholeOf(paired.filter((role) => role.componentType === type));
  const others = roles
    .filter((role) => !paired.includes(role))
    .map((role) => `${wholeOf([role])} of ${role.replicas} ${role.name}`);
  const pair = paired.length > 0 ? [`${half("prefiller")}P + ${half("decoder")}D`] : [];
  return `Partial (${[...pair, ...others].join(", ")})`;
}

/**
 * Returns the reason why a gang does not start, such as `needs 48 GPUs for 1 prefill + 1 decode together`; undefined
 * if it starts.
 */
export function whyGangWaits(
  placed: readonly PlacedReplica[],
  devices: number | ReadonlyMap<string, number>,
): string | undefined {
  const inGang = placed.filter(({ replica }) => replica.gang !== undefined);
  const [first] = inGang;
  if (first?.replica.gang === undefined) return undefined;
  if (inGang.some(({ scheduledPods }) => scheduledPods > 0)) return undefined;
  const replicas = inGang.map(({ replica }) => replica);
  const { minimum } = gangOrder(first.replica.gang, replicas);
  const required = new Set(minimum.map(({ replica }) => replica));
  const members = replicas.filter(({ pods }) => pods[0] && required.has(pods[0].replica));
  if (members.length === 0) return undefined;
  const byRole = Map.groupBy(members, roleName);
  const who = [...byRole].map(([role, its]) => `${its.length} ${role}`).join(" + ");
  const together = members.length === 1 ? "" : " together";
  const noPlacement = `but no placement was found for pods of ${podSizes(members)}`;
  if (typeof devices === "number") {
    const needed = minimum.reduce((sum, pod) => sum + pod.gpus, 0);
    if (needed > devices) return `needs ${count(needed)} for ${who}${together}`;
    return `${count(devices)} are enough for ${who}${together} (${needed}), ${noPlacement}`;
  }
  const needed = new Map<string, number>();
  for (const { requests } of minimum)
    for (const kind of new Set(members.flatMap(({ kinds }) => kinds))) {
      const quantity = requests.get(kind);
      if (quantity !== undefined) needed.set(kind, (needed.get(kind) ?? 0) + toUnits(quantity));
    }
  const isShort = [...needed].some(([kind, least]) => least > (devices.get(kind) ?? 0));
  // One unit needs no name.
  const [only] = devices.keys();
  const isOne = devices.size === 1 && needed.size === 1 && only !== undefined && needed.has(only);
  const amount = isOne ? count(needed.get(only) ?? 0) : formatDevices(needed);
  const need = `needs ${amount} for ${who}${together}`;
  return isShort || needed.size === 0 ? need : `${need}, ${noPlacement}`;
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
  const needs = placed.flatMap(({ replica: { gang, role, workload, pods } }) =>
    gang === undefined
      ? pods
          .filter(({ gpus }) => gpus > largest)
          .map(
            ({ gpus }) =>
              `a pod of ${roleName({ role, workload })} needs ${count(gpus)}, but no node has more than ${largest}`,
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
export function halfStarted(replicas: readonly ReplicaPlacement[]): string | undefined {
  const half = replicas.filter((replica) => replica.scheduledPods > 0 && !isWhole(replica));
  if (half.length === 0) return undefined;
  const list = half.map((r) => `${r.role}-${r.index} has ${r.scheduledPods} of ${r.size} pods`);
  return `without a gang, pods start one by one in varying order and can hold GPUs without serving: ${list.join(", ")}`;
}

/** Returns the placement's assumptions about accelerators. */
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

/** Returns the assumption about accelerators that nodes of a cluster do not list. */
export const claimAssumptions = (placed: readonly PlacedReplica[]): string[] =>
  rolesOf(
    placed
      .map(({ replica }) => replica)
      .filter(({ pods }) => pods.some(({ spec }) => spec.containers.some(hasClaims))),
  ).map(
    (role) => `the accelerators of ${role} are claimed, and only its other requests are compared`,
  );

const rolesOf = (replicas: readonly StartingReplica[]) => [...new Set(replicas.map(roleName))];
