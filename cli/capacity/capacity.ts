import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type StackCapacity, stackCapacity } from "../../sdk/capacity/capacity.ts";
import { formatStatus } from "../../sdk/capacity/capacity-text.ts";
import { formatPath } from "../../sdk/errors.ts";
import { UnknownValueError } from "../../sdk/stack/unknown-value.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { readPodPlugins } from "../input/pod-plugins.ts";
import { coloured } from "../output/colours.ts";
import { formatReading } from "../output/print.ts";
import { formatTable } from "../output/table.ts";
import type { Output, Terminal } from "../terminal.ts";
import { type CapacityCommandOptions, colours, sufficient } from "./answer.ts";
import { capacityObjects } from "./capacity-objects.ts";
import { type ClusterSize, clustersOf } from "./clusters.ts";

/** Capacity for one service on the nodes of one cluster; Unknown without a service if the nodes cannot be read. */
type Row = { readonly cluster?: string | undefined } & (
  | StackCapacity
  | { readonly service: undefined; readonly status: "Unknown"; readonly note: string }
);

/** Prints one row for each cluster and each service. */
export async function printCapacity(
  paths: readonly string[],
  options: CapacityCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const podPlugins = await readPodPlugins(options);
  const { stack } = options;
  const [clusters, objects] = await Promise.all([
    clustersOf(options, terminal),
    capacityObjects(paths, { stack, podPlugins }, terminal),
  ]);
  const rows = clusters.map((cluster) => rowsOf(cluster, objects, options, paths));
  terminal.out.write(
    formatReading(options.format, rows.flat().map(withoutRoles(rows)), () =>
      tableOf(rows.flat(), options, terminal.out),
    ),
  );
  const enough: readonly string[] = sufficient(options.require);
  const fits = rows.map((its) => its.every(({ status }) => enough.includes(status)));
  // A cluster that cannot be read is not an error as long as the services fit in another cluster.
  const isEnough = options.context === undefined ? fits.every(Boolean) : fits.some(Boolean);
  return isEnough ? exitCode.ok : exitCode.problems;
}

function rowsOf(
  { cluster, nodes, note: assumption }: ClusterSize,
  objects: readonly Manifest[],
  { binpack }: CapacityCommandOptions,
  paths: readonly string[],
): Row[] {
  if (nodes === undefined)
    return [{ cluster, service: undefined, status: "Unknown", note: assumption }];
  const rows = explained(() => stackCapacity(objects, nodes, { scheduler: { binpack } }), objects);
  if (rows.length === 0)
    throw new UsageError(
      `${paths.join(", ")}: no engine found; allowed: services, or workloads whose pods request accelerators`,
    );
  return rows.map((row) => ({
    ...(cluster !== undefined && { cluster }),
    ...row,
    note: [row.note, assumption].filter((part) => part !== "").join("; "),
  }));
}

/** @throws UsageError if a value that affects the pods is not known */
function explained<T>(compute: () => T, objects: readonly Manifest[]): T {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof UnknownValueError)) throw error;
    const [at, ...path] = error.path;
    const { kind, metadata } = objects[Number(at)] as Manifest;
    throw new UsageError(
      `${kind} ${metadata.name}: ${formatPath(path)} is a secret, or known only after a deployment; set a value that the program contains`,
    );
  }
}

const isSeveral = (rows: readonly Row[]) => new Set(rows.map(({ service }) => service)).size > 1;

/** The service is part of a row only if there are several. */
const withoutRoles = (rows: readonly Row[][]) => (row: Row) => {
  const { service, roles: _, ...shown } = { roles: undefined, ...row };
  return rows.some(isSeveral) ? { service, ...shown } : shown;
};

function tableOf(rows: readonly Row[], { context }: CapacityCommandOptions, out: Output): string {
  const hasServices = isSeveral(rows.filter(({ service }) => service !== undefined));
  const leading = (cluster: string, service: string) => [
    ...(context === undefined ? [] : [{ text: cluster }]),
    ...(hasServices ? [{ text: service }] : []),
  ];
  const header = ["GPUS", "STATUS", "IDLE", "NOTE"].map((text) => ({ text }));
  const lines = rows.map((row) => {
    const first = leading(row.cluster ?? "", row.service ?? "-");
    if (row.service === undefined)
      return [...first, ...["-", row.status, "-", row.note].map((text) => ({ text }))];
    const { devices = {}, gpus, idleGpus } = row;
    const listed = (of: "total" | "idle") =>
      Object.entries(devices)
        .map(([resource, counts]) => `${counts[of]} ${resource}`)
        .join(", ");
    return [
      ...first,
      { text: gpus === undefined ? listed("total") : String(gpus) },
      {
        text: formatStatus({ spec: { roles: row.roles } }, row),
        show: (text: string) => coloured(out, colours[row.status], text),
      },
      { text: idleGpus === undefined ? listed("idle") : String(idleGpus) },
      { text: row.note },
    ];
  });
  return formatTable([[...leading("CLUSTER", "SERVICE"), ...header], ...lines]);
}
