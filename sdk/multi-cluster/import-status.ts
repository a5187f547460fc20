import { type Condition, conditionsOf, listed, timestampOf } from "../status/conditions.ts";
import type { FindingOf, ReasonTable } from "../status/reasons.ts";
import { withinBudget } from "./detail-budget.ts";
import type { Exporter } from "./exporters.ts";
import type { ImportedCluster } from "./import-schema.ts";
import { importReadiness } from "./readiness.ts";
import { clusterReasons, type ImportFinding, importReasons } from "./reasons.ts";
import type { ImportEntry, ImportView, MemberView } from "./view.ts";

/** What this controller says in an import, and how its clusters are reached. */
export interface ImportStatus {
  readonly entry: ImportEntry;
  readonly clusters: readonly ImportedCluster[];
  /** Conditions of the whole import. */
  readonly conditions: readonly Condition[];
}

/**
 * The status of an import of these exporters; of none, that of an import which drains.
 *
 * @param member as it stands: conditions that do not change keep their times
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
 * Whether the detail of the clusters is in the status of a member's import: the shipped kind has no fields for it, and
 * of another's import the fields are the other's.
 */
export const fitsDetail = ({ imports, import: it }: MemberView): boolean =>
  imports === "superset" && it?.ours !== false;

/** The detail that this controller wrote in a member; of a cluster that is there twice the first is the newer. */
export const knownDetail = (member: MemberView): readonly ImportedCluster[] => [
  ...(fitsDetail(member) ? (member.import?.clusters ?? []) : []),
  ...(member.import?.detail?.ours ? (member.import.detail.clusters ?? []) : []),
];

/** Conditions by type, without those of others. */
function own<Table extends ReasonTable>(
  table: Table,
  findings: readonly FindingOf<Table>[],
  previous: readonly Condition[] | undefined,
  now: string,
): Condition[] {
  const ours = previous?.filter(({ type }) => Object.hasOwn(table, type));
  return sortedConditions(conditionsOf(table, findings, ours, { now, generation: undefined }));
}

/** The API server keeps conditions in an order of its own. */
export const sortedConditions = (conditions: readonly Condition[]): Condition[] =>
  [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1));

/** Since when an import drains, in milliseconds since 1970; undefined where it does not. */
export function withdrawnSince({ entry }: ImportView): number | undefined {
  const accepted = entry?.conditions.find(({ type }) => type === "Accepted");
  return accepted?.reason === "ExportWithdrawn" && entry?.exporters.length === 0
    ? Date.parse(accepted.lastTransitionTime)
    : undefined;
}
