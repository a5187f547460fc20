import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { annotation } from "../../sdk/topology/names.ts";
import { annotate, createPool, type Member } from "./members.ts";

interface ToldImport {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly controllers?: ReadonlyArray<{ readonly exportingClusters?: readonly unknown[] }>;
  };
}

/** Milliseconds from the change of an annotation until the last member has what follows from it. */
export interface Propagation {
  readonly exports: readonly number[];
  readonly withdrawals: readonly number[];
}

const givesUpAfter = 60_000;

/**
 * Exports pools one after the other and withdraws them again.
 *
 * @param exporter must be one of the members
 * @param members those that must have the import, or have it no more
 */
export async function propagation(
  exporter: Member,
  members: readonly Member[],
  namespace: string,
  rounds: readonly string[],
): Promise<Propagation> {
  const has = new Map<string, Set<string>>(rounds.map((name) => [name, new Set()]));
  let changed = () => {};
  const stop = new AbortController();
  const watches = members.map(async ({ name: member, cluster }) => {
    const path = `/apis/${importKind.apiVersion}/namespaces/${namespace}/${importKind.plural}?watch=true`;
    for await (const { type, object } of cluster.watch<ToldImport>(path, stop.signal)) {
      const having = has.get(object.metadata.name);
      const [entry] = object.status?.controllers ?? [];
      const isThere = type !== "DELETED" && (entry?.exportingClusters?.length ?? 0) > 0;
      if (isThere) having?.add(member);
      else having?.delete(member);
      changed();
    }
  });
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("a change did not arrive")), givesUpAfter);
      changed = () => {
        if (!holds()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  const timed = async (name: string, value: string | null, count: number) => {
    const arrived = until(() => has.get(name)?.size === count);
    const started = performance.now();
    await annotate(exporter, namespace, name, { [annotation.export]: value });
    await arrived;
    return performance.now() - started;
  };
  const exports: number[] = [];
  const withdrawals: number[] = [];
  try {
    for (const name of rounds) {
      await createPool(exporter, namespace, name, false);
      exports.push(await timed(name, "ClusterSet", members.length));
      withdrawals.push(await timed(name, null, 0));
    }
  } finally {
    stop.abort();
    await Promise.allSettled(watches);
  }
  return { exports, withdrawals };
}
