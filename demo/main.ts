import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommanderError } from "commander";
import { startWatchdog } from "../testing/processes/watchdog.ts";
import { startBuilds } from "./builds.ts";
import { showClusters } from "./clusters.ts";
import { showDeployment } from "./deployment.ts";
import { showFirstMinute } from "./first-minute.ts";
import type { Location } from "./location.ts";
import { type DemoOptions, readOptions } from "./options.ts";
import { destroyKept, inOtherCluster } from "./other-cluster.ts";
import { startOwnCluster } from "./own-cluster.ts";
import { planProgram } from "./plan.ts";
import { heading } from "./report.ts";
import { programStory, readStory, type Story } from "./story.ts";

/** `npm run demo`: shows a program and its plan without a cluster, then deploys it in a cluster and destroys it. */

const misuse = 2;

/** Returns the exit code. */
async function demo(options: DemoOptions): Promise<number> {
  if (options.destroy !== undefined) {
    await destroyKept(options.destroy);
  } else if (options.clusters > 1) {
    await showClusters(options);
  } else if (options.context !== undefined) {
    const story = await storyOf(options);
    const show = (place: Location, folder: string) =>
      showDeployment(options, story, { ...place, folder });
    if (!(await inOtherCluster(options, story, show))) return misuse;
  } else {
    await onThisMachine(options);
  }
  return 0;
}

async function storyOf({ story, namespace }: DemoOptions): Promise<Story> {
  if (story !== undefined) return readStory(story, namespace);
  const { service } = await planProgram("two-nodes");
  if (service === undefined) throw new Error("the program was refused");
  return programStory(service, namespace);
}

/** The watchdog ends the processes and removes the files, however this process ends. */
async function onThisMachine(options: DemoOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-demo-"));
  const watchdog = startWatchdog(folder);
  try {
    const builds = options.quick ? undefined : startBuilds(options.standIns);
    if (options.story === undefined) await showFirstMinute(folder, builds);
    if (builds === undefined) {
      heading("Next: npm run demo deploys the program on a real API server.");
      return;
    }
    await builds.finish();
    const story = await storyOf(options);
    const place = await startOwnCluster(options, story);
    try {
      await showDeployment(options, story, { ...place, folder, guard: watchdog.guard });
    } finally {
      await place.stop();
    }
  } finally {
    await watchdog.release();
  }
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
