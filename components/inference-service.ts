import * as pulumi from "@pulumi/pulumi";
import { modelSummaries } from "../sdk/capacity/model-summary.ts";
import type { Problem } from "../sdk/errors.ts";
import { endpointPickerName, inferencePoolName, label } from "../sdk/names.ts";
import { planParsed } from "../sdk/plan/inference-service.ts";
import type { PlanOptions } from "../sdk/plan/options.ts";
import type { Wait } from "../sdk/plan/readiness-text.ts";
import type { StatusObjectMode } from "../sdk/plan/status-object.ts";
import type { PluginReport } from "../sdk/plan/workloads/pod-plugins.ts";
import type { PodPluginSupport } from "../sdk/plugins/registry.ts";
import {
  inferenceRolesOf,
  type InferenceService as ParsedInferenceService,
  routerOf,
} from "../sdk/spec/inference-service.ts";
import { layOut } from "../sdk/topology/role-layout.ts";
import { parseInferenceService } from "../sdk/validate/inference-service.ts";
import { titleOf } from "../sdk/validate/spec-kind.ts";
import { refusing } from "./arguments/invalid-args.ts";
import { named, oneOf, stackSetting, withOwnArguments } from "./arguments/read-args.ts";
import { warnAdvice } from "./arguments/warn-advice.ts";
import { claimModels } from "./base/names-in-use.ts";
import { namespaceOf, withPlannedNamespace } from "./base/namespace.ts";
import type { ComponentOptions } from "./child-options.ts";
import { ComponentResource as PlannedComponent } from "./component-resource.ts";
import type { InferenceServiceArgs } from "./generated/args.ts";
import { stackRewriteVersion } from "./models/rewrite-version.ts";
import { logPluginReports, podPluginSupport } from "./pod-plugin-support.ts";
import { claimServicePods } from "./pools/pools-in-program.ts";
import { minimumGroups } from "./readiness.ts";
import type { RolloutSettings } from "./rollout/rollout-hooks.ts";
import { inferenceServiceNodeKeys } from "./service/inference-service-node-keys.ts";
import {
  type ComponentSummary,
  type Endpoints,
  type ServicePlan,
  serviceOutputs,
} from "./service/service-outputs.ts";
import { type GatewayResource, urlThrough } from "./service/service-url.ts";

/**
 * Inference service on Kubernetes: LeaderWorkerSets for the engines, and a PodGroup if pods must start together. A
 * router role adds an endpoint picker, an InferencePool and an HTTPRoute.
 *
 * The cluster needs LeaderWorkerSet, Volcano for gangs, and for a router the Gateway API with its inference extension.
 * An invalid spec fails before any resource is registered, with an error that lists every problem.
 *
 * ```ts
 * const qwen = new InferenceService("qwen", {
 *   roles: [
 *     {
 *       name: "inference",
 *       componentType: "worker",
 *       replicas: 2,
 *       template: {
 *         spec: {
 *           containers: [
 *             {
 *               name: "vllm",
 *               image: "vllm/vllm-openai:v0.32.0",
 *               args: ["--model", "Qwen/Qwen3-8B"],
 *               ports: [{ name: "http", containerPort: 8000 }],
 *               resources: { limits: { "nvidia.com/gpu": 1 } },
 *             },
 *           ],
 *         },
 *       },
 *     },
 *   ],
 * });
 * ```
 *
 * To rename a component without changing its objects, add an alias and set `metadata.name` to the old name. To adopt
 * existing objects, set `opts.import` to `namespace/name` in `transform`.
 */
export class InferenceService extends PlannedComponent<
  typeof inferenceServiceNodeKeys,
  PlannedService
