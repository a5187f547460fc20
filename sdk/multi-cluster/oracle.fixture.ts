import type { MemberView, MultiClusterOptions, NameView } from "./view.ts";

/**
 * Desired end state of a cluster set, independent of the steps to it: statuses of conditions and exporting clusters,
 * without messages and times.
 */
export interface EndState {
  /** By member. `untouched`: the same as before. */
  readonly imports: Record<string, ExpectedImport>;
  readonly pools: Record<string, ExpectedEntry>;
}

export type ExpectedImport =
  | "untouched"
  | "none"
  | {
      readonly ours: boolean;
      /** Undefined if there is no entry of this controller. */
      readonly exporters: readonly string[] | undefined;
      readonly ready?: "True" | "False" | "Unknown";
    };

export type ExpectedEntry =
  | "untouched"
  | "none"
  | { readonly exported: string; readonly conflict: boolean };

export function endState(view: NameView, options: MultiClusterOptions): EndState {
  const set = view.members.filter(({ role }) => role === "member");
  const dropped = (m: MemberView) =>
    options.staleAfterMs > 0 && m.silenceMs !== undefined && m.silenceMs >= options.staleAfterMs;
  const unread = (m: MemberView) => m.contact === "unknown" || m.contact === "starting";
  const remembered = (name: string) =>
    view.members.some((m) => m.import?.entry?.exporters.includes(name));
  const supported = (m: MemberView) =>
    m.pool?.export === "ClusterSet" &&
    [undefined, "EndpointMode", "ParentMode"].includes(m.pool.exportMode) &&
    m.pool.picker?.service?.type !== "ExternalName" &&
    m.pool.exportTo !== "=no selector";
  /** Whether a member should import the pool of another one. */
  const isMeant = (from: MemberView | undefined, to: MemberView) => {
    if (from?.name === to.name) return options.importIntoExporters;
    if (from === undefined || unread(from) || from.pool?.exportTo === undefined) return true;
    return (to.labels.tier === "prod") === (from.pool.exportTo === "tier=prod");
  };
  const exporting = set
    .filter((m) => !dropped(m))
    .filter((m) => (unread(m) ? remembered(m.name) : supported(m) && !m.pool?.deleting))
    .map(({ name }) => name)
    .sort();

  const readiness = (name: string): "True" | "False" | "Unknown" => {
    const m = set.find((each) => each.name === name);
    if (m === undefined || unread(m) || m.contact === "unreachable") return "Unknown";
    const ready =
      m.pool?.exportMode === "ParentMode"
        ? m.pool.gateways.some((g) => g.programmed?.status === "True" && g.acceptsRoute) &&
          (m.pool.picker?.ready ?? 0) > 0
        : (m.pool?.picker?.ready ?? 0) > 0;
    return ready ? "True" : "False";
  };
  const best = (names: readonly string[]) =>
    (["True", "Unknown", "False"] as const).find((s) => names.some((n) => readiness(n) === s));

  const listOf = (m: MemberView) =>
    m.role === "leaving"
      ? []
      : exporting.filter((name) =>
          isMeant(
            set.find((each) => each.name === name),
            m,
          ),
        );

  const isWritable = (m: MemberView) =>
    m.contact === "current" &&
    m.failure === undefined &&
    m.imports !== "absent" &&
    m.namespace === "active" &&
    !m.import?.deleting;

  const holdsMemory = (m: MemberView) =>
    m.role === "leaving" &&
    set.some((o) => unread(o) && !dropped(o) && m.import?.entry?.exporters.includes(o.name));

  function importIn(m: MemberView): ExpectedImport {
    if (!isWritable(m) || holdsMemory(m)) return "untouched";
    const list = listOf(m);
    const it = m.import;
    if (list.length > 0)
      return { ours: it?.ours ?? true, exporters: list, ready: best(list) ?? "Unknown" };
    if (it === undefined) return "none";
    return it.ours && !it.others.some((o) => (o.exportingClusters ?? []).length > 0)
      ? "none"
      : { ours: false, exporters: undefined };
  }

  const imports = Object.fromEntries(view.members.map((m) => [m.name, importIn(m)]));
  const listsAtEnd = (m: MemberView, exporter: string): boolean => {
    const end = imports[m.name];
    if (end === "none" || end === undefined) return false;
    if (end === "untouched") return m.import?.entry?.exporters.includes(exporter) ?? false;
    return end.exporters?.includes(exporter) ?? false;
  };

  function entryOf(m: MemberView): ExpectedEntry {
    const { pool } = m;
    if (m.contact !== "current" || pool === undefined || pool.deleting) return "untouched";
    if (m.role === "leaving" || pool.export === undefined) return "none";
    const hadEntry = pool.parents.some((p) => p.parentRef.kind === "InferencePoolImport");
    if (!hadEntry && pool.parents.length === 32) return "untouched";
    if (!supported(m)) return { exported: "NotSupported", conflict: false };
    const targets = set.filter((t) => isMeant(m, t));
    const own = pool.parents.find((p) => p.parentRef.kind === "InferencePoolImport");
    const told = own?.conditions?.find(({ type }) => type === "Exported");
    const toldToLack = (name: string) =>
      told === undefined || (told.status === "False" && ["b", "d"].includes(name));
    // Whether a member that was not read since the process started had the import, according to the earlier entry.
    const had = (t: MemberView) => unread(t) && !t.joinedLate && !toldToLack(t.name);
    const lacking = targets.filter((t) => !listsAtEnd(t, m.name) && !had(t));
    // A member that was lost only a moment ago may still import the pool, so the entry stays unchanged.
    const isOpen = (t: MemberView) => t.contact === "starting" || isOpenWhenLost(t);
    const isOpenWhenLost = (t: MemberView) =>
      t.contact === "failing" &&
      t.imports !== "absent" &&
      t.namespace === "active" &&
      !t.import?.deleting &&
      t.failure === undefined;
    if (lacking.some(isOpen)) return "untouched";
    const protocols = new Set(
      set.filter((o) => exporting.includes(o.name) && !unread(o)).map((o) => o.pool?.appProtocol),
    );
    const exported =
      lacking.length === targets.length
        ? "Pending"
        : lacking.length > 0
          ? "PartiallyExported"
          : "Exported";
    return { exported, conflict: protocols.size > 1 };
  }

  return { imports, pools: Object.fromEntries(view.members.map((m) => [m.name, entryOf(m)])) };
}
