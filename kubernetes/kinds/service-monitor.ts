import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/** Services whose endpoints Prometheus scrapes. */
export const serviceMonitor = defineKind({
  group: groups.prometheusOperator,
  version: "v1",
  kind: "ServiceMonitor",
  plural: "servicemonitors",
  scope: "Namespaced",
  readiness: "exists",
});
