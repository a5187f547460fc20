import { z } from "zod";
import type { NodePool } from "./node-choice.ts";

const nodePool = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()).optional() }).optional(),
      spec: z.object({
        requirements: z
          .array(
            z.object({
              key: z.string(),
              operator: z.string(),
              values: z.array(z.string()).optional(),
            }),
          )
          .optional(),
      }),
    }),
  }),
});

/** Returns the node pools of Karpenter in a list as the API server returns it. Objects of another form are left out. */
export const readNodePools = (items: readonly unknown[] | undefined): NodePool[] =>
  (items ?? []).flatMap((item) => {
    const { data } = nodePool.safeParse(item);
    if (data === undefined) return [];
    const { metadata, spec } = data.spec.template;
    const requirements = (spec.requirements ?? []).map((each) => ({ values: [], ...each }));
    return [{ name: data.metadata.name, labels: metadata?.labels ?? {}, requirements }];
  });
