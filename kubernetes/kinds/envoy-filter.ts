import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const envoyFilter = defineKind({
  group: groups.istio,
  version: "v1alpha3",
  kind: "EnvoyFilter",
  plural: "envoyfilters",
  scope: "Namespaced",
  readiness: "exists",
});
