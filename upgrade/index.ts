export * from "../engine/index.ts";
export type { LostObject, RoleImpact, ServiceImpact } from "../sdk/impact/impact.ts";
export { checkUpgrade, type UpgradeImpact, type UpgradeOptions } from "./check-upgrade.ts";
