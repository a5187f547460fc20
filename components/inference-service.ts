import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../sdk/errors.ts";
import { modelSummaries } from "../sdk/model-pods/summary.ts";
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
import { inferencePoolName, label } from "../sdk/topology/names.ts";
import { layOut } from "../sdk/topology/role-layout.ts";
import { parseInferenceService } from "../sdk/validate/inference-service.ts";
import { titleOf } from "../sdk/validate/spec-kind.ts";
import type { ComponentOptions } from "./child-options.ts";
import { ComponentResource as PlannedComponent } from "./component-resource.ts";
import type { InferenceServiceArgs } from "./generated/args.ts";
import { inferenceServicePlaces } from "./inference-service-places.ts";
import { refusing } from "./invalid-args.ts";
import { stackRewriteVersion } from "./models/rewrite-version.ts";
import { claimModels } from "./names-in-use.ts";
import { namespaceOf, withPlannedNamespace } from "./namespace.ts";
import { logPluginReports, podPluginSupport } from "./pod-plugin-support.ts";
import { claimServicePods } from "./pools/pools-in-program.ts";
import { named, oneOf, stackSetting, withOwnArguments } from "./read-args.ts";
import { minimumGroups } from "./readiness.ts";
import { sayAdvice } from "./say-advice.ts";
import {
  type ComponentSummary,
  type Endpoints,
  type ServicePlan,
  serviceOutputs,
} from "./service-outputs.ts";
import { type GatewayResource, urlThrough } from "./service-url.ts";

/**
 * An inference service on Kubernetes: LeaderWorkerSets for the engines, a PodGroup where pods must start
 * together, and, with a router role, an endpoint picker, an InferencePool and an HTTPRoute.
 *
 * The cluster needs LeaderWorkerSet and, for gangs, Volcano; for a router the Gateway API with its inference
 * extension. A wrong spec fails before anything is registered, with every problem listed.
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
 * A component can be renamed with an alias without touching its objects when `metadata.name` keeps the old name.
 * Existing objects are adopted with `transform`, by setting `opts.import` to `namespace/name`.
 */
export class InferenceService extends PlannedComponent<
  typeof inferenceServicePlaces,
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
   * Base URL of the service's OpenAI API, as clients take it: `http://203.0.113.7/v1`, with the first host name that is
   * routed in place of the address. Undefined while the Gateway of the router's `gateway` has no address, and where
   * the router makes no Gateway: {@link urlThrough} is for those. What a Gateway got after `up` read it comes with
   * `pulumi up --refresh`. Nothing waits for it.
   */
  declare readonly url: pulumi.Output<string | undefined>;
  /** By which Gateway `url` is served; while it is undefined, what is awaited and how to go on. */
  declare readonly urlStatus: pulumi.Output<string>;
  /**
   * What `pulumi up` waits for by `waitFor`; without it what serves only later, and the command that shows it:
   * `` `pulumi up` does not wait for LeaderWorkerSets of role inference and Deployment qwen-epp:
   * `pulumi-inference status qwen -n default` shows them. `` It tells what the arguments say, not how the cluster does.
   */
  declare readonly readiness: pulumi.Output<string>;
  /** Addresses at which the service is reached. */
  declare readonly endpoints: pulumi.Output<Endpoints>;
  /** Size of every role but the router, by role name. */
  declare readonly components: pulumi.Output<Record<string, ComponentSummary>>;

  /**
   * @param name logical name, and the service's name unless `metadata.name` says otherwise
   * @param args the roles and how they are scheduled
   * @param opts options; those for children are told in {@link ComponentOptions}
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(
    name: string,
    args: InferenceServiceArgs,
    opts: ComponentOptions<typeof inferenceServicePlaces> = {},
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
        sayAdvice(component, title, advice);
        return manifests;
      },
      claim: ({ service }, namespace, component) =>
        claimOwnPool(component, name, opts.parent, service, namespace),
      places: inferenceServicePlaces,
      readiness: ({ wait, layouts }) => ({ wait, minimums: minimumGroups(layouts) }),
      outputs: serviceOutputs,
    });
  }

  /**
   * The `url` of the service behind a Gateway that it does not make: one of the program, or one that
   * `Gateway.get("gateway", "namespace/name")` of `pulumi-inference/kubernetes` reads, which must be there.
   */
  urlThrough(gateway: GatewayResource): pulumi.Output<string | undefined> {
    return urlThrough(gateway, this.nodes);
  }
}

/** With a router, the service's pods are those of its own pool, where `models` are registered. */
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

/** A service, and what is made of it. */
interface PlannedService extends ServicePlan {
  readonly inputs: pulumi.Inputs;
  /** As it was given. */
  readonly namespace: pulumi.Input<string>;
}

/** The arguments, validated and planned. */
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

/** The status controller recycles the pods of services that are objects of the cluster. */
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

/** The arguments, validated; `waitFor` and `statusObject` are the component's own and no part of the spec. */
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

/** How much of a service the schema in the cluster knows: stack configuration `pulumi-inference:statusSchema`. */
const statusObjectMode = (): StatusObjectMode =>
  stackSetting("statusSchema") === "fusioninfer" ? "extensions" : "full";

/** What state and policies see: the arguments in their own words, with defaults. */
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
