import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label } from "../names.ts";
import { lowestServing } from "../rollout/set-state.ts";
import { adviceFor, isScaledDown } from "./advice.ts";
import {
  hidesPods,
  isGpuWorkload,
  type Restart,
  replicasAfter,
  replicasOf,
  restartOf,
} from "./gpu-workload.ts";
import { shownGpus } from "./hidden-values.ts";
import type { ObjectChange } from "./preview.ts";

/** Effect of an update on the replicas of one role. */
export interface RoleImpact {
  /** Role, or the name of a workload of no role, with its namespace if it has no service either. */
  readonly role: string;
  /** Replicas before the update. */
  readonly replicas: number;
  /** Replicas after the update. */
  readonly after: number;
  /** Replicas whose pods restart, `awayAtOnce` at a time. */
  readonly restarted: number;
  /** Replicas that stop together: their objects are replaced or deleted, or a Deployment recreates its pods. */
  readonly stopped: number;
  /** Accelerators of the restarted and the stopped replicas. */
  readonly gpus: number;
  /** Replicas that are away at the same time, at most. */
  readonly awayAtOnce: number;
  /** Minimum number of replicas that serve during the update. */
  readonly lowest: number;
}

/** Object that an update replaces or deletes. */
export interface LostObject {
  /** Such as `LeaderWorkerSet prod/qwen-decode-0`. */
  readonly object: string;
  readonly operation: "replace" | "delete";
  /** Fields that require a replacement. Empty for a deletion. */
  readonly because: readonly string[];
  /** How to avoid it; undefined if the update intends it, such as fewer replicas. */
  readonly advice: string | undefined;
}

/** Effect of an update on one service. */
export interface ServiceImpact {
  /** Namespace and name; empty for objects of no service and of no namespace. */
  readonly service: string;
  /** Roles whose replicas restart, stop, or change in number. */
  readonly roles: readonly RoleImpact[];
  readonly created: readonly string[];
  readonly updated: readonly string[];
  /**
   * LeaderWorkerSets, and Deployments and StatefulSets with accelerators, in `updated` whose pods restart, because their
   * pod template changes.
   */
  readonly restarted: readonly string[];
  readonly lost: readonly LostObject[];
}

export interface Impact {
  readonly services: readonly ServiceImpact[];
  /** Accelerators of all replicas that restart or stop. */
  readonly restartedGpus: number;
  readonly replaced: number;
  readonly deleted: number;
  /** Changed workloads whose restarts or accelerators are not counted, because the preview hides secrets in their pods. */
  readonly hidden: readonly string[];
}

/** Returns the effect of the changes of a preview, by service. */
export function impactOf(changes: readonly ObjectChange[]): Impact {
  const byService = Map.groupBy(changes, serviceOf);
  const services = [...byService]
    .map(([service, own]) => serviceImpact(service, own, changes))
    .filter(({ roles, created, updated, lost }) =>
      [roles, created, updated, lost].some((list) => list.length > 0),
    )
    .sort((a, b) => a.service.localeCompare(b.service));
  const lost = services.flatMap((each) => each.lost);
  return {
    services,
    restartedGpus: services.flatMap(({ roles }) => roles).reduce((sum, { gpus }) => sum + gpus, 0),
    replaced: lost.filter(({ operation }) => operation === "replace").length,
    deleted: lost.filter(({ operation }) => operation === "delete").length,
    hidden: changes.filter(isHidden).map(objectOf).sort(),
  };
}

/** New pods restart none, whatever they contain. */
const isHidden = ({ operation, before, after }: ObjectChange): boolean =>
  operation !== "same" && operation !== "create" && (hidesPods(before) || hidesPods(after));

