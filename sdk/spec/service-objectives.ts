import { z } from "zod";
import { objectName, positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { named, onByDefault, words } from "../schemas/argument.ts";

/** Objectives of a service or pool, from which recording rules and alerts are planned. */

const ObjectivesTargetKind = words(
  "ObjectivesTargetKind",
  "Component whose picker reports the metrics.",
  {
    InferenceService: ["InferenceService", "Service with a router that has a dedicated picker."],
    LLMServerPool: ["LLMServerPool", "Pool with a dedicated picker."],
    InferencePool: ["InferencePool", "Pool with a dedicated picker that accepts any model."],
  },
);

const ObjectivesTarget = named(
  "ObjectivesTarget",
  z.strictObject({
    kind: ObjectivesTargetKind.default("InferenceService").describe("Kind of the component."),
    name: objectName.describe("Name of the service or pool, in the namespace of the objectives."),
  }),
).describe("Service or pool of the objectives.");

/** Smallest share for which the fastest alert can fire: its burn rate of 14.4 times the error budget is at most 1. */
export const smallestShare = 0.94;
export const largestShare = 0.99999;

const share = z.number().min(smallestShare).max(largestShare);

const LatencyObjective = named(
  "LatencyObjective",
  z.strictObject({
    seconds: z
      .number()
      .describe(
        "Longest time that counts as good, in seconds. It is a bound of the metric's histogram; another value is refused with the list of bounds.",
      ),
    share: share.describe("Share of responses within that time, 0.94 to 0.99999."),
  }),
).describe("Share of responses that are at least as fast as a limit.");

const Objectives = named(
  "Objectives",
  z.strictObject({
    availability: share
      .optional()
      .describe(
        "Share of requests without an error of the service: status 429 or 5xx of the picker, or an error status of a model server. 0.94 to 0.99999. Default: no objective.",
      ),
    firstToken: LatencyObjective.optional().describe(
      "Time to the first token of streamed responses. Default: no objective.",
    ),
    perOutputToken: LatencyObjective.optional().describe(
      "Average time between two tokens of a streamed response. Default: no objective.",
    ),
  }),
).describe("Objectives of a service.");

const ObjectiveAlerts = named(
  "ObjectiveAlerts",
  z.strictObject({
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        "Labels of every alert, such as the team that Alertmanager routes it to. Default: none.",
      ),
    annotations: z
      .record(z.string(), z.string())
      .optional()
      .describe("Annotations of every alert. Default: none."),
    runbookUrl: z
      .string()
      .regex(/^https?:\/\/\S+$/, "a URL with https: or http:")
      .optional()
      .describe(
        "URL of the runbooks. Annotation runbook_url is this URL with the alert's name as its fragment. Default: no annotation.",
      ),
    minReadyEndpoints: z
      .int()
      .min(0)
      .default(1)
      .describe(
        "Number of ready endpoints below which an alert fires. With 0, for a service that scales to zero, it fires if the pool has no ready endpoint while requests are queued.",
      ),
  }),
).describe("Labels and annotations of the planned alerts.");

export const ServiceObjectivesSpec = z.strictObject({
  of: ObjectivesTarget.describe("Service or pool of the objectives."),
  objectives: Objectives.prefault({}).describe(
    "Objectives. Each has recording rules and four alerts on its error budget. Default: none; the other alerts are planned.",
  ),
  windowDays: positiveInteger
    .max(90)
    .default(28)
    .describe("Days for which the rest of the error budget is recorded."),
  alerts: ObjectiveAlerts.prefault({}).describe("Labels and annotations of the alerts."),
  monitors: onByDefault(
    "Whether to plan the ServiceMonitor of the picker, and the PodMonitor of the engines of a service. Without them, the picker's series need the labels job={name}-epp and namespace.",
  ),
  dashboards: onByDefault(
    'Whether to plan a ConfigMap with Grafana dashboards. Its label grafana_dashboard: "1" is the label that the sidecar of the Helm charts grafana and kube-prometheus-stack reads by default.',
  ),
});

export type ServiceObjectivesSpec = z.infer<typeof ServiceObjectivesSpec>;
export type LatencyObjective = z.infer<typeof LatencyObjective>;
