import * as pulumi from "@pulumi/pulumi";
import { planInferenceRoute } from "../../sdk/plan/models/models.ts";
import { inferenceRouteSpecKind } from "../../sdk/validate/models.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects } from "../component.ts";
import type { InferenceRouteArgs } from "../generated/args.ts";
import type { HTTPRoute } from "../kubernetes/http-route.ts";
import { readArgs } from "../read-args.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferenceRoute, InferenceRouteNodes>();

/** The resource of an InferenceRoute. */
export interface InferenceRouteNodes {
  readonly httpRoute?: HTTPRoute;
}

/**
 * Which requests of a Gateway go to which pools, by weight: an HTTPRoute over InferencePools. Traffic is split here
 * between pools, and by LLMService or InferenceModelRewrite between the models of one pool.
 *
 * ```ts
 * new InferenceRoute("chat", {
 *   parentRefs: [{ name: "inference-gateway" }],
 *   rules: [{ pools: [{ name: h100.poolName, weight: 3 }, { name: a100.poolName, weight: 1 }] }],
 * });
 * ```
 */
export class InferenceRoute extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferenceRoute";

  /** Whether a value is an InferenceRoute, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferenceRoute {
    return isComponent(value, InferenceRoute.__pulumiType);
  }

  /**
   * @param name logical name, and the HTTPRoute's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: InferenceRouteArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferenceRoute.__pulumiType, name, {}, opts);
      return;
    }
    const route = readArgs(inferenceRouteSpecKind, name, args);
    super(InferenceRoute.__pulumiType, name, route.inputs, ownOptions(opts));

    const children = makeObjects(this, name, route, opts, planInferenceRoute(route));
    nodes.set(this, { httpRoute: children.one("HTTPRoute") });
    this.registerOutputs({});
  }

  /** The resource of the route. Empty in one that is only referred to. */
  get nodes(): InferenceRouteNodes {
    return nodes.get(this) ?? {};
  }
}
