import { z } from "zod";
import type { DataPlugin } from "./data-plugin.ts";

/** Parameters of metrics-data-source (llm-d-router, datalayer/source/metrics). */
const metricsSourceParameters = z.strictObject({
  scheme: z.enum(["http", "https"]).default("http"),
  path: z.string().startsWith("/").default("/metrics"),
  port: z.number().int().min(1).max(65_535).optional(),
  insecureSkipVerify: z.boolean().default(true),
  caCertPath: z.string().default(""),
  clientCertPath: z.string().default(""),
  clientKeyPath: z.string().default(""),
  interval: z.string().default("").describe("Not used: set --refresh-metrics-interval."),
});
export type MetricsSourceParameters = z.infer<typeof metricsSourceParameters>;

export const metricsSource = {
  type: "metrics-data-source",
  summary:
    "Defines how the picker reads model servers' metrics. Created automatically unless dataLayer.injectDefaults is false.",
  parameters: metricsSourceParameters,
} satisfies DataPlugin;