> {
  static readonly __pulumiType = "inference:index:InferenceService";

  /** `metadata.name`: the prefix of every object's name. */
  declare readonly serviceName: pulumi.Output<string>;
  /** Namespace of the objects. */
  declare readonly namespace: pulumi.Output<string>;
  /** Name of the InferencePool; undefined without a router. */
  declare readonly poolName: pulumi.Output<string | undefined>;
  /**
   * Base URL of the service's OpenAI API, such as `http://203.0.113.7/v1`. It contains the route's first host name
   * instead of the address if the route has one. The URL is undefined while the Gateway that the router's `gateway`
   * creates has no address, and if the router creates no Gateway; use {@link urlThrough} for other Gateways. `pulumi
   * up` does not wait for the address: `pulumi up --refresh` reads an address that was assigned later.
   */
  declare readonly url: pulumi.Output<string | undefined>;
  /** Name of the Gateway that serves `url`; while `url` is undefined, the reason and the next step. */
  declare readonly urlStatus: pulumi.Output<string>;
  /**
   * Text that lists what `pulumi up` waits for because of `waitFor`. Without `waitFor`, it lists what becomes ready
   * later, with the command that shows its state: `` `pulumi up` does not wait for LeaderWorkerSets of role inference
   * and Deployment qwen-epp. Check them with `pulumi-inference status qwen -n default`. `` The text depends only on the
   * arguments, not on the state of the cluster.
   */
  declare readonly readiness: pulumi.Output<string>;
  /** Addresses of the service. */
  declare readonly endpoints: pulumi.Output<Endpoints>;
  /** Size of each role except the router, by role name. */
  declare readonly components: pulumi.Output<Record<string, ComponentSummary>>;

  /**
   * @param name logical name; also the service's name unless `metadata.name` is set
   * @param args roles and scheduling of the service
   * @param opts options of the component; {@link ComponentOptions} lists the options that apply to children
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: InferenceServiceArgs,
    opts: ComponentOptions<typeof inferenceServiceNodeKeys> = {},
  ) {
    const title = `InferenceService "${name}"`;
    const reports: PluginReport[] = [];
    const advice: Problem[] = [];
    super(InferenceService.__pulumiType, name, opts, {
      parse: () =>
        planned(name, args, podPluginSupport(opts.podPlugins), {
          onPluginApplied: (report) => reports.push(report),
          onAdvice: (problem) => advice.push(problem),
        }),
      plan({ manifests, service }, component) {
        if (pulumi.runtime.isDryRun())
          for (const line of modelSummaries(service.spec)) void pulumi.log.info(line, component);
        logPluginReports(component, reports);
        warnAdvice(component, title, advice);
        return manifests;
      },
      planOf: ({ metadata, ...spec }) =>
        planParsed({ metadata, spec } as ParsedInferenceService, {
          podPlugins: podPluginSupport(opts.podPlugins),
        }),
      claim: ({ service }, namespace, component) =>
        claimOwnPool(component, name, opts.parent, service, namespace),
      nodeKeys: inferenceServiceNodeKeys,
      readiness: ({ wait, layouts }) => ({ wait, minimums: minimumGroups(layouts) }),
      rollout: ({ service }) => rolloutSettings(service),
      outputs: serviceOutputs,
    });
  }

  /**
   * Returns the `url` of the service behind a Gateway that the service does not create: a Gateway of the program, or an
   * existing one that `Gateway.get("gateway", "namespace/name")` of `pulumi-inference/kubernetes` reads.
   */
  urlThrough(gateway: GatewayResource): pulumi.Output<string | undefined> {
    return urlThrough(gateway, this.nodes);
  }
}

/** Claims the service's pods and `models` for its pool, if it has a router. */
function claimOwnPool(
  component: pulumi.ComponentResource,
  name: string,
  parent: pulumi.Resource | undefined,
  { metadata, spec }: ParsedInferenceService,
  namespace: string,
): void {
  if (routerOf(spec) === undefined) return;
  claimServicePods(component, {
    title: `InferenceService "${name}"`,
    namespace,
    labels: inferenceRolesOf(spec).map(({ name: role, componentType, template }) => ({
      ...template.metadata?.labels,
      [label.service]: metadata.name,
      [label.componentType]: componentType,
      [label.roleName]: role,
    })),
  });
  const pool = `${namespace}/${inferencePoolName(metadata.name)}`;
  claimModels(component, name, parent, pool, spec.models?.map((model) => model.name) ?? []);
}

