import type { Edit, RuleCases } from "./edited-stack.fixture.ts";

const settings = "ConfigMap/settings";
const valid = {
  timezone: "Europe/Berlin",
  start: "0 8 * * 1-5",
  end: "30 19 * * MON-FRI",
  desiredReplicas: "4",
};
const clock = (fields: object, type = "cron"): Edit => [
  settings,
  "",
  {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "svc", namespace: "ml" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "embedder" },
      maxReplicaCount: 8,
      triggers: [{ type, metadata: { ...valid, ...fields } }],
    },
  },
];
const at = (field: string) => `ScaledObject ml/svc: spec.triggers[0].metadata.${field}: `;
const schedule =
  "; allowed: a cron schedule with five fields, such as 0 8 * * 1-5. Correct the schedule.";

export const scheduleCases: readonly RuleCases[] = [
  {
    rule: "schedules-are-valid",
    allows: {
      "working hours": [clock({})],
      "lists and steps": [clock({ start: "*/15 6,18 1-7 JAN-MAR,12 0", end: "@daily" })],
      "UTC and the maximum": [clock({ timezone: "UTC", desiredReplicas: "8" })],
      "another trigger": [clock({ timezone: "none" }, "prometheus")],
    },
    refuses: {
      "a time zone that does not exist": {
        edits: [clock({ timezone: "Europe/Berln" })],
        finds: [
          `${at("timezone")}is "Europe/Berln"; allowed: a name of the IANA time zone database, such as Europe/Berlin. Correct the name.`,
        ],
      },
      "an hour that does not exist": {
        edits: [clock({ start: "0 25 * * 1-5" })],
        finds: [`${at("start")}has the hour 25, which is not in 0 to 23${schedule}`],
      },
      "a schedule with four fields": {
        edits: [clock({ end: "0 19 * *" })],
        finds: [
          `${at("end")}has 4 fields instead of minute, hour, day of the month, month and day of the week${schedule}`,
        ],
      },
      "an end that equals the start": {
        edits: [clock({ end: valid.start })],
        finds: [
          `${at("end")}equals start; allowed: another time than start. Set end to the time at which the replicas are no longer needed.`,
        ],
      },
      "more replicas than the maximum": {
        edits: [clock({ desiredReplicas: "40" })],
        finds: [
          `${at("desiredReplicas")}is 40, more than maxReplicaCount, which is 8; allowed: at most 8. Raise maxReplicaCount (autoscaling.maxUnits), or lower desiredReplicas.`,
        ],
      },
    },
  },
];
