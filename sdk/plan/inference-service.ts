import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { acceleratorsOfPod } from "../engines/accelerators/pod-accelerators.ts";
import { type Problem, SpecError } from "../errors.ts";
import { poolGatewayType } from "../gateways/index.ts";
import { violations } from "../invariant.ts";
import { annotation, inferencePoolName, label, roleWorkloadName } from "../names.ts";
import { inferenceServiceAdvice } from "../rules/spec/advice.ts";
import { kvEventRanksOf } from "../rules/spec/kv-event-ranks.ts";
import { noAccelerators } from "../rules/spec/roles.ts";
import { wholeServiceAdvice } from "../rules/spec/service-advice.ts";
import {
  type InferenceService,
  type InferenceServiceInput,
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
  routerOf,
} from "../spec/inference-service.ts";
import { inferenceServiceKind } from "../spec/inference-service-manifest.ts";
import { pickerServingOf } from "../spec/picker-serving.ts";
import { type ProgramPods, programPodsOf } from "../spec/program-pods.ts";
import type { InferenceRole, RouterRole } from "../spec/role.ts";
import { poolPortsOf } from "../topology/pool-ports.ts";
import { layOut, type RoleLayout } from "../topology/role-layout.ts";
import { defaultRuntimeImage } from "../topology/runtime-image.ts";
import { servesTls } from "../topology/serving-port.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { titleOf } from "../validate/spec-kind.ts";
import { planAccess, requestsOf } from "./access.ts";
import { planGateway, planHttpRoute } from "./http-route.ts";
import { planOwnModels } from "./models/own-models.ts";
import type { PlanContext } from "./object-meta.ts";
import type { PlanOptions } from "./options.ts";
import { planEndpointPicker } from "./picker/endpoint-picker.ts";
import { pickerConfigText } from "./picker/endpoint-picker-config.ts";
import { waitingOf } from "./picker/flow-control.ts";
import { pickForPool } from "./picker/picker-task.ts";
import { requestSlots } from "./picker/request-slots.ts";
import { haveSameKvFormat } from "./picker/same-kv-format.ts";
import { planGatewayObjects } from "./pools/gateway-objects.ts";
import { planInferencePool } from "./pools/inference-pool.ts";
import { disruptionBudget } from "./programs/program-pods.ts";
import { planStatusObject } from "./status-object.ts";
import { planAutoscalers, scalingArgs } from "./workloads/autoscalers.ts";
import { decodeSidecarOf, planDecodeSidecarIdentity } from "./workloads/decode-sidecar.ts";
import { gatewayLocation, planEnginePolicy } from "./workloads/engine-network-policy.ts";
import { withKvEvents } from "./workloads/kv-event-engines.ts";
import { planLeaderWorkerSets } from "./workloads/leader-worker-set.ts";
import { withNodePlacement } from "./workloads/node-placement.ts";
import { withPairEngines } from "./workloads/pair-engines.ts";
import { planPodGroup } from "./workloads/pod-group.ts";
import { pluginsOf, refusingPods } from "./workloads/pod-plugins.ts";
import { type RoleContext, roleLabels, rolePods } from "./workloads/pod-template.ts";

/**
 * Returns every object of a service, in the order of creation.
 *
 * @throws SpecError with every problem of the spec
 */
export function planInferenceService(
  input: InferenceServiceInput,
  options: PlanOptions = {},
): Manifest[] {
  return planParsed(parseInferenceService(input, options.podPlugins), options);
}

/**
 * Returns the plan of a validated service.
 *
 * @throws SpecError if a pod plugin rejects a pod
 */
export function planParsed(service: InferenceService, options: PlanOptions = {}): Manifest[] {
  const { onAdvice } = options;
  if (onAdvice !== undefined) {
    violations(inferenceServiceAdvice, service.spec).forEach(onAdvice);
    violations(wholeServiceAdvice, service).forEach(onAdvice);
  }
  return refusingPods(titleOf(inferenceServiceKind.kind, service.metadata), () =>
    planObjects(service, options),
  );
}

function planObjects(service: InferenceService, options: PlanOptions): Manifest[] {
  const { metadata, spec } = service;
  const context: PlanContext = {
    metadata,
    owner: { [label.service]: metadata.name },
  };
  const router = routerOf(spec);
  const pairs = { metadata, spec: withKvEvents(withPairEngines(withNodePlacement(spec))) };
  const layouts = layOut(metadata.name, pairs.spec);
  const plugins = pluginsOf(service, options);
  const written = inferenceRolesOf(spec);
  const roles = layouts.map((layout, at) => ({
    service: metadata.name,
    layout,
    strategy: spec.schedulingStrategy,
    router,
    plugins,
    sidecar:
      router &&
      decodeSidecarOf(metadata.name, written[at] as InferenceRole, spec, options.sidecarImage),
  }));
  refuseIdleGroups(pairs, roles);
  const workloads = roles.flatMap((role) =>
    planLeaderWorkerSets(namingAccelerators(context, spec), role),
  );
  const podGroup = planPodGroup(context, roles, workloads, spec.schedulingStrategy);
  return [
    ...(podGroup === undefined ? [] : [podGroup]),
    ...planDecodeSidecarIdentity(context, spec),
    ...workloads,
    ...layouts.map((layout) => planReplicaBudget(context, layout)),
    ...planEnginePolicy(context, spec, workloads),
    ...(router === undefined ? [] : planRouter(context, service, router, workloads, options)),
    ...planAutoscalers(context, spec),
    ...(options.statusObject === undefined
      ? []
      : [planStatusObject(service, options.statusObject)]),
  ];
}

