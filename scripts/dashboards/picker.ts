import { metrics, scraped } from "../../sdk/observability/metrics.ts";
import { expression } from "../../sdk/observability/promql.ts";
import { queuedSeconds } from "../../sdk/plan/observability/cause-alerts.ts";
import { dashboard } from "./dashboard.ts";
import { plot } from "./panels.ts";
import {
  largest,
  largestSince,
  percentiles,
  perSecond,
  shareOf,
  sumOf,
  sumPerSecond,
} from "./queries.ts";

/** The dashboard for slow or refused requests: whether they wait in the picker, and where it sends them. */
export const picker = () =>
  dashboard({
    title: "Inference picker",
    description:
      "Queues, saturation, decisions and cache hits of the endpoint picker of one service.",
    rows: {
      "Flow control": [
        plot({
          title: "Saturation",
          description: "Load of the pool by stage. From 1 on, further requests wait in the picker.",
          unit: "percentunit",
          limit: 1,
          queries: [{ expr: largest(metrics.poolSaturation, ["stage"]), legend: "{{stage}}" }],
        }),
        plot({
          title: "Queued requests",
          description:
            "Requests that wait in the picker, by priority. High priorities leave first.",
          queries: [
            { expr: sumOf(metrics.queueSize, ["priority"]), legend: "priority {{priority}}" },
          ],
        }),
        plot({
          title: "Time in the queue",
          span: 8,
          description: "Time until a request was sent to an engine.",
          unit: "s",
          limit: queuedSeconds,
          queries: percentiles(metrics.queueDuration, [0.5, 0.9, 0.99], { outcome: "Dispatched" }),
        }),
        plot({
          title: "Waiting requests by reason",
          description:
            "no_slot: all engines are full. preferred_endpoint: a full engine is cheaper than a free one, or the only one that fits. working_set: a cold prompt would evict prefixes that are used again. order: the free slot is held back for another band or flow. no_endpoint: the pool is empty.",
          span: 8,
          queries: [{ expr: perSecond(metrics.waitedSeconds, ["reason"]), legend: "{{reason}}" }],
        }),
        plot({
          title: "Outcomes",
          span: 8,
          description:
            "Requests per second by their outcome in flow control. All except Dispatched are refused.",
          unit: "reqps",
          queries: [{ expr: perSecond(metrics.flowOutcomes, ["outcome"]), legend: "{{outcome}}" }],
        }),
      ],
      Decisions: [
        plot({
          title: "Requests by engine",
          description: "Requests per second that the scheduler sends to each engine.",
          unit: "reqps",
          queries: [
            {
              expr: perSecond(metrics.attempts, ["endpoint_name"], { status: "success" }),
              legend: "{{endpoint_name}}",
            },
          ],
        }),
        plot({
          title: "Requests in flight by engine",
          description: "Requests that the picker sent and that have no complete response yet.",
          queries: [
            {
              expr: sumOf(metrics.inflightRequests, ["endpoint_name"]),
              legend: "{{endpoint_name}}",
            },
          ],
        }),
        plot({
          title: "Prompt tokens from the prefix cache",
          description:
            "Shares that the picker expects on the chosen engine and on the engine with the longest cached prefix, and the share that engines report. The picker chose another engine because of its load if the second is larger than the first. A large difference to the report means that the picker's index is wrong.",
          unit: "percentunit",
          max: 1,
          queries: [
            {
              expr: shareOf(metrics.chosenCachedTokens, metrics.promptTokens),
              legend: "expected on the chosen engine",
            },
            {
              expr: shareOf(metrics.bestCachedTokens, metrics.promptTokens),
              legend: "expected on the best engine",
            },
            {
              expr: expression(
                `${sumPerSecond(metrics.cachedTokens)} / ${sumPerSecond(metrics.inputTokens)}`,
              ),
              legend: "reported by engines",
            },
          ],
        }),
        plot({
          title: "Time of the picker",
          description: "Time that the picker adds to a request, without the time in the queue.",
          unit: "s",
          queries: percentiles(metrics.requestProcessing, [0.5, 0.99]),
        }),
      ],
      Health: [
        plot({
          title: "Excluded engines and pairs",
          description:
            "Engines without requests because their responses fail, and excluded prefiller-decoder pairs.",
          span: 8,
          noValue: "none",
          queries: [
            {
              expr: largestSince(metrics.ejectedEndpoints, ["endpoint"]),
              legend: "{{endpoint}}",
            },
            { expr: largestSince(metrics.excludedPairs), legend: "pairs" },
          ],
        }),
        plot({
          title: "Failed reads of engines' metrics",
          description: "Reads per second. The picker does not know the load of such an engine.",
          unit: "cps",
          span: 8,
          noValue: "none",
          queries: [
            { expr: perSecond(metrics.pollErrors, ["source_type"]), legend: "{{source_type}}" },
          ],
        }),
        plot({
          title: "Pods of the picker",
          description: "Pods whose metrics Prometheus reads.",
          span: 8,
          queries: [{ expr: sumOf(scraped), legend: "pods" }],
        }),
      ],
    },
  });
