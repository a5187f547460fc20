import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/** Pods that Prometheus scrapes. */
export const podMonitor = defineKind({
  group: groups.prometheusOperator,
  version: "v1",
  kind: "PodMonitor",
  plural: "podmonitors",
  scope: "Namespaced",
  readiness: "exists",
});
