export {
  type Analyzer,
  type Diagnostic,
  isSecret,
  isUnknown,
  type LoadedProject,
  loadProject,
  type OutputValue,
  type ProgramFunction,
  type RecordedResource,
  type Recording,
  type RecordOptions,
  recordProgram,
  type Severity,
  secret,
  type Transport,
} from "../recorder/index.ts";
export { checkUpgrade, type UpgradeImpact, type UpgradeOptions } from "./check-upgrade.ts";
