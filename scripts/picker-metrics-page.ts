import { upstreamMetrics } from "../runtime/epp/telemetry/upstream-metrics.ts";

/** The page of the endpoint picker's metrics beside those of the upstream picker. */
export function pickerMetricsPage(): string {
  const rows = Object.entries(upstreamMetrics);
  const here = rows.filter(([, { leftOut }]) => leftOut === undefined);
  const absent = rows.filter(([, { leftOut }]) => leftOut !== undefined);
  return [
    "# Metrics of the endpoint picker",
    "",
    "The picker's metrics have the names and labels of the upstream picker (llm-d-router, `docs/metrics.md`), so its dashboards and",
    "alerts work with this picker. [Metrics of LLMServices](endpoint-picker.md#metrics-of-llm-services), which upstream does not",
    "have, are listed separately. [Metrics](metrics.md) describes how to scrape them. `npm run generate` creates this page from [a",
    "table](../runtime/endpoint-picker/telemetry/upstream-metrics.ts), which tests compare with a running picker.",
    "",
    "| metric, without the prefix `llm_d_epp_` | labels | older names of the same metric |",
    "|---|---|---|",
    ...here.map(
      ([name, { labels, older = {} }]) =>
        `| \`${name}\` | ${list(labels)} | ${list(Object.keys(older))} |`,
    ),
    "",
    "## Not supported",
    "",
    "| metric of the upstream picker | reason |",
    "|---|---|",
    ...absent.map(([name, { leftOut }]) => `| \`${name}\` | ${leftOut} |`),
    "",
  ].join("\n");
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
