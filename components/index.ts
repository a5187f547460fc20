/** Components: an inference service as one resource. */

export type { InferenceServiceOptions } from "./child-options.ts";
export type { InferenceServiceNodes } from "./children.ts";
export { InferenceService } from "./inference-service.ts";
export type {
  Gang,
  HttpRoute,
  InferenceServiceArgs,
  Metadata,
  Multinode,
  Role,
  SchedulingStrategy,
} from "./inference-service-args.ts";
export { InvalidArgsError } from "./invalid-args.ts";
export {
  type Container,
  type ContainerPort,
  type EnvVar,
  type PodMetadata,
  type PodSpec,
  type PodTemplate,
  Protocol,
  type ResourceRequirements,
} from "./pod-template.ts";
export type { ComponentSummary, Endpoints } from "./service-outputs.ts";
export type { InferenceServiceTransforms, Transform } from "./transform.ts";
export {
  ComponentType,
  Executor,
  FailureMode,
  GangLayout,
  RoutingStrategy,
  WorkloadMode,
} from "./vocabulary.ts";