function serviceImpact(
  service: string,
  changes: readonly ObjectChange[],
  all: readonly ObjectChange[],
): ServiceImpact {
  const named = (isNamed: (change: ObjectChange) => boolean) =>
    changes.filter(isNamed).map(objectOf).sort();
  const byRole = Map.groupBy(
    changes.filter(({ before, after }) => isGpuWorkload(before) || isGpuWorkload(after)),
    roleOf,
  );
  return {
    service,
    roles: [...byRole]
      .map(([role, sets]) => roleImpact(role, sets))
      .filter(({ replicas, after, gpus, restarted, stopped }) =>
        [replicas !== after, gpus > 0, restarted > 0, stopped > 0].includes(true),
      )
      // A preview lists objects in any order.
      .sort((a, b) => a.role.localeCompare(b.role)),
    created: named(({ operation }) => operation === "create"),
    updated: named(({ operation }) => operation === "update"),
    restarted: named(isRestarted),
    lost: changes
      .filter(({ operation }) => operation === "replace" || operation === "delete")
      .map((change) => ({
        object: objectOf(change),
        operation: change.operation as LostObject["operation"],
        because: change.replaceReasons,
        advice: adviceFor(change, all),
      }))
      .sort(gpusFirst),
  };
}

/** LeaderWorkerSets first, then by name: a preview lists objects in any order. */
const gpusFirst = ({ object: a }: LostObject, { object: b }: LostObject): number =>
  Number(b.startsWith("LeaderWorkerSet")) - Number(a.startsWith("LeaderWorkerSet")) ||
  a.localeCompare(b);

function roleImpact(role: string, sets: readonly ObjectChange[]): RoleImpact {
  let [replicas, after, restarted, stopped, removed, gpus] = [0, 0, 0, 0, 0, 0];
  let away = 0;
  for (const change of sets) {
    const was = replicasOf(change.before);
    const is = replicasAfter(change.before, change.after);
    replicas += was;
    after += is;
    if (change.operation === "replace") {
      stopped += was;
      gpus += was * shownGpus(change.before);
    } else if (change.operation === "delete") removed += was;
    else if (isRestarted(change)) {
      const restart = restartOf(change.before, change.after) as Restart;
      gpus += restart.restarted * shownGpus(change.before);
      if (change.before?.kind === "Deployment" && restart.away === restart.restarted)
        stopped += restart.restarted;
      else {
        restarted += restart.restarted;
        away = Math.min(restarted, restart.away);
      }
    }
  }
  // A role that keeps none of its sets stops as a whole, also if the update creates other ones.
  const isDeleted =
    removed > 0 && sets.every((change) => !change.before || !isScaledDown(change, sets));
  if (isDeleted) {
    stopped += removed;
    gpus += sets.reduce((sum, { before }) => sum + replicasOf(before) * shownGpus(before), 0);
  }
  const awayAtOnce = stopped > 0 ? stopped : away;
  const lowest = lowestServing(replicas, isDeleted ? replicas : after, awayAtOnce);
  return { role, replicas, after, restarted, stopped, gpus, awayAtOnce, lowest };
}

const isRestarted = ({ operation, before, after }: ObjectChange): boolean =>
  operation === "update" &&
  (isGpuWorkload(before) || isGpuWorkload(after)) &&
  restartOf(before, after) !== undefined;

/** Returns the changed object, before the change if it existed. */
const manifestOf = ({ before, after }: ObjectChange): Manifest => (before ?? after) as Manifest;

function serviceOf(change: ObjectChange): string {
  const { namespace, labels = {} } = manifestOf(change).metadata;
  const owner = labels[label.service] ?? labels[label.pool];
  return owner === undefined || namespace === undefined ? "" : `${namespace}/${owner}`;
}

function roleOf(change: ObjectChange): string {
  const { name, namespace, labels = {} } = manifestOf(change).metadata;
  const place = serviceOf(change) === "" && namespace !== undefined ? `${namespace}/` : "";
  return labels[label.roleName] ?? `${place}${name}`;
}

/** Returns `Kind namespace/name` of a changed object. */
function objectOf(change: ObjectChange): string {
  const { kind, metadata } = manifestOf(change);
  return `${kind} ${[metadata.namespace, metadata.name].filter(Boolean).join("/")}`;
}
