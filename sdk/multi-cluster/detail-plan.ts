import type { Exporter } from "./exporters.ts";
import { fitsDetail, importStatus } from "./import-status.ts";
import { sameValue } from "./same-value.ts";
import type { MemberView } from "./view.ts";
import type { Write } from "./writes.ts";

/**
 * Returns the next write of an import's annotation, which describes how its clusters are reached; undefined if it is up
 * to date.
 */
export function planDetail(
  member: MemberView,
  exporters: readonly Exporter[],
  now: number,
): Write | undefined {
  const { namespace, import: it, imports } = member;
  if (it === undefined || it.deleting || namespace !== "active") return undefined;
  const { uid, detail } = it;
  if (detail?.ours === false) return undefined;
  const isListed = it.entry !== undefined || exporters.length > 0;
  const isWanted = isListed && imports !== "absent" && !fitsDetail(member);
  if (!isWanted) return detail && { kind: "remove-detail", uid };
  const { clusters } = importStatus(exporters, member, now);
  if (detail !== undefined && sameValue(detail.clusters, clusters)) return undefined;
  return { kind: "write-detail", uid, clusters };
}
