import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { isAccelerator } from "../../../kubernetes/values/accelerators.ts";
import { applyAcceleratorDefault } from "../accelerator-default.ts";
import { definePodPlugin } from "../pod-plugin.ts";

/** Requests NVIDIA GPUs for the engine container, unless the template requests an accelerator. */
export const nvidiaGpuDefaults = definePodPlugin({
  name: "nvidia-gpu-defaults",
  config: z.strictObject({
    runtimeClassName: nonEmptyText
      .optional()
      .describe("Runtime class of pods that set none. Default: the cluster's default."),
    gpuResourceName: z
      .string()
      .refine((name) => name.startsWith("nvidia.com/") && isAccelerator(name), {
        error: "nvidia.com/gpu, nvidia.com/gpu.shared or nvidia.com/mig-...",
      })
      .default("nvidia.com/gpu")
      .describe("Resource that counts GPUs."),
    gpuCount: positiveInteger.default(1).describe("GPUs per pod."),
  }),
  onPodCreate(request, { runtimeClassName, gpuResourceName, gpuCount }) {
    applyAcceleratorDefault(request, {
      resource: gpuResourceName,
      count: gpuCount,
      runtimeClassName,
    });
  },
});
