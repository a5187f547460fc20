import { type LabelSelector, parseLabelSelector } from "../../kubernetes/values/label-selector.ts";
import { exportRequest } from "./export-request.ts";
import { ImportedCluster } from "./import-schema.ts";
import { knownDetail } from "./import-status.ts";
import { type ClusterDetail, clusterDetail, fieldsOf } from "./imported-cluster.ts";
import { clusterReadiness, unknownReadiness } from "./readiness.ts";
import type { ClusterFinding } from "./reasons.ts";
import { isUnread, type MemberView, type MultiClusterOptions, type NameView } from "./view.ts";

/** A cluster that exports the pool of a name. */
export interface Exporter {
  readonly name: string;
  /** Undefined if it is invalid, or if the cluster was never read and no import contains its details. */
  readonly detail: ClusterDetail | undefined;
  /** Selects the members that import the pool; undefined for all. */
  readonly to: LabelSelector | undefined;
  readonly readiness: ClusterFinding;
}

/** Returns the clusters that export a name, sorted by cluster name. */
export function exportersOf(view: NameView, options: MultiClusterOptions): Exporter[] {
  return view.members
    .filter(
      (member) =>
        member.role === "member" && member.exportDenied === undefined && !isStale(member, options),
    )
    .flatMap((member) => exporterOf(member, view) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a cluster has been silent long enough for its exports to be withdrawn. */
export const isStale = ({ silenceMs }: MemberView, { staleAfterMs }: MultiClusterOptions) =>
  staleAfterMs > 0 && silenceMs !== undefined && silenceMs >= staleAfterMs;

/** Returns when the next silent exporter becomes stale, in ms since 1970; undefined if no exporter will. */
export function nextStaleAt(
  { members }: NameView,
  exporters: readonly Exporter[],
  { staleAfterMs }: MultiClusterOptions,
  now: number,
): number | undefined {
  if (staleAfterMs === 0) return undefined;
  const silences = members.flatMap(({ name, silenceMs }) =>
    silenceMs !== undefined && exporters.some((exporter) => exporter.name === name)
      ? [silenceMs]
      : [],
  );
  return silences.length === 0 ? undefined : now + staleAfterMs - Math.max(...silences);
}

function exporterOf(member: MemberView, view: NameView): Exporter | undefined {
  const { name, contact, pool } = member;
  if (isUnread(member)) return rememberedExporter(member, view);
  const request = exportRequest(pool);
  if (request.kind !== "exported" || pool === undefined) return undefined;
  const detail = clusterDetail(member, request.mode, pool);
  return {
    name,
    // The API server would reject the whole import because of one invalid cluster.
    detail: ImportedCluster.safeParse(detail).success ? detail : undefined,
    to: request.to,
    readiness: contact === "unreachable" ? unknownReadiness : clusterReadiness(request.mode, pool),
  };
}

/**
 * Returns the export of a cluster that was never read, as recorded in the imports of the other members: unknown does
 * not mean absent.
 */
function rememberedExporter(member: MemberView, view: NameView): Exporter | undefined {
  const { name } = member;
  const places = view.members.filter(({ import: it }) => it?.entry?.exporters.includes(name));
  if (places.length === 0) return undefined;
  const known = places.flatMap(knownDetail).find((cluster) => cluster.name === name);
  const readiness = unknownReadiness;
  if (known === undefined) return { name, detail: undefined, to: undefined, readiness };
  const { conditions: _, networks: __, maxEndpoints: ___, locality: ____, ...detail } = known;
  const to = known.exportTo === undefined ? undefined : parseLabelSelector(known.exportTo);
  return { name, detail: { ...detail, ...fieldsOf(member) }, to, readiness };
}
