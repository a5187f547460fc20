export type { AnalyzedResource, Analyzer } from "./analyzer.ts";
export type {
  Diagnostic,
  EngineEvent,
  EventListener,
  Severity,
  Step,
  StepOperation,
} from "./event.ts";
export type { ClusterChoice } from "./kubernetes/provider-config.ts";
export { readyCondition } from "./kubernetes/readiness.ts";
export { isUnchanged, type OperationResult, type OutputValue } from "./operation-result.ts";
export { previewDigest } from "./preview-digest.ts";
export type { ProgramFunction, Transport } from "./programs/in-process.ts";
export { type LoadedProject, loadProject, readProject } from "./project.ts";
export { isMap, isSecret, isUnknown, mapValue, secret, UNKNOWN } from "./property-value.ts";
export { openStack, type Stack, type StackOptions } from "./stack.ts";
export type { Checkpoint } from "./state/checkpoint.ts";
export { directoryState } from "./state/directory-state.ts";
export { type PassphraseSource, passphraseFrom } from "./state/passphrase.ts";
export type { PendingOperation, ResourceState } from "./state/resource-state.ts";
export {
  memoryState,
  type StackStateFile,
  type StateStore,
  type StoredState,
} from "./state/state-store.ts";
export { isProviderType, parseUrn } from "./urn.ts";
