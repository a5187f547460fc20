import { upstreamMetrics } from "../runtime/endpoint-picker/telemetry/upstream-metrics.ts";

/** The page of the endpoint picker's metrics beside those of the upstream picker. */
export function pickerMetricsPage(): string {
  const rows = Object.entries(upstreamMetrics);
  const here = rows.filter(([, { leftOut }]) => leftOut === undefined);
  const absent = rows.filter(([, { leftOut }]) => leftOut !== undefined);
  return [
    "# Metrics of the endpoint picker",
    "",
    "The picker's metrics have the names and labels of the upstream picker's (llm-d-router, `docs/metrics.md`), so that its dashboards and",
    "alerts show this picker. This page is made from [the table that tests hold against a running",
    "picker](../runtime/endpoint-picker/telemetry/upstream-metrics.ts) by `npm run generate`. Metrics of LLMServices, which upstream does not",
    "have, are on [the picker's page](endpoint-picker.md#metrics-of-llm-services). How they are read is on [the page of",
    "metrics](metrics.md).",
    "",
    "| metric, each with `llm_d_epp_` in front | labels | older names of the same numbers |",
    "|---|---|---|",
    ...here.map(
      ([name, { labels, older = {} }]) =>
        `| \`${name}\` | ${list(labels)} | ${list(Object.keys(older))} |`,
    ),
    "",
    "## Left out",
    "",
    "| metric of the upstream picker | why this picker does not have it |",
    "|---|---|",
    ...absent.map(([name, { leftOut }]) => `| \`${name}\` | ${leftOut} |`),
    "",
  ].join("\n");
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
