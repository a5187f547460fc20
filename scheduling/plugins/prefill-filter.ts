import { roleFilter } from "./role-filter.ts";

export const prefillFilter = roleFilter("prefill-filter", {
  stage: "prefill",
  values: ["prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"],
  allowsNoLabel: false,
});
