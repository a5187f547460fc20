import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/** KEDA ScaledObject. It creates a HorizontalPodAutoscaler, and scales from and to zero itself. */
export const scaledObject = defineKind({
  group: groups.keda,
  version: "v1alpha1",
  kind: "ScaledObject",
  plural: "scaledobjects",
  scope: "Namespaced",
  readiness: "exists",
});
