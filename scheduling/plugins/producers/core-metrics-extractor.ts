import { z } from "zod";
import { builtInEngines } from "../../endpoints/engines.ts";
import { parseMetricSpec } from "../../endpoints/metric-spec.ts";
import type { DataPlugin } from "./data-plugin.ts";

const metric = z.string().superRefine((text, context) => {
  try {
    if (text !== "") parseMetricSpec(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const engine = z.strictObject({
  name: z.string().min(1),
  queuedRequestsSpec: metric.optional(),
  runningRequestsSpec: metric.optional(),
  kvUsageSpec: metric.optional(),
  loraSpec: metric.optional(),
  cacheInfoSpec: metric.optional(),
  cacheBlockSizeLabelName: z.string().optional(),
  cacheNumBlocksLabelName: z.string().optional(),
  cacheBlockSizeSpec: metric.optional(),
  cacheNumBlocksSpec: metric.optional(),
  customMetrics: z
    .array(z.unknown())
    .max(0, "custom metrics are not read")
    .optional()
    .describe("Refused: the picker does not read them."),
});

/** Parameters of core-metrics-extractor (llm-d-router, datalayer/extractor/metrics). */
const metricsExtractorParameters = z
  .strictObject({
    engineLabelKey: z.string().optional(),
    defaultEngine: z.string().optional(),
    engineConfigs: z.array(engine).optional(),
  })
  .superRefine(({ defaultEngine, engineConfigs = [] }, context) => {
    const known = [...builtInEngines, ...engineConfigs].map(({ name }) => name);
    if (defaultEngine === undefined || known.includes(defaultEngine)) return;
    const message = `"${defaultEngine}" is unknown; known engines: ${known.join(", ")}`;
    context.addIssue({ code: "custom", message, path: ["defaultEngine"] });
  });
export type MetricsExtractorParameters = z.infer<typeof metricsExtractorParameters>;

export const metricsExtractor = {
  type: "core-metrics-extractor",
  summary: "Defines the metrics to read, per engine.",
  parameters: metricsExtractorParameters,
} satisfies DataPlugin;
