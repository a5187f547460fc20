import { setTimeout as sleep } from "node:timers/promises";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import type { ShownPod } from "./location.ts";

/** The pods once they have not changed for a moment; a cluster that never rests is shown as it is after 30 s. */
export async function restingPods(
  { kubeconfig, context }: { kubeconfig: string; context?: string | undefined },
  namespace: string,
): Promise<readonly ShownPod[]> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  const api = config.makeApiClient(CoreV1Api);
  let before = "";
  for (let quiet = 0, round = 0; ; round += 1) {
    const { items } = await api.listNamespacedPod({ namespace });
    const now = items.map(({ metadata }) => metadata?.resourceVersion).join();
    quiet = now === before ? quiet + 1 : 0;
    if (quiet === 4 || round === 60) return items as readonly ShownPod[];
    before = now;
    await sleep(500);
  }
}
