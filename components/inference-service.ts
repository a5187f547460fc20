import * as pulumi from "@pulumi/pulumi";
import { type Problem, SpecError } from "../sdk/errors.ts";
import { isDeferred } from "../sdk/kubernetes/deferred.ts";
import { planParsed } from "../sdk/plan/inference-service.ts";
import type { InferenceService as ParsedInferenceService } from "../sdk/spec/inference-service.ts";
import { layOut } from "../sdk/topology/role-layout.ts";
import { parseInferenceService } from "../sdk/validate/inference-service.ts";
import { type InferenceServiceOptions, ownOptions } from "./child-options.ts";
import { createChildren, type InferenceServiceNodes } from "./children.ts";
import type { InferenceServiceArgs } from "./inference-service-args.ts";
import { refusing } from "./invalid-args.ts";
import { claimNames } from "./names-in-use.ts";
import { minimumGroups } from "./readiness.ts";
import { type ComponentSummary, type Endpoints, serviceOutputs } from "./service-outputs.ts";

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
   * @param opts options; those for children are told in {@link InferenceServiceOptions}
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: InferenceServiceArgs, opts: InferenceServiceOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferenceService.__pulumiType, name, unknownOutputs, opts);
      return;
    }
    const { service, wait } = refusing(() => readArgs(name, args));
    const manifests = planParsed(service, { endpointPickerImage: configuredImage() });
    super(InferenceService.__pulumiType, name, inputsOf(service, wait), ownOptions(opts));

    claimNames(this, name, opts.parent, manifests);
    const layouts = layOut(service.metadata.name, service.spec);
    const readiness = { wait, minimums: minimumGroups(layouts) };
    const family = { parent: this, name, metadata: service.metadata, opts, readiness };
    nodes.set(this, createChildren(family, manifests));

    const outputs = serviceOutputs(service, layouts);
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the service, to read from or to depend on. Empty in a service that is only referred to. */
  get nodes(): InferenceServiceNodes {
    return nodes.get(this) ?? { leaderWorkerSets: [] };
  }
}

/** A service that lives elsewhere and is passed by reference: its outputs are read from the state. */
const unknownOutputs = {
  serviceName: undefined,
  namespace: undefined,
  poolName: undefined,
  endpoints: undefined,
  components: undefined,
};

interface ReadArgs {
  readonly service: ParsedInferenceService;
  readonly wait: boolean;
}

/** The arguments, validated; `waitFor` is the component's own and no part of the spec. */
function readArgs(name: string, args: InferenceServiceArgs): ReadArgs {
  const { metadata, waitFor = false, ...spec } = args ?? {};
  const own = typeof waitFor === "boolean" ? [] : [notABoolean(waitFor)];
  try {
    const service = parseInferenceService({ metadata: named(metadata, name), spec });
    if (own.length === 0) return { service, wait: waitFor };
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new SpecError(error.object, [...own, ...error.problems.map(inArguments)]);
  }
  throw new SpecError(`InferenceService "${name}"`, own);
}

/** The fields of a spec stand beside two more in the arguments. */
function inArguments(problem: Problem): Problem {
  const isUnknownArgument = problem.path.length === 1 && problem.given === "is not a known field";
  return isUnknownArgument
    ? { ...problem, allowed: `metadata, ${problem.allowed}, waitFor` }
    : problem;
}

/** Metadata with the resource's name where it has none. What is no plain object is left for the schema to refuse. */
function named(metadata: unknown, name: string): unknown {
  if (metadata === undefined) return { name };
  if (metadata === null || typeof metadata !== "object" || isDeferred(metadata)) return metadata;
  return { ...metadata, name: (metadata as { name?: unknown }).name ?? name };
}

function notABoolean(waitFor: unknown): Problem {
  return {
    code: "shape",
    path: ["waitFor"],
    given: isDeferred(waitFor) ? "is an Output" : `is ${JSON.stringify(waitFor)}`,
    allowed: "true or false",
    fix: "Pass true to wait until every role has its minReplicas ready.",
  };
}

/** Image of the endpoint picker from stack configuration, where the router names none. */
function configuredImage(): string | undefined {
  return new pulumi.Config("pulumi-inference").get("image");
}

/** What state and policies see: the arguments in their own words, with defaults. */
function inputsOf({ metadata, spec }: ParsedInferenceService, waitFor: boolean): pulumi.Inputs {
  return { metadata, ...spec, waitFor };
}
