/** Typed specs, pure planning and invariants: no I/O and no Pulumi. */

export {
  formatPath,
  formatProblem,
  type Path,
  type Problem,
  type ProblemCode,
  SpecError,
} from "./errors.ts";
export { inferenceServiceRules } from "./invariants/index.ts";
export type { Finding, Invariant } from "./invariants/invariant.ts";
export { groupOf, identityOf, type Manifest, type ObjectMeta } from "./kubernetes/manifest.ts";
export { defaultEndpointPickerImage } from "./plan/endpoint-picker.ts";
export { type PlanOptions, planInferenceService } from "./plan/inference-service.ts";
export * as names from "./plan/names.ts";
export type {
  InferenceService,
  InferenceServiceInput,
  InferenceServiceSpec,
  InferenceServiceSpecInput,
  Metadata,
  MetadataInput,
} from "./spec/inference-service.ts";
export { parseInferenceService } from "./spec/parse.ts";
export type { InferenceRole, Role, RouterRole } from "./spec/role.ts";
export { version } from "./version.ts";
