import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { isAccelerator } from "../../../kubernetes/values/accelerators.ts";
import { applyAcceleratorDefault } from "../accelerator-default.ts";
import { definePodPlugin } from "../pod-plugin.ts";

/** Requests Huawei Ascend NPUs for the engine container, unless the template requests an accelerator. */
export const huaweiAscendDefaults = definePodPlugin({
  name: "huawei-ascend-defaults",
  config: z.strictObject({
    runtimeClassName: nonEmptyText
      .optional()
      .describe("Runtime class of pods that set none. Default: the cluster's default."),
    npuResourceName: z
      .string()
      .refine((name) => name.startsWith("huawei.com/") && isAccelerator(name), {
        error: "huawei.com/Ascend followed by the model, such as huawei.com/Ascend910",
      })
      .default("huawei.com/Ascend910")
      .describe("Resource that counts NPUs."),
    npuCount: positiveInteger.default(1).describe("NPUs per pod."),
  }),
  onPodCreate(request, { runtimeClassName, npuResourceName, npuCount }) {
    applyAcceleratorDefault(request, {
      resource: npuResourceName,
      count: npuCount,
      runtimeClassName,
    });
  },
});
