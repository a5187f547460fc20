import type { Edit, RuleCases } from "./edited-stack.fixture.ts";

const monitorOf = (matchLabels: object, namespace = "ml"): Edit => [
  "ConfigMap/settings",
  "",
  {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: "slo-picker", namespace },
    spec: { selector: { matchLabels }, endpoints: [{ port: "http-metrics" }] },
  },
];
const service = "fusioninfer.io/service";
const pool = "pulumi-inference/pool";
const labelled = (labels: object): Edit => ["Service/svc-epp", "metadata labels", labels];
const missing = (key: string, name: string, fix: string) =>
  `ServiceMonitor ml/slo-picker: spec.selector.matchLabels["${key}"]: is ${name}, and the stack has no Service with this label; allowed: svc. ${fix} If another program creates it, ignore this finding.`;

export const monitorCases: readonly RuleCases[] = [
  {
    rule: "monitors-select-a-picker",
    allows: {
      "the service of the stack": [labelled({ [service]: "svc" }), monitorOf({ [service]: "svc" })],
      "a service of another program, in a stack without services": [
        monitorOf({ [service]: "other" }),
      ],
      "a service of another namespace": [
        labelled({ [service]: "svc" }),
        monitorOf({ [service]: "other" }, "chat"),
      ],
      "a monitor of other labels": [labelled({ [service]: "svc" }), monitorOf({ app: "other" })],
    },
    refuses: {
      "a typing error in the name of a service": {
        edits: [labelled({ [service]: "svc" }), monitorOf({ [service]: "scv" })],
        finds: [missing(service, "scv", "Did you mean svc?")],
      },
      "a service that the stack does not have": {
        edits: [labelled({ [service]: "svc" }), monitorOf({ [service]: "chat" })],
        finds: [missing(service, "chat", "Correct the name in `of` of the ServiceObjectives.")],
      },
      "a pool that the stack does not have": {
        edits: [labelled({ [pool]: "svc" }), monitorOf({ [pool]: "chat" })],
        finds: [missing(pool, "chat", "Correct the name in `of` of the ServiceObjectives.")],
      },
    },
  },
];
