import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const horizontalPodAutoscaler = defineKind({
  group: groups.autoscaling,
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  scope: "Namespaced",
  readiness: "exists",
});
