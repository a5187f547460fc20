import { type Exporter, isStale } from "./exporters.ts";
import {
  fitsDetail,
  type ImportStatus,
  importStatus,
  sortedConditions,
  withdrawnSince,
} from "./import-status.ts";
import { importReasons } from "./reasons.ts";
import { sameValue } from "./same-value.ts";
import {
  type ImportView,
  isUnread,
  type MemberView,
  type MultiClusterOptions,
  type NameView,
} from "./view.ts";
import type { OwnStatus, Write } from "./writes.ts";

export interface ImportPlan {
  readonly write: Write | undefined;
  /** When to plan the import again, in ms since 1970. */
  readonly again: number | undefined;
}

/** Plans the next write that brings a member's import to its desired state. */
export function planImport(
  member: MemberView,
  view: NameView,
  exporters: readonly Exporter[],
  options: MultiClusterOptions,
  now: number,
): ImportPlan {
  const { import: it, imports, namespace } = member;
  if (imports === "absent" || namespace !== "active" || it?.deleting) return nothing;
  if (remembersUnknown(member, view, options)) return nothing;
  if (exporters.length > 0)
    return writing(
      it === undefined
        ? create(member, exporters, now)
        : apply(member, it, exporters, options, now),
    );
  return it === undefined ? nothing : planWithdrawal(member, it, options, now);
}

/** Whether a cluster was never read and its exports may be recorded only in the import of a leaving member. */
export const remembersUnknown = (
  { role, import: it }: MemberView,
  { members }: NameView,
  options: MultiClusterOptions,
): boolean =>
  role === "leaving" &&
  members.some(
    (member) =>
      member.role === "member" &&
      isUnread(member) &&
      !isStale(member, options) &&
      it?.entry?.exporters.includes(member.name),
  );

const nothing: ImportPlan = { write: undefined, again: undefined };
const writing = (write: Write | undefined): ImportPlan => ({ write, again: undefined });

/**
 * Plans the removal of an import without exporters. An import that this controller created is deleted, unless another
 * controller lists exporters in it. From other imports only this controller's entry is removed. Before that, the import
 * is marked as withdrawn for the time of `importGracePeriod`.
 */
function planWithdrawal(
  member: MemberView,
  it: ImportView,
  options: MultiClusterOptions,
  now: number,
): ImportPlan {
  const { uid, resourceVersion, entry, ours, others } = it;
  const othersExport = others.some(({ exportingClusters = [] }) => exportingClusters.length > 0);
  if (entry === undefined && !ours) return nothing;
  if (ours && othersExport)
    return writing(
      entry === undefined ? { kind: "release-import", uid, resourceVersion } : clear(it),
    );
  if (entry !== undefined && options.drainMs > 0) {
    const since = withdrawnSince(it);
    if (since === undefined) return writing(apply(member, it, [], options, now));
    const until = since + options.drainMs;
    if (now < until) return { write: undefined, again: until };
  }
  return writing(ours ? { kind: "delete-import", uid, resourceVersion } : clear(it));
}

/** Removes everything that this controller wrote. */
function clear({ resourceVersion, ours, others, conditions }: ImportView): Write {
  const foreign = conditions.filter(({ type }) => !Object.hasOwn(importReasons, type));
  return {
    kind: "clear-import",
    resourceVersion,
    status: {
      controllers: [...others],
      ...(ours && {
        clusters: null,
        conditions: foreign.length > 0 ? foreign : null,
        observedGeneration: null,
      }),
    },
  };
}

function create(member: MemberView, exporters: readonly Exporter[], now: number): Write {
  if (fitsDetail(member)) return { kind: "create-import" };
  return { kind: "create-import", clusters: importStatus(exporters, member, now).clusters };
}

/** Returns undefined if the import is up to date. */
function apply(
  member: MemberView,
  it: ImportView,
  exporters: readonly Exporter[],
  options: MultiClusterOptions,
  now: number,
): Write | undefined {
  const wanted = importStatus(exporters, member, now);
  const inStatus = fitsDetail(member);
  if (sameValue(it.entry, wanted.entry) && (!inStatus || areEqual(it, wanted))) return undefined;
  const { entry, clusters, conditions } = wanted;
  const status: OwnStatus = {
    controllers: [
      {
        name: options.controllerName,
        exportingClusters: entry.exporters.map((name) => ({ name })),
        conditions: [...entry.conditions],
      },
    ],
    ...(inStatus && {
      clusters: [...clusters],
      conditions: [...conditions],
      ...(it.generation !== undefined && { observedGeneration: it.generation }),
    }),
  };
  return { kind: "apply-import", uid: it.uid, status };
}

const areEqual = (it: ImportView, { clusters, conditions }: ImportStatus) =>
  sameValue(it.clusters, clusters) &&
  it.observedGeneration === it.generation &&
  sameValue(ownConditions(it), conditions);

const ownConditions = ({ conditions }: ImportView) =>
  sortedConditions(conditions.filter(({ type }) => Object.hasOwn(importReasons, type)));
