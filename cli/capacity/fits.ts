import { type Capacity, capacity } from "../../sdk/capacity/capacity.ts";
import { formatStatus } from "../../sdk/capacity/forecast-text.ts";
import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { readClusterNodes } from "../check/cluster-nodes.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { coloured } from "../output/colours.ts";
import { formatReading } from "../output/print.ts";
import { formatTable } from "../output/table.ts";
import type { Output, Terminal } from "../terminal.ts";
import { type CapacityCommandOptions, colours, sufficient } from "./answer.ts";

/** Forecast of a service in a cluster; the status is Unknown if its nodes cannot be read. */
type Fit = { readonly cluster: string } & (
  | Capacity
  | { readonly status: "Unknown"; readonly note: string }
);

/** Prints one row for each context of a kubeconfig: whether the service fits in that cluster. */
export async function printFits(
  service: InferenceService,
  options: CapacityCommandOptions,
  { out }: Terminal,
): Promise<number> {
  const { context: contexts = [], require: required } = options;
  const fits = await Promise.all(contexts.map((context) => fitOf(service, context, options)));
  out.write(formatReading(options.format, fits, () => tableOf(service, fits, out)));
  const enough: readonly string[] = sufficient(required);
  // A cluster that cannot be read is not an error as long as the service fits in another one.
  return fits.some(({ status }) => enough.includes(status)) ? exitCode.ok : exitCode.problems;
}

async function fitOf(
  service: InferenceService,
  context: string,
  { kubeconfig, binpack }: CapacityCommandOptions,
): Promise<Fit> {
  try {
    const nodes = await readClusterNodes(
      { context, ...(kubeconfig && { kubeconfig }) },
      `--context ${context}`,
    );
    const empty = nodes.map((gpus) => ({ gpus }));
    return { cluster: context, ...capacity(service, empty, { scheduler: { binpack } }) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { cluster: context, status: "Unknown", note: error.message };
  }
}

function tableOf(service: InferenceService, fits: readonly Fit[], out: Output): string {
  const header = ["CLUSTER", "GPUS", "STATUS", "IDLE", "NOTE"].map((text) => ({ text }));
  const lines = fits.map((fit) => {
    const { cluster, note } = fit;
    if (fit.status === "Unknown")
      return [cluster, "-", fit.status, "-", note].map((text) => ({ text }));
    return [
      { text: cluster },
      { text: String(fit.gpus) },
      {
        text: formatStatus(service, fit),
        show: (text: string) => coloured(out, colours[fit.status], text),
      },
      { text: String(fit.idleGpus) },
      { text: note },
    ];
  });
  return formatTable([header, ...lines]);
}
