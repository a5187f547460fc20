export type { Diagnostic, Severity } from "./diagnostic.ts";
export { empty, toStruct } from "./monitor/protos.ts";
export { collectErrors, withLocalStorage } from "./programs/errors.ts";
export type { ProgramFunction, Transport } from "./programs/in-process.ts";
export { fullKey, type LoadedProject, loadProject, readProject } from "./project/project.ts";
export {
  containsSecrets,
  isMap,
  isSecret,
  isUnknown,
  mapValue,
  type Secret,
  secret,
  UNKNOWN,
  withoutSecrets,
} from "./property-value.ts";
export type { OutputValue, Recording, RecordOptions } from "./record-program.ts";
export { recordProgram } from "./record-program.ts";
export type { Analyzer, RecordedResource } from "./recorded-resource.ts";
export { isProviderType, parseUrn } from "./urn.ts";
