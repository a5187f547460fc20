import { metrics } from "../../sdk/observability/metrics.ts";
import { recorded } from "../../sdk/plan/observability/burn-rates.ts";
import { objectivesRow } from "../../sdk/plan/observability/dashboard-variables.ts";
import { dashboard } from "./dashboard.ts";
import { numbers, plot } from "./panels.ts";
import { largest, percentiles, perSecond, recordedSeries, sumPerSecond } from "./queries.ts";

const tails = [0.5, 0.95, 0.99];

/** The dashboard to open first: whether users get their answers, and how fast. */
export const service = () =>
  dashboard({
    title: "Inference service",
    description: "Objectives, requests, latencies and replicas of one service.",
    rows: {
      [objectivesRow]: [
        numbers(
          {
            title: "Error budget left",
            description:
              "Share of the errors that each objective allows and that have not happened yet. Below zero the objective is missed.",
            unit: "percentunit",
            span: 8,
            queries: [{ expr: recordedSeries(recorded.budget), legend: "{{objective}}" }],
          },
          [null, "red"],
          [0, "orange"],
          [0.25, "green"],
        ),
        plot({
          title: "Requests that miss an objective",
          description:
            "Share of requests in the last 5 minutes. Alerts compare the same share over longer windows with the error budget.",
          unit: "percentunit",
          span: 16,
          queries: [{ expr: recordedSeries(recorded.ratio("5m")), legend: "{{objective}}" }],
        }),
      ],
      Requests: [
        plot({
          title: "Requests",
          description: "Requests per second that the picker sends to engines, by model.",
          unit: "reqps",
          queries: [
            { expr: perSecond(metrics.requests, ["model_name"]), legend: "{{model_name}}" },
          ],
        }),
        plot({
          title: "Errors",
          description:
            "Refused requests by the reason of the picker, and responses of engines with an error status (ModelServerError).",
          unit: "reqps",
          noValue: "none",
          queries: [
            { expr: perSecond(metrics.requestErrors, ["error_code"]), legend: "{{error_code}}" },
          ],
        }),
        plot({
          title: "Time to the first token",
          description: "Streamed responses. It includes the time in the picker's queue.",
          unit: "s",
          queries: percentiles(metrics.firstToken, tails, { streaming: "true" }),
        }),
        plot({
          title: "Time between two tokens",
          description: "Average of each streamed response.",
          unit: "s",
          queries: percentiles(metrics.perOutputToken, tails),
        }),
      ],
      "Tokens and replicas": [
        plot({
          title: "Tokens",
          description: "Tokens per second of prompts and of responses, as engines count them.",
          span: 8,
          queries: [
            { expr: sumPerSecond(metrics.inputTokens), legend: "prompts" },
            { expr: sumPerSecond(metrics.outputTokens), legend: "responses" },
          ],
        }),
        plot({
          title: "Generated tokens by tenant",
          description:
            "Tokens per second of responses, by fairness ID. It shows who uses the GPUs.",
          span: 8,
          queries: [
            {
              expr: sumPerSecond(metrics.outputTokens, ["fairness_id"]),
              legend: "{{fairness_id}}",
            },
          ],
        }),
        plot({
          title: "Engines",
          description:
            "Ready engines, and engines that the running and queued requests need. Too few ready engines: see the pods and the autoscaler.",
          span: 8,
          queries: [
            { expr: largest(metrics.readyEndpoints), legend: "ready" },
            { expr: largest(metrics.desiredEndpoints), legend: "needed" },
          ],
        }),
      ],
    },
  });
