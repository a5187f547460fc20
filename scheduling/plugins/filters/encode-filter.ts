import { roleFilter } from "./role-filter.ts";

export const encodeFilter = roleFilter("encode-filter", {
  stage: "encode",
  values: ["encode", "encode-prefill", "encode-prefill-decode"],
  allowsNoLabel: false,
});