/**
 * Returns a budget that lets the drains of nodes take one replica of a role away at a time. The first eviction of a pod
 * restarts its whole group, and none of the pods counts as healthy until all of them are ready. A role with one replica
 * has a budget too: its pod may still be evicted, and a change of the replicas neither creates nor deletes a budget.
 */
const planReplicaBudget = (context: PlanContext, layout: RoleLayout): Manifest =>
  disruptionBudget(
    context,
    roleWorkloadName(context.metadata.name, layout.role.name),
    roleLabels(context.metadata.name, layout),
  );

/**
 * Adds an annotation with the accelerators of the service to the objects that create pods, for rules that see only
 * these objects.
 */
function namingAccelerators(
  { metadata, ...context }: PlanContext,
  { accelerators }: InferenceServiceSpec,
): PlanContext {
  if (accelerators === undefined) return { metadata, ...context };
  const named = { [annotation.accelerators]: JSON.stringify(accelerators) };
  return {
    ...context,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...named } },
  };
}

/** Plans a picker that serves only this service. */
const planOwnPicker = (
  context: PlanContext,
  spec: InferenceServiceSpec,
  router: RouterRole,
  config: string,
  options: PlanOptions,
): Manifest[] =>
  planEndpointPicker(context, {
    task: pickForPool(
      inferencePoolName(context.metadata.name),
      config,
      requestsOf(router),
      // The gateway names only tenants that it knows, so one address may have any number of them. It sets no objective.
      [
        ...(router.access ? ["--tenants-per-address=0", "--objective-header=false"] : []),
        ...scalingArgs(spec),
      ],
    ),
    replicas: router.replicas,
    pods: programsOf(router, options),
    metricsAuth: router.metricsAuth,
    networkPolicy: spec.networkPolicy,
    gateway: gatewayLocation(router, context.metadata.namespace),
    scheduling: spec.schedulingStrategy,
    serving: pickerServingOf({
      ...router,
      // Usage is counted by tenant.
      ...(router.access && { followResponses: router.followResponses ?? true }),
      // The gate counts responses.
      ...(spec.rollout?.gate && { followResponses: true }),
    }),
    exported: router.export,
    proxiedPages: spec.rollout?.gate !== undefined,
  });

/** Returns the pod settings of the router's programs. */
const programsOf = (
  router: RouterRole,
  { runtimeImage = defaultRuntimeImage }: PlanOptions,
): ProgramPods => ({ image: runtimeImage, ...programPodsOf(router) });

/**
 * Repeats the check for accelerators on multi-node pods after plugins have run, because plugins may add accelerators.
 */
function refuseIdleGroups({ metadata, spec }: InferenceService, roles: readonly RoleContext[]) {
  const problems = roles
    .filter(({ layout, plugins }) => plugins !== undefined && layout.size > 1)
    .filter(({ layout }) => layout.role.multinode?.executor !== "custom")
    .filter((role) => {
      const { leader, worker } = rolePods(role)(role.layout.workloads[0]?.replicaIndex);
      return [leader ?? worker, worker].every(
        (pods) => acceleratorsOfPod(pods.spec, spec.accelerators) === 0,
      );
    })
    .map(
      ({ layout: { role, size } }): Problem => ({
        code: "count",
        path: ["roles", spec.roles.indexOf(role), "template", "spec", "containers"],
        ...noAccelerators(role.template.spec.containers, size),
      }),
    );
  if (problems.length === 0) return;
  throw new SpecError(titleOf(inferenceServiceKind.kind, metadata), problems);
}

/** Plans the picker, unless it is shared, then the pool that names it, then the route to the pool. */
function planRouter(
  context: PlanContext,
  { spec }: InferenceService,
  router: RouterRole,
  workloads: readonly Manifest[],
  options: PlanOptions,
): Manifest[] {
  const gateway = planGateway(context, router);
  const route = planHttpRoute(context, router);
  const strategy = isDisaggregated(spec.roles) ? "pd-disaggregation" : "prefix-cache";
  const waiting = waitingOf(router, poolGatewayType(router.gateway));
  const { kvEvents } = router;
  const config = pickerConfigText(router, strategy, {
    ...waiting,
    kvEvents,
    eventRanks: kvEventRanksOf(spec),
    isTls: servesTls(spec),
    sameKvFormat: haveSameKvFormat(workloads),
    requestSlots: requestSlots(spec),
  });
  return [
    ...(router.shared === undefined ? planOwnPicker(context, spec, router, config, options) : []),
    planInferencePool(context, spec, router, config),
    ...planGatewayObjects(context, poolGatewayType(router.gateway), {
      name: inferencePoolName(context.metadata.name),
      targetPorts: poolPortsOf(inferenceRolesOf(spec), router),
      hasPicker: router.shared === undefined,
      isTls: servesTls(spec),
    }),
    ...planOwnModels(context, spec, options),
    ...planAccess(context, router),
    ...(gateway === undefined ? [] : [gateway]),
    ...(route === undefined ? [] : [route]),
  ];
}
