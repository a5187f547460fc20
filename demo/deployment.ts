import { type LiveTraffic, startLiveTraffic } from "../testing/traffic/live-traffic.ts";
import { keepRunning } from "./keep.ts";
import { gpusPerNode, type Location } from "./location.ts";
import type { DemoOptions } from "./options.ts";
import { paintedStatuses } from "./paint.ts";
import { capacityText, comparison, elapsed, heading, podTable } from "./report.ts";
import { demoStack } from "./stack.ts";
import type { Story } from "./story.ts";
import { showTraffic } from "./traffic.ts";

interface DeploymentLocation extends Location {
  /** Folder of the stack's state. */
  readonly folder: string;
  /** Receives the ids of processes that must not outlive this one. */
  readonly guard?: (pid: number) => void;
}

/** Deploys a story in a cluster, shows its pods and traffic, and destroys it. */
export async function showDeployment(
  options: DemoOptions,
  story: Story,
  place: DeploymentLocation,
): Promise<void> {
  const { service } = story;
  const { folder, namespace } = { ...place, ...options };
  const stack = demoStack({ ...place, manifest: story.writeTo(folder) });
  heading(`${story.title}, on ${place.words} (${elapsed()})`);
  console.log(`  by ${stack.engine}`);
  await stack.up();
  heading(`Pods (${elapsed()})`);
  const pods = await place.settled();
  console.log(podTable(pods));
  if (place.schedules) {
    heading("Pods that Volcano started, and the planned ones");
    console.log(comparison(service, gpusPerNode, place.gpus, pods));
  }
  let traffic: LiveTraffic | undefined;
  try {
    if (options.context === undefined) {
      heading("Traffic: OpenAI's client, Envoy, the endpoint picker, simulated engines");
      traffic = await startLiveTraffic({ ...place, namespace });
      await showTraffic(traffic);
    }
    if (options.story !== undefined) {
      heading(`Capacity on nodes of ${gpusPerNode} GPUs`);
      console.log(paintedStatuses(capacityText(service, gpusPerNode, place.gpus)));
    }
    if (options.keep) await keepRunning({ ...place, service, url: traffic?.envoy.url });
  } finally {
    await traffic?.stop();
  }
  heading("Destroy");
  await stack.destroy();
  console.log(`  ${await place.left()} pods left`);
  heading("Next: deploy a model in your cluster and send it a request: examples/quickstart");
}
