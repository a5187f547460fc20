import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../sdk/errors.ts";
import { planParsed } from "../sdk/plan/inference-service.ts";
import { serviceReadiness, type Wait } from "../sdk/plan/readiness-text.ts";
import type { StatusObjectMode } from "../sdk/plan/status-object.ts";
import type { PluggedTemplate } from "../sdk/plan/workloads/pod-plugins.ts";
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
import { type ComponentOptions, ownOptions } from "./child-options.ts";
import { createChildren } from "./children.ts";
import type { InferenceServiceArgs } from "./generated/args.ts";
import { type InferenceServiceNodes, inferenceServiceNodes } from "./inference-service-nodes.ts";
import { refusing } from "./invalid-args.ts";
import { stackRewriteVersion } from "./models/rewrite-version.ts";
import { claimModels, claimNames } from "./names-in-use.ts";
import { after, inNamespace, namespaceOf, withPlannedNamespace } from "./namespace.ts";
import { podPluginSupport, sayPlugged } from "./pod-plugin-support.ts";
import { claimServicePods } from "./pools/pools-in-program.ts";
import { named, oneOf, stackSetting, withOwnArguments } from "./read-args.ts";
import { minimumGroups } from "./readiness.ts";
import { sayAdvice } from "./say-advice.ts";
import { type ComponentSummary, type Endpoints, serviceOutputs } from "./service-outputs.ts";
import { type GatewayResource, urlOutputs, urlThrough } from "./service-url.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferenceService, InferenceServiceNodes>();

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
 *               image: "vllm/vllm-openai:v0.11.0",
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
export class InferenceService extends pulumi.ComponentResource {
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
  /** Where the service is reached. */
  declare readonly endpoints: pulumi.Output<Endpoints>;
  /** Size of every role but the router, by role name. */
  declare readonly components: pulumi.Output<Record<string, ComponentSummary>>;

  /** Whether a value is an InferenceService, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferenceService {
    return (
      (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType ===
      InferenceService.__pulumiType
    );
  }

  /**
   * @param name logical name, and the service's name unless `metadata.name` says otherwise
   * @param args the roles and how they are scheduled
   * @param opts options; those for children are told in {@link ComponentOptions}
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: InferenceServiceArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferenceService.__pulumiType, name, unknownOutputs, opts);
      return;
    }
    const plugged: PluggedTemplate[] = [];
    const advice: Problem[] = [];
    const podPlugins = podPluginSupport(opts.podPlugins);
    const {
      service,
      readiness: wait,
      statusObject,
      namespace: written,
    } = refusing(() => readArgs(name, args, podPlugins));
    const manifests = refusing(() =>
      planParsed(service, {
        endpointPickerImage: stackSetting("image"),
        rewriteVersion: stackRewriteVersion(),
        statusObject,
        podPlugins,
        onPlugged: (template) => plugged.push(template),
        onAdvice: (problem) => advice.push(problem),
      }),
    );
    super(InferenceService.__pulumiType, name, inputsOf(service, written, args), ownOptions(opts));

    sayPlugged(this, plugged);
    sayAdvice(this, `InferenceService "${name}"`, advice);
    const namespace = after(written, (known) => {
      claimNames(this, name, opts.parent, inNamespace(manifests, known));
      claimOwnPool(this, name, opts.parent, service, known);
    });
    const layouts = layOut(service.metadata.name, service.spec);
    const readiness = { wait, minimums: minimumGroups(layouts) };
    const family = { parent: this, name, metadata: service.metadata, namespace, opts, readiness };
    const own = inferenceServiceNodes(createChildren(family, manifests));
    nodes.set(this, own);

    const outputs = {
      ...serviceOutputs(service, layouts, namespace),
      ...urlOutputs(service, own),
      readiness: pulumi.output(
        inNamespace(
          serviceReadiness({ metadata: service.metadata, layouts, manifests }, wait),
          namespace,
        ),
      ),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the service, to read from or to depend on. Empty in a service that is only referred to. */
  get nodes(): InferenceServiceNodes {
    return nodes.get(this) ?? { leaderWorkerSets: [], networkPolicies: [] };
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
  component: InferenceService,
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

/** A service that lives elsewhere and is passed by reference: its outputs are read from the state. */
const unknownOutputs = {
  serviceName: undefined,
  namespace: undefined,
  poolName: undefined,
  url: undefined,
  urlStatus: undefined,
  readiness: undefined,
  endpoints: undefined,
  components: undefined,
};

interface ReadArgs {
  readonly service: ParsedInferenceService;
  /** As it was given. */
  readonly namespace: pulumi.Input<string>;
  readonly readiness: Wait;
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
      "Pass true to have the service's status in the cluster.",
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
    readiness: waitFor === "Available" ? "available" : waitFor ? "replicas" : "none",
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
