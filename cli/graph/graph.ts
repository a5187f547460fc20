import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { formatMermaid } from "../../sdk/graph/mermaid.ts";
import { planGraph } from "../../sdk/graph/plan-graph.ts";
import { kthenaLabel, label } from "../../sdk/names.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { plannedObjects, readInput } from "../input/input.ts";
import { type PodPluginOptions, readPodPlugins } from "../input/pod-plugins.ts";
import type { Terminal } from "../terminal.ts";

export interface GraphOptions extends PodPluginOptions {
  service?: string;
  stack: string;
}

/** Prints the objects of documents or of a program, with the traffic between them, as a Mermaid flowchart. */
export async function printGraph(
  paths: readonly string[],
  options: GraphOptions,
  terminal: Terminal,
): Promise<number> {
  const plan = ofService(await planned(paths, options, terminal), options.service);
  terminal.out.write(formatMermaid(planGraph(plan)));
  return exitCode.ok;
}

async function planned(
  paths: readonly string[],
  options: GraphOptions,
  terminal: Terminal,
): Promise<Manifest[]> {
  const input = await readInput(paths, { verb: "draw", stack: options.stack }, terminal);
  return plannedObjects(input, terminal, { podPlugins: await readPodPlugins(options) });
}

/** @throws UsageError if the service has no objects */
function ofService(plan: readonly Manifest[], service: string | undefined): readonly Manifest[] {
  if (service === undefined) return plan;
  const its = plan.filter((object) => serviceOf(object).includes(service));
  if (its.length > 0) return its;
  const found = [...new Set(plan.flatMap(serviceOf))];
  throw new UsageError(
    `--service: no objects of ${JSON.stringify(service)}; found: ${found.join(", ") || "no service"}`,
  );
}

/** Returns the name of the service, pool or ModelServing that an object is planned for. */
function serviceOf({ metadata }: Partial<Manifest>): string[] {
  const labels = metadata?.labels ?? {};
  return [label.service, label.pool, kthenaLabel.name].flatMap((key) => labels[key] ?? []);
}
