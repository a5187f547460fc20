import { type Condition, conditionsOf, listed, timestampOf } from "../status/conditions.ts";
import type { FindingOf, ReasonTable } from "../status/reasons.ts";
import { withinBudget } from "./detail-budget.ts";
import type { Exporter } from "./exporters.ts";
import type { ImportedCluster } from "./import-schema.ts";
import { importReadiness } from "./readiness.ts";
import { clusterReasons, type ImportFinding, importReasons } from "./reasons.ts";
import type { ImportEntry, ImportView, MemberView } from "./view.ts";

/** Status that this controller writes to an import, and the details of the clusters. */
export interface ImportStatus {
  readonly entry: ImportEntry;
  readonly clusters: readonly ImportedCluster[];
  /** Conditions of the whole import. */
  readonly conditions: readonly Condition[];
}

/**
 * Returns the status of an import with these exporters. Without exporters, the import is marked as withdrawn.
 *
 * @param member its current state: unchanged conditions keep their times
 * @param now milliseconds since 1970
 */
export function importStatus(
  exporters: readonly Exporter[],
  member: MemberView,
  now: number,
): ImportStatus {
  const findings = exporters.length === 0 ? withdrawn : findingsOf(exporters);
  const at = timestampOf(now);
  const known = knownDetail(member);
  const it = member.import;
  return {
    entry: {
      exporters: exporters.map(({ name }) => name),
      conditions: own(importReasons, findings, it?.entry?.conditions, at),
    },
    clusters: withinBudget(
      exporters.flatMap(({ name, detail, readiness }) => {
        if (detail === undefined) return [];
        const before = known.find((cluster) => cluster.name === name)?.conditions;
        return [{ ...detail, conditions: own(clusterReasons, [readiness], before, at) }];
      }),
    ),
    conditions: own(importReasons, findings, it?.conditions, at),
  };
}

const withdrawnMessage = "";
const withdrawn: readonly ImportFinding[] = [
  { type: "Accepted", status: "False", reason: "ExportWithdrawn", message: withdrawnMessage },
  { type: "Ready", status: "False", reason: "ExportWithdrawn", message: withdrawnMessage },
];

function findingsOf(exporters: readonly Exporter[]): ImportFinding[] {
  const silent = exporters.filter(({ readiness }) => readiness.status === "Unknown");
  return [
    { type: "Accepted", status: "True", reason: "Accepted", message: "" },
    importReadiness(exporters),
    ...(silent.length > 0 ? [unreachable(silent.map(({ name }) => name))] : []),
  ];
}

const unreachable = (names: readonly string[]): ImportFinding => ({
  type: "ExportersReachable",
  status: "False",
  reason: "ClusterUnreachable",
  message: listed(names),
});

/**
 * Whether a member's import has the details of the clusters in its status. The shipped kind has no fields for them, and
 * in an import of another controller the fields belong to that controller.
 */
export const fitsDetail = ({ imports, import: it }: MemberView): boolean =>
  imports === "superset" && it?.ours !== false;

/** Details that this controller wrote in a member. If a cluster is listed twice, the first entry is newer. */
export const knownDetail = (member: MemberView): readonly ImportedCluster[] => [
  ...(fitsDetail(member) ? (member.import?.clusters ?? []) : []),
  ...(member.import?.detail?.ours ? (member.import.detail.clusters ?? []) : []),
];

/** Returns this controller's conditions, without the conditions of other writers. */
function own<Table extends ReasonTable>(
  table: Table,
  findings: readonly FindingOf<Table>[],
  previous: readonly Condition[] | undefined,
  now: string,
): Condition[] {
  const ours = previous?.filter(({ type }) => Object.hasOwn(table, type));
  return sortedConditions(conditionsOf(table, findings, ours, { now, generation: undefined }));
}

/** Sorts conditions by type, because the API server keeps them in its own order. */
export const sortedConditions = (conditions: readonly Condition[]): Condition[] =>
  [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1));

/** When the import was withdrawn, in ms since 1970; undefined if it was not. */
export function withdrawnSince({ entry }: ImportView): number | undefined {
  const accepted = entry?.conditions.find(({ type }) => type === "Accepted");
  return accepted?.reason === "ExportWithdrawn" && entry?.exporters.length === 0
    ? Date.parse(accepted.lastTransitionTime)
    : undefined;
}