interface PlannedService extends ServicePlan {
  readonly inputs: pulumi.Inputs;
  /** Namespace as written. */
  readonly namespace: pulumi.Input<string>;
}

/** Validates the arguments and plans the service. */
function planned(
  name: string,
  args: InferenceServiceArgs,
  podPlugins: PodPluginSupport,
  reports: Pick<PlanOptions, "onPluginApplied" | "onAdvice">,
): PlannedService {
  return refusing(() => {
    const { service, wait, statusObject, namespace } = readArgs(name, args, podPlugins);
    const manifests = planParsed(service, {
      runtimeImage: stackSetting("image"),
      sidecarImage: stackSetting("sidecarImage"),
      rewriteVersion: stackRewriteVersion(),
      statusObject,
      podPlugins,
      ...reports,
    });
    if (statusObject === undefined && service.spec.resilience?.recycle !== undefined)
      reports.onAdvice?.(recyclingNeedsAnObject);
    const layouts = layOut(service.metadata.name, service.spec);
    const inputs = inputsOf(service, namespace, args);
    const { metadata } = service;
    return { metadata, service, wait, layouts, manifests, namespace, inputs };
  });
}

/** The status controller recycles pods only of services that have a status object. */
const recyclingNeedsAnObject: Problem = {
  code: "reference",
  path: ["resilience", "recycle"],
  given:
    "is set without statusObject: no pod is recycled, because the cluster has no object with this setting",
  allowed: "recycle together with statusObject: true",
  fix: "Write statusObject: true, and recyclesPods: true in InferenceControllers.",
};

interface ReadArgs {
  readonly service: ParsedInferenceService;
  readonly namespace: pulumi.Input<string>;
  readonly wait: Wait;
  readonly statusObject: StatusObjectMode | undefined;
}

/** Validates the arguments. `waitFor` and `statusObject` are not part of the spec. */
function readArgs(
  name: string,
  args: InferenceServiceArgs,
  podPlugins: PodPluginSupport,
): ReadArgs {
  const { metadata, waitFor = false, statusObject, ...spec } = args ?? {};
  const own = [
    oneOf(
      "statusObject",
      statusObject,
      [true, false],
      "Pass true to write the service's status to the cluster.",
    ),
    oneOf(
      "waitFor",
      waitFor,
      [true, false, "Available"],
      "Pass true to wait until every role has its minReplicas ready.",
    ),
  ];
  const input = { metadata: withPlannedNamespace(named(metadata, name)), spec };
  const title = titleOf("InferenceService", input.metadata);
  const service = withOwnArguments(own, title, () => parseInferenceService(input, podPlugins));
  return {
    service,
    namespace: namespaceOf(title, metadata, service.metadata),
    wait: waitFor === "Available" ? "available" : waitFor ? "replicas" : "none",
    statusObject: (statusObject ?? waitFor === "Available") ? statusObjectMode() : undefined,
  };
}

/** Schema of the status object in the cluster, from stack configuration `pulumi-inference:statusSchema`. */
const statusObjectMode = (): StatusObjectMode =>
  stackSetting("statusSchema") === "fusioninfer" ? "extensions" : "full";

/** Returns the inputs that state and policies read: the arguments as written, with defaults. */
function inputsOf(
  { metadata, spec }: ParsedInferenceService,
  namespace: pulumi.Input<string>,
  { waitFor = false, statusObject }: InferenceServiceArgs,
): pulumi.Inputs {
  return {
    metadata: { ...metadata, namespace },
    ...spec,
    waitFor,
    ...(statusObject === undefined ? {} : { statusObject }),
  };
}

function rolloutSettings({ metadata, spec }: ParsedInferenceService): RolloutSettings {
  const { gate, onFailure } = spec.rollout ?? {};
  return {
    ...(gate && { gate: { limits: gate, picker: endpointPickerName(metadata.name) } }),
    rollsBack: onFailure === "rollback",
  };
}
