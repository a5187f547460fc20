import { stageRoles } from "../../endpoints/roles.ts";
import { roleFilter } from "./role-filter.ts";

export const prefillFilter = roleFilter("prefill-filter", {
  stage: "prefill",
  ...stageRoles.prefill,
});
