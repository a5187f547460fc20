import { setTimeout as sleep } from "node:timers/promises";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { brokenImage, type GpuCluster, type GpuPart } from "../../testing/clusters/gpu-cluster.ts";

/** Sets the status that a kubelet sets for an image that no registry has: the stand-in pulls nothing. */
export function failBrokenPods(
  { client }: Pick<GpuCluster, "client">,
  { namespace, pods }: GpuPart,
): { stop(): void } {
  let isRunning = true;
  const waiting = { reason: "ImagePullBackOff", message: "not found" };
  void (async () => {
    while (isRunning) {
      for (const { metadata, spec } of await pods()) {
        const [container] = spec.containers as Array<{ name: string; image: string }>;
        if (container?.image !== brokenImage) continue;
        const { name, image } = container;
        const status = {
          name,
          image,
          ready: false,
          restartCount: 0,
          imageID: "",
          state: { waiting },
        };
        await client
          .request(
            "PATCH",
            `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`,
            { status: { containerStatuses: [status] } },
            mergePatchType,
          )
          .catch(() => {});
      }
      await sleep(500);
    }
  })();
  return {
    stop() {
      isRunning = false;
    },
  };
}
