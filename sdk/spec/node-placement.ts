import { z } from "zod";
import { named, offByDefault, output, typed } from "../schemas/argument.ts";
import { coreObject } from "../schemas/kubernetes-object.ts";
import { text } from "../schemas/resources.ts";

export const NodePlacement = named(
  "NodePlacement",
  z
    .strictObject({
      any: offByDefault(
        "Whether the pods may run on any node with the requested resource, whatever its accelerator. Not allowed with `selector`.",
      ),
      selector: z
        .record(z.string(), text)
        .optional()
        .describe(
          "Labels of the nodes, instead of the labels of the accelerator. Default: the labels of the accelerator in docs/gpu-nodes.md.",
        ),
      tolerations: z
        .array(
          output(
            typed("types.input.core.v1.Toleration", coreObject("Toleration", z.looseObject({}))),
          ),
        )
        .optional()
        .describe(
          "Tolerations for taints of the nodes (core/v1 Toleration), instead of the planned ones. Default: the taints of GPU pools in docs/gpu-nodes.md.",
        ),
    })
    .refine(({ any, selector }) => !any || selector === undefined, {
      error: "either any or selector",
    })
    .refine(({ selector }) => selector === undefined || Object.keys(selector).length > 0, {
      error: "a selector with at least one label; any: true selects no nodes",
    }),
).describe("Nodes that the pods of an accelerator run on.");

export type NodePlacement = z.infer<typeof NodePlacement>;
