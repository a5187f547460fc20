import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommanderError } from "commander";
import { startWatchdog } from "../testing/watchdog.ts";
import { showClusters } from "./clusters.ts";
import { type DemoOptions, readOptions } from "./options.ts";
import { destroyKept, inOtherCluster } from "./other-cluster.ts";
import { startOwnCluster } from "./own-cluster.ts";
import { gpusPerNode, type Place } from "./place.ts";
import { comparison, forecast, heading, podTable } from "./report.ts";
import { demoStack } from "./stack.ts";
import { readStory, type Story } from "./story.ts";
import { showTraffic } from "./traffic.ts";

/** `npm run demo`: brings up a story on a cluster, shows what it is made of, and destroys it. */

const misuse = 2;

/** Returns the exit code. */
async function demo(options: DemoOptions): Promise<number> {
  if (options.destroy !== undefined) {
    await destroyKept(options.destroy);
    return 0;
  }
  if (options.clusters > 1) {
    await showClusters(options);
    return 0;
  }
  const story = readStory(options.story, options.namespace);
  const show: Show = (place, folder, guard) =>
    showStory(options, story, { ...place, folder, guard });
  if (options.context !== undefined)
    return (await inOtherCluster(options, story, show)) ? 0 : misuse;
  await inOwnCluster(options, story, show);
  return 0;
}

type Show = (place: Place, folder: string, guard?: (pid: number) => void) => Promise<void>;

/** Everything goes with this process, however it ends. */
async function inOwnCluster(options: DemoOptions, story: Story, show: Show): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-demo-"));
  const watchdog = startWatchdog(folder);
  try {
    const place = await startOwnCluster(options, story);
    try {
      await show(place, folder, watchdog.guard);
    } finally {
      await place.stop();
    }
  } finally {
    await watchdog.release();
  }
}

async function showStory(
  options: DemoOptions,
  story: Story,
  place: Place & { folder: string; guard?: ((pid: number) => void) | undefined },
): Promise<void> {
  const { service } = story;
  const stack = demoStack({ ...place, manifest: story.writeTo(place.folder) });
  heading(`Story ${story.number}, ${story.title}, on ${place.words}`);
  console.log(`  by ${stack.engine}`);
  await stack.up();
  heading("Pods");
  const pods = await place.settled();
  console.log(podTable(pods));
  if (place.schedules) {
    heading("What Volcano started, beside the forecast");
    console.log(comparison(service, gpusPerNode, place.gpus, pods));
  }
  if (options.context === undefined) {
    heading("Traffic: OpenAI's client, Envoy, the endpoint picker, simulated model servers");
    await showTraffic({ ...place, namespace: options.namespace });
  }
  heading(`Forecast on nodes of ${gpusPerNode} GPUs`);
  console.log(forecast(service, gpusPerNode, place.gpus));
  if (options.keep) await untilInterrupted(place);
  heading("Destroy");
  await stack.destroy();
  console.log(`  ${await place.left()} pods left`);
  heading("Next: deploy one on your cluster, and send it a request: examples/quickstart");
}

async function untilInterrupted({ kubeconfig }: Place): Promise<void> {
  heading("Kept until Ctrl-C, and then destroyed");
  console.log(`  export KUBECONFIG=${kubeconfig}`);
  const others = process.rawListeners("SIGINT");
  process.removeAllListeners("SIGINT");
  await new Promise<void>((resolve) => {
    const alive = setInterval(() => {}, 60_000);
    const end = () => {
      clearInterval(alive);
      process.off("SIGINT", end).off("SIGTERM", end);
      resolve();
    };
    process.on("SIGINT", end).on("SIGTERM", end);
  });
  for (const other of others) process.on("SIGINT", other as () => void);
}

try {
  process.exitCode = await demo(readOptions(process.argv.slice(2)));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : misuse;
  else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
