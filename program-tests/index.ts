export * from "../recorder/index.ts";
export { checkUpgrade, type UpgradeImpact, type UpgradeOptions } from "./check-upgrade.ts";
