import type { Exporter } from "./exporters.ts";
import { hasRoomForDetail, importStatus } from "./import-status.ts";
import { sameValue } from "./same-value.ts";
import type { MemberView } from "./view.ts";
import type { Write } from "./writes.ts";

/** The next write that brings the ConfigMap beside an import to where it should be. */
export function planCompanion(
  member: MemberView,
  exporters: readonly Exporter[],
  now: number,
): Write | undefined {
  const { namespace, import: it, companion } = member;
  if (namespace !== "active" || (companion !== undefined && !companion.ours)) return undefined;
  const isWanted =
    it?.entry !== undefined &&
    !it.deleting &&
    member.imports !== "absent" &&
    !hasRoomForDetail(member);
  if (!isWanted) {
    if (companion === undefined || it?.deleting) return undefined;
    return { kind: "delete-companion", uid: companion.uid };
  }
  const { clusters } = importStatus(exporters, member, now);
  if (companion === undefined) return { kind: "create-companion", owner: it.uid, clusters };
  if (companion.owner === it.uid && sameValue(companion.clusters, clusters)) return undefined;
  const { uid, resourceVersion } = companion;
  return { kind: "update-companion", owner: it.uid, uid, resourceVersion, clusters };
}
