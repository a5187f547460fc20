import { stageRoles } from "../../endpoints/roles.ts";
import { roleFilter } from "./role-filter.ts";

export const decodeFilter = roleFilter("decode-filter", { stage: "decode", ...stageRoles.decode });
