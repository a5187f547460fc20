import { upstreamMetrics } from "../../runtime/epp/telemetry/upstream-metrics.ts";
import { code, codes, table } from "./table.ts";

const rows = Object.entries(upstreamMetrics);

export const metricsTable = (): string[] =>
  table(
    ["metric, without the prefix `llm_d_epp_`", "labels", "older names of the same metric"],
    rows
      .filter(([, { leftOut }]) => leftOut === undefined)
      .map(([name, { labels, older = {} }]) => [
        code(name),
        codes(labels),
        codes(Object.keys(older)),
      ]),
  );

export const unsupportedMetricsTable = (): string[] =>
  table(
    ["metric of the upstream picker", "reason"],
    rows.flatMap(([name, { leftOut }]) => (leftOut === undefined ? [] : [[code(name), leftOut]])),
  );
