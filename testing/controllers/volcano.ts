import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ApiClient } from "../api/api-client.ts";
import { goModules, moduleSource } from "../processes/go-modules.ts";

/** `stock`: the configuration in Volcano's Helm chart. `gpu`: its binpack plugin scores nvidia.com/gpu too. */
export type Binpack = "stock" | "gpu";

interface SchedulerConfiguration {
  tiers: Array<{ plugins: Array<{ name: string; arguments?: Record<string, unknown> }> }>;
}

/** Writes the scheduler's configuration from the chart in Volcano's module. Returns its path. */
export async function writeSchedulerConfiguration(
  folder: string,
  binpack: Binpack,
): Promise<string> {
  const chart = join(await moduleSource("volcano"), "installer/helm/chart/volcano/config");
  const configuration = parse(
    readFileSync(join(chart, "volcano-scheduler.conf"), "utf8"),
  ) as SchedulerConfiguration;
  const plugin = configuration.tiers
    .flatMap(({ plugins }) => plugins)
    .find(({ name }) => name === "binpack");
  if (plugin === undefined) throw new Error(`${goModules.volcano}: no binpack plugin in its chart`);
  if (binpack === "gpu") {
    plugin.arguments = {
      "binpack.weight": 10,
      "binpack.resources": "nvidia.com/gpu",
      "binpack.resources.nvidia.com/gpu": 10,
    };
  }
  const path = join(folder, "volcano-scheduler.conf");
  writeFileSync(path, JSON.stringify(configuration));
  return path;
}

/** Whether the default queue takes pods: Volcano's scheduler makes it, its controllers open it. */
export async function defaultQueueIsOpen(client: ApiClient): Promise<boolean> {
  const queue = await client.request<{ status?: { state?: string } }>(
    "GET",
    "/apis/scheduling.volcano.sh/v1beta1/queues/default",
  );
  return queue.status?.state === "Open";
}
