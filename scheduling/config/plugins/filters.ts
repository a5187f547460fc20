import { z } from "zod";
import { describedPlugin } from "../plugin-description.ts";
import { inFlightLoadProducerName, prefixMatchInfoProducerName } from "./producer-names.ts";

const expression = z
  .strictObject({
    key: z.string().min(1),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
    values: z.array(z.string()).optional(),
  })
  .refine(({ operator, values = [] }) => /In$/.test(operator) === values.length > 0, {
    message: "In and NotIn need values, Exists and DoesNotExist have none",
    path: ["values"],
  });
const selectorParameters = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z.array(expression).optional(),
});

export type SelectorExpression = z.infer<typeof expression>;

const selector = (type: string) =>
  describedPlugin({
    type,
    kinds: ["filter"],
    summary: "Pods that a label selector matches.",
    parameters: selectorParameters,
  });

export const labelSelectorFilter = selector("label-selector-filter");
/** The older name. */
export const byLabelSelectorFilter = selector("by-label-selector");

export const byLabelFilter = describedPlugin({
  type: "by-label",
  kinds: ["filter"],
  summary: "Pods whose label has one of some values.",
  parameters: z
    .strictObject({
      label: z.string().min(1),
      validValues: z.array(z.string()).default([]),
      allowsNoLabel: z.boolean().default(false),
    })
    .refine(({ validValues, allowsNoLabel }) => validValues.length > 0 || allowsNoLabel, {
      message: "no pod would pass: give validValues, or allowsNoLabel: true",
      path: ["validValues"],
    }),
});

/** Label of a server's stage (llm-d-router, bylabel/roles.go). */
export const roleLabel = "llm-d.ai/role";

const role = (type: string, stage: string, others = "") =>
  describedPlugin({
    type,
    kinds: ["filter"],
    summary: `Pods that ${stage}, by label ${roleLabel}${others}.`,
    parameters: z.looseObject({}),
  });

export const decodeFilter = role("decode-filter", "decode", "; those without the label too");
export const prefillFilter = role("prefill-filter", "prefill");
export const encodeFilter = role("encode-filter", "encode");

export const prefixCacheAffinityFilter = describedPlugin({
  type: "prefix-cache-affinity-filter",
  kinds: ["filter"],
  summary:
    "Pods that have most of the prompt cached, unless their load costs more than the cache saves.",
  parameters: z.strictObject({
    affinityThreshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .describe("Share of the prompt's blocks."),
    explorationProbability: z.number().min(0).max(1).default(0).describe("Of leaving all pods."),
    maxTTFTPenaltyMs: z
      .number()
      .min(0)
      .default(18_000)
      .describe("How much longer the wait may be; 0: it is not looked at."),
    ttftSource: z.literal("prefillThroughput").default("prefillThroughput"),
    peakPrefillThroughput: z
      .number()
      .positive()
      .default(15_928)
      .describe("Tokens a second, by which waits are estimated."),
    prefixMatchInfoProducerName,
    inFlightLoadProducerName,
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
});

/** Label of a pod's range of prompt tokens, `min-max` (llm-d-router, contextlengthaware). */
const contextLengthLabel = "llm-d.ai/context-length-range";

export const contextLengthAware = describedPlugin({
  type: "context-length-aware",
  kinds: ["filter", "scorer"],
  summary: "Pods whose label has a range that the prompt's estimated tokens fit in.",
  parameters: z.strictObject({
    label: z.string().min(1).default(contextLengthLabel),
    enableFiltering: z
      .boolean()
      .default(false)
      .describe("Leaves out pods whose range the prompt is out of; those without label stay."),
  }),
});

export const headerBasedTestingFilter = describedPlugin({
  type: "header-based-testing-filter",
  kinds: ["filter"],
  summary:
    "Does nothing of its own: header test-epp-endpoint-selection is obeyed with --conformance-headers.",
  parameters: z.looseObject({}),
});
