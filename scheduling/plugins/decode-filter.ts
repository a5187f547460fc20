import { roleFilter } from "./role-filter.ts";

export const decodeFilter = roleFilter("decode-filter", {
  stage: "decode",
  values: ["decode", "prefill-decode", "both", "encode-prefill-decode"],
  allowsNoLabel: true,
});
