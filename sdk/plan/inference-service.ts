import type { Manifest } from "../kubernetes/manifest.ts";
import {
  type InferenceService,
  type InferenceServiceInput,
  isDisaggregated,
  routerOf,
} from "../spec/inference-service.ts";
import type { RewriteVersion } from "../spec/model-rewrite.ts";
import type { RouterRole } from "../spec/role.ts";
import { inferencePoolName, label } from "../topology/names.ts";
import { layOut } from "../topology/role-layout.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { defaultEndpointPickerImage, planEndpointPicker } from "./endpoint-picker.ts";
import { pickerConfigText } from "./endpoint-picker-config.ts";
import { planGateway, planHttpRoute } from "./http-route.ts";
import { planInferencePool } from "./inference-pool.ts";
import { planLeaderWorkerSets } from "./leader-worker-set.ts";
import type { PlanContext } from "./object-meta.ts";
import { planOwnModels } from "./own-models.ts";
import { pickForPool } from "./picker-task.ts";
import { planPodGroup } from "./pod-group.ts";
import { revisionOf } from "./revision.ts";
import { planStatusObject, type StatusObjectMode } from "./status-object.ts";

export interface PlanOptions {
  /** Image of the endpoint picker where the router names none. Default: this project's, of this version. */
  readonly endpointPickerImage?: string | undefined;
  /** Version of InferenceModelRewrite that the cluster serves. Default: the best, `llm-d.ai/v1alpha2`. */
  readonly rewriteVersion?: RewriteVersion | undefined;
  /** Whether the service has an object of its own kind, which carries its status. Default none. */
  readonly statusObject?: StatusObjectMode | undefined;
}

/**
 * Every object of a service, in the order in which they are created.
 *
 * @throws SpecError with every problem of the spec
 */
export function planInferenceService(
  input: InferenceServiceInput,
  options: PlanOptions = {},
): Manifest[] {
  return planParsed(parseInferenceService(input), options);
}

/** The plan of a service that is already validated. */
export function planParsed(service: InferenceService, options: PlanOptions = {}): Manifest[] {
  const { metadata, spec } = service;
  const context: PlanContext = {
    metadata,
    owner: { [label.service]: metadata.name },
    revision: { [label.revision]: revisionOf(spec) },
  };
  const layouts = layOut(metadata.name, spec);
  const router = routerOf(spec);
  const podGroup = planPodGroup(context, layouts, spec.schedulingStrategy);
  const workloads = layouts.flatMap((layout) =>
    planLeaderWorkerSets(context, {
      service: metadata.name,
      layout,
      strategy: spec.schedulingStrategy,
      router,
    }),
  );
  return [
    ...(podGroup === undefined ? [] : [podGroup]),
    ...workloads,
    ...(router === undefined ? [] : planRouter(context, service, router, options)),
    ...(options.statusObject === undefined
      ? []
      : [planStatusObject(service, options.statusObject)]),
  ];
}

/** The picker first, then the pool that names it, then the route to the pool. */
function planRouter(
  context: PlanContext,
  { spec }: InferenceService,
  router: RouterRole,
  options: PlanOptions,
): Manifest[] {
  const { endpointPickerImage = defaultEndpointPickerImage } = options;
  const gateway = planGateway(context, router);
  const route = planHttpRoute(context, router);
  return [
    ...planEndpointPicker(context, {
      task: pickForPool(
        inferencePoolName(context.metadata.name),
        pickerConfigText(
          router,
          isDisaggregated(spec.roles) ? "pd-disaggregation" : "prefix-cache",
        ),
      ),
      replicas: router.replicas,
      resources: router.resources,
      image: router.image ?? endpointPickerImage,
      metricsAuth: router.metricsAuth,
      scheduling: spec.schedulingStrategy,
      exported: router.export,
    }),
    planInferencePool(context, spec, router),
    ...planOwnModels(context, spec, options),
    ...(gateway === undefined ? [] : [gateway]),
    ...(route === undefined ? [] : [route]),
  ];
}
