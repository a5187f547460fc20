import { planDetail } from "./detail-plan.ts";
import { exportersOf, nextStaleAt } from "./exporters.ts";
import { planImport, remembersUnknown } from "./import-plan.ts";
import { planPool } from "./pool-entry.ts";
import { listedIn } from "./targets.ts";
import type { MultiClusterOptions, NameView } from "./view.ts";
import type { Write } from "./writes.ts";

/** Plan of one name for all members of a cluster set. */
export interface Plan {
  /** By member: the next write to each of its objects. Later writes are planned from the results. */
  readonly writes: ReadonlyMap<string, readonly Write[]>;
  /** When to plan the name again even if nothing changes, in ms since 1970. */
  readonly again: number | undefined;
  /** Members whose pool has no free entry in `status.parents` for this controller. */
  readonly full: readonly string[];
}

/** Writes after which the import, or this controller's entry in it, no longer exists. */
const takesBack: ReadonlySet<Write["kind"] | undefined> = new Set([
  "clear-import",
  "delete-import",
]);

/**
 * Returns the writes that bring a name to its desired state in every member that can be written to. They depend only on
 * the known state: if nothing changed, there is nothing to write, also after a restart.
 *
 * @param now milliseconds since 1970
 * @param only plans the writes of this member only. Default: all members
 */
export function desired(
  view: NameView,
  options: MultiClusterOptions,
  now: number,
  only?: string,
): Plan {
  const exporters = exportersOf(view, options);
  const writes = new Map<string, readonly Write[]>();
  const full: string[] = [];
  let again = nextStaleAt(view, exporters, options, now);
  for (const member of view.members) {
    if (member.contact !== "current" || member.name !== (only ?? member.name)) continue;
    const listed = listedIn(member, exporters, options);
    const imported = planImport(member, view, listed, options, now);
    const pool = planPool(member, view, exporters, options, now);
    const isKept = takesBack.has(imported.write?.kind) || remembersUnknown(member, view, options);
    const detail = isKept ? undefined : planDetail(member, listed, now);
    const all = [imported.write, detail, pool.write].filter((write) => write !== undefined);
    if (all.length > 0) writes.set(member.name, all);
    if (pool.full) full.push(member.name);
    if (imported.again !== undefined) again = Math.min(again ?? imported.again, imported.again);
  }
  return { writes, again, full };
}
