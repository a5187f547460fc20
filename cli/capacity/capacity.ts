import { type Capacity, capacity } from "../../sdk/capacity/capacity.ts";
import { formatStatus } from "../../sdk/capacity/forecast-text.ts";
import { type GpuNode, nodesOf } from "../../sdk/forecast/gpu-nodes.ts";
import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { readServices } from "../input/services.ts";
import { coloured } from "../output/colours.ts";
import { formatReading } from "../output/print.ts";
import { formatTable } from "../output/table.ts";
import type { Output, Terminal } from "../terminal.ts";
import { type CapacityCommandOptions, colours, sufficient } from "./answer.ts";
import { printFits } from "./fits.ts";

/** Prints one row for each cluster size, or for each cluster. */
export async function printCapacity(
  paths: readonly string[],
  options: CapacityCommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.context !== undefined)
    return printFits(await readOneService(paths, terminal), options, terminal);
  const clusters = clustersOf(options);
  const service = await readOneService(paths, terminal);
  const rows = clusters.map(({ nodes, note }) => {
    const row = capacity(service, nodes, { scheduler: { binpack: options.binpack } });
    return { ...row, note: [row.note, note].filter((part) => part !== "").join("; ") };
  });
  terminal.out.write(
    formatReading(options.format, rows, () => tableOf(service, rows, terminal.out)),
  );
  return rows.every(({ status }) => sufficient(options.require).includes(status))
    ? exitCode.ok
    : exitCode.problems;
}

interface ClusterSize {
  readonly nodes: readonly GpuNode[];
  readonly note: string;
}

function clustersOf({ gpus, gpusPerNode, nodes }: CapacityCommandOptions): ClusterSize[] {
  if (nodes !== undefined) return [{ nodes: nodes.map((count) => ({ gpus: count })), note: "" }];
  if (gpus === undefined) throw new UsageError("give --gpus, --nodes or --context");
  return gpus.map((count) => {
    const rest = count % gpusPerNode;
    const note = rest === 0 ? "" : `the last node has ${rest} of ${gpusPerNode} GPUs`;
    return { nodes: nodesOf(count, gpusPerNode), note };
  });
}

/** Maximum number of services in a message. */
const mostNames = 3;

async function readOneService(
  files: readonly string[],
  terminal: Terminal,
): Promise<InferenceService> {
  const services = await readServices(files, terminal);
  const [first, ...more] = services;
  if (first !== undefined && more.length === 0) return first.service;
  const names = services
    .slice(0, mostNames)
    .map(({ service, location }) => `${service.metadata.name} (${location})`);
  const others = services.length - names.length;
  throw new UsageError(
    `capacity takes one InferenceService, found ${services.length}: ${names.join(", ")}${others === 0 ? "" : ` and ${others} more`}`,
  );
}

function tableOf(service: InferenceService, rows: readonly Capacity[], out: Output): string {
  const header = ["GPUS", "STATUS", "IDLE", "NOTE"].map((text) => ({ text }));
  const lines = rows.map((row) => [
    { text: String(row.gpus) },
    {
      text: formatStatus(service, row),
      show: (text: string) => coloured(out, colours[row.status], text),
    },
    { text: String(row.idleGpus) },
    { text: row.note },
  ]);
  return formatTable([header, ...lines]);
}
