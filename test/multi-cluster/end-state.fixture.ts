import { annotation } from "../../sdk/names.ts";
import { exportModes } from "../../sdk/spec/export.ts";
import {
  listImports,
  listNamespaces,
  listPools,
  ownEntry,
  ownParent,
  type TestMember,
} from "./cluster-set.fixture.ts";

/** The actual and the expected state of a cluster set, by `member namespace/name`; both read from its objects only. */
export interface EndState {
  readonly found: Readonly<Record<string, string>>;
  readonly owed: Readonly<Record<string, string>>;
}

/** Without imports into exporters. */
export async function endState(
  members: readonly TestMember[],
  isIt: (namespace: string) => boolean,
): Promise<EndState> {
  const clusters = await Promise.all(
    members.map(async (member) => ({
      name: member.name,
      namespaces: (await listNamespaces(member)).filter(isIt),
      pools: (await listPools(member)).filter(({ metadata }) => isIt(metadata.namespace)),
      imports: (await listImports(member)).filter(({ metadata }) => isIt(metadata.namespace)),
    })),
  );
  const keys = new Set(clusters.flatMap(({ pools, imports }) => [...pools, ...imports].map(keyOf)));
  const found: Record<string, string> = {};
  const owed: Record<string, string> = {};
  for (const key of keys) {
    const exporters = clusters
      .filter(({ pools }) => asked(pools.find((pool) => keyOf(pool) === key)) === "export")
      .map(({ name }) => name);
    const hasNamespace = (cluster: (typeof clusters)[number]) =>
      cluster.namespaces.includes(key.split("/")[0] ?? "");
    for (const cluster of clusters) {
      const at = `${cluster.name} ${key}`;
      const pool = cluster.pools.find((each) => keyOf(each) === key);
      const it = cluster.imports.find((each) => keyOf(each) === key);
      const listed = hasNamespace(cluster) ? exporters.filter((name) => name !== cluster.name) : [];
      const others = it?.status?.controllers?.filter((entry) => entry !== ownEntry(it)) ?? [];
      const kept = others.length > 0 ? "kept for others" : "none";
      found[`import in ${at}`] =
        it === undefined
          ? "none"
          : (ownEntry(it)
              ?.exportingClusters?.map(({ name }) => name)
              .join() ?? "kept for others");
      owed[`import in ${at}`] = listed.length > 0 ? listed.join() : kept;
      if (pool === undefined) continue;
      const condition = ownParent(pool)?.conditions?.find(({ type }) => type === "Exported");
      found[`pool in ${at}`] = condition?.reason ?? "none";
      const targets = clusters.filter((each) => each !== cluster);
      const having = targets.filter(hasNamespace).length;
      owed[`pool in ${at}`] = {
        nothing: "none",
        impossible: "NotSupported",
        export:
          having === targets.length ? "Exported" : having === 0 ? "Pending" : "PartiallyExported",
      }[asked(pool)];
    }
  }
  return { found, owed };
}

const keyOf = ({ metadata }: { metadata: { namespace: string; name: string } }) =>
  `${metadata.namespace}/${metadata.name}`;

function asked(
  pool: { metadata: { annotations?: Readonly<Record<string, string>> } } | undefined,
): "export" | "nothing" | "impossible" {
  const { [annotation.export]: value, [annotation.exportMode]: mode } =
    pool?.metadata.annotations ?? {};
  if (value === undefined) return "nothing";
  const isKnown = mode === undefined || exportModes.some((each) => each === mode);
  return value === "ClusterSet" && isKnown ? "export" : "impossible";
}
