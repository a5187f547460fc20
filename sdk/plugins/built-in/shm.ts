import { z } from "zod";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import { engineIndexOf } from "../../engines/containers/engine-container.ts";
import { definePodPlugin } from "../pod-plugin.ts";
import { addMount, addVolume, mountAt } from "../volumes.ts";

const volume = "shm";
const mountPath = "/dev/shm";

/**
 * Mounts shared memory in the engine container: container runtimes provide 64 MiB, which collectives of several GPUs
 * exceed.
 */
export const shm = definePodPlugin({
  name: "shm",
  config: z.strictObject({
    sizeLimit: z
      .string()
      .refine((size) => parseQuantity(size) !== undefined, { error: "a quantity, as 16Gi" })
      .default("8Gi")
      .describe("Maximum size. Its contents count as memory of the container."),
  }),
  onPodCreate({ pod }, { sizeLimit }) {
    const engine = pod.spec.containers[engineIndexOf(pod.spec)];
    const mount = engine && mountAt(engine, mountPath);
    if (engine === undefined || (mount !== undefined && mount.name !== volume)) return;
    addVolume(pod, { name: volume, emptyDir: { medium: "Memory", sizeLimit } });
    addMount(engine, { name: volume, mountPath });
  },
});
