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
  /** When the import is to be looked at again, in milliseconds since 1970. */
  readonly again: number | undefined;
}

/** The next write that brings a member's import to where it should be. */
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

/** A member that leaves may be the only one that tells what a cluster exports that was never read. */
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
 * Without exporters: an import that this controller made goes, unless another controller has exporters for it; of
 * other imports only the entry goes. First the import says for the time of `importGracePeriod` that it will.
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

/** Takes back all that this controller said. */
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

/** Undefined where the import says it all. */
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
