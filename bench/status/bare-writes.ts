import { setTimeout as sleep } from "node:timers/promises";
import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../kubernetes/api/load-kubeconfig.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { collections, counts, pathOf } from "./objects.ts";

/**
 * What writing alone costs: a process that patches statuses with the controller's client, reads nothing and decides
 * nothing. Prints milliseconds of CPU a write. Arguments: kubeconfig, namespace, seconds, writes a second.
 */
const [file = "", namespace = "", seconds = "", rate = ""] = process.argv.slice(2);
const client = newKubernetesClient(loadKubeConfig({ file }));
const writes = Number(seconds) * Number(rate);
const running: Array<Promise<unknown>> = [];
const started = performance.now();
const before = process.cpuUsage();
for (let n = 0; n < writes; n += 1) {
  const wait = started + (n * 1000) / Number(rate) - performance.now();
  if (wait > 0) await sleep(wait);
  const path = `${pathOf(namespace, collections.services, `s${n % counts.services}`)}/status`;
  running.push(
    client.request("PATCH", path, {
      contentType: mergePatchType,
      body: { status: { components: { w: { phase: "Running", readyPods: n } } } },
    }),
  );
}
await Promise.all(running);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000 / writes);
client.close();
