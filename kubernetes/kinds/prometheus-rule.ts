import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/** Recording rules and alerts, which the Prometheus Operator loads into Prometheus. */
export const prometheusRule = defineKind({
  group: groups.prometheusOperator,
  version: "v1",
  kind: "PrometheusRule",
  plural: "prometheusrules",
  scope: "Namespaced",
  readiness: "exists",
});
