import { conditionsOf, timestampOf } from "../status/conditions.ts";
import { conflictOf } from "./conflicts.ts";
import { exportRequest } from "./export-request.ts";
import type { Exporter } from "./exporters.ts";
import { importKind } from "./import-schema.ts";
import { sortedConditions } from "./import-status.ts";
import { type PoolFinding, poolReasons } from "./reasons.ts";
import { sameValue } from "./same-value.ts";
import { blockedReason, imports, isTarget } from "./targets.ts";
import {
  isUnread,
  type MemberView,
  type MultiClusterOptions,
  type NameView,
  type PoolParent,
  type PoolView,
} from "./view.ts";
import type { Write } from "./writes.ts";

/** Maximum number of entries in `status.parents`. */
const maxParents = 32;

export interface PoolPlan {
  readonly write: Write | undefined;
  /** Whether other entries fill the list, so that this controller's entry does not fit. */
  readonly full: boolean;
}

/** Plans this controller's entry on a member's pool; entries of other controllers stay unchanged. */
export function planPool(
  member: MemberView,
  view: NameView,
  exporters: readonly Exporter[],
  options: MultiClusterOptions,
  now: number,
): PoolPlan {
  const { pool } = member;
  if (pool === undefined || pool.deleting) return nothing;
  const before = ownEntry(pool, options);
  const at = before === undefined ? -1 : pool.parents.indexOf(before);
  const entry = poolEntry(member, pool, before, view, exporters, options, now);
  if (entry === "as it is" || (before !== undefined && sameEntry(before, entry))) return nothing;
  const parents = pool.parents.filter((_, index) => index !== at);
  if (entry !== undefined) parents.splice(at < 0 ? parents.length : at, 0, entry);
  if (before === undefined && entry === undefined) return nothing;
  if (parents.length > maxParents) return { write: undefined, full: true };
  const { uid, resourceVersion } = pool;
  return { write: { kind: "write-parents", uid, resourceVersion, parents }, full: false };
}

const nothing: PoolPlan = { write: undefined, full: false };

const sameEntry = (a: PoolParent, b: PoolParent | undefined) =>
  b !== undefined &&
  sameValue(
    { ...a, conditions: sortedConditions(a.conditions ?? []) },
    { ...b, conditions: sortedConditions(b.conditions ?? []) },
  );

function poolEntry(
  member: MemberView,
  pool: PoolView,
  before: PoolParent | undefined,
  view: NameView,
  exporters: readonly Exporter[],
  options: MultiClusterOptions,
  now: number,
): PoolParent | undefined | "as it is" {
  const findings =
    member.role === "leaving" ? [] : findingsOf(member, pool, view, exporters, options);
  if (findings === "waiting") return "as it is";
  if (findings.length === 0) return undefined;
  return {
    parentRef: importReference(view.namespace, view.name),
    controllerName: options.controllerName,
    conditions: conditionsOf(poolReasons, findings, before?.conditions, {
      now: timestampOf(now),
      generation: undefined,
    }),
  };
}

function findingsOf(
  member: MemberView,
  pool: PoolView,
  view: NameView,
  exporters: readonly Exporter[],
  options: MultiClusterOptions,
): PoolFinding[] | "waiting" {
  const request = exportRequest(pool);
  if (request.kind === "none") return [];
  if (request.kind === "refused") {
    const { message } = request;
    return [{ type: "Exported", status: "False", reason: "NotSupported", message }];
  }
  if (member.exportDenied !== undefined) {
    const message = `${view.namespace}/${view.name} ${member.exportDenied}`;
    return [{ type: "Exported", status: "False", reason: "NotAllowed", message }];
  }
  const exported = exportedTo(
    { name: member.name, to: request.to },
    ownEntry(pool, options),
    view,
    options,
  );
  if (exported === "waiting") return "waiting";
  const conflict = conflictOf(view, exporters);
  return [exported, ...(conflict === undefined ? [] : [conflict])];
}

const ownEntry = ({ parents }: PoolView, { controllerName }: MultiClusterOptions) =>
  parents.find((parent) => parent.controllerName === controllerName);

/**
 * Returns how far a pool is exported; `waiting` while a member is about to import it, so that the entry is written only
 * once. The message lists the members that lack the pool, and contains no counts, so that members that join or leave do
 * not change it.
 */
function exportedTo(
  exporter: Pick<Exporter, "name" | "to">,
  before: PoolParent | undefined,
  view: NameView,
  options: MultiClusterOptions,
): PoolFinding | "waiting" {
  const targets = view.members.filter((member) => isTarget(member, exporter, options));
  const lacking = targets
    .filter((member) => !imports(member, exporter.name) && !hadImport(member, before))
    .map((member) => ({ name: member.name, why: blockedReason(member, view.namespace) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (lacking.some(({ why }) => why === undefined)) return "waiting";
  const message = lacking.map(({ name, why }) => `${name}: ${why}`).join("; ");
  if (targets.length === 0)
    return {
      type: "Exported",
      status: "False",
      reason: "Pending",
      message: exporter.to ? "no other member has matching labels" : "no other member",
    };
  if (lacking.length === targets.length)
    return { type: "Exported", status: "False", reason: "Pending", message };
  return lacking.length > 0
    ? { type: "Exported", status: "False", reason: "PartiallyExported", message }
    : {
        type: "Exported",
        status: "True",
        reason: "Exported",
        message: exporter.to ? "all selected members" : "all members",
      };
}

/**
 * Whether the pool's entry shows that a member had the import, for a member that was not read since this process
 * started: unknown does not mean absent. The entry contains nothing about members that joined later.
 */
function hadImport(member: MemberView, before: PoolParent | undefined): boolean {
  if (!isUnread(member) || member.joinedLate) return false;
  const exported = before?.conditions?.find(({ type }) => type === "Exported");
  if (exported?.status === "True") return true;
  return (
    exported?.reason === "PartiallyExported" &&
    !exported.message.split("; ").some((part) => part.startsWith(`${member.name}: `))
  );
}

/** The parentRef of this controller's entry on a pool. */
const importReference = (namespace: string, name: string) => ({
  group: importKind.group,
  kind: importKind.kind,
  namespace,
  name,
});
