import type * as pulumi from "@pulumi/pulumi";
import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { planInferenceRoute, ungrantedPools } from "../../sdk/plan/models/models.ts";
import type { InferenceRouteSpec } from "../../sdk/spec/inference-route.ts";
import { inferenceRouteSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs } from "../arguments/read-args.ts";
import { warnAdvice } from "../arguments/warn-advice.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent } from "../component-resource.ts";
import type { InferenceRouteArgs } from "../generated/args.ts";
import { all, type NodesOf, one } from "../nodes/node-keys.ts";

/** Keys of the children of an InferenceRoute. */
const nodeKeys = {
  route: one("HTTPRoute"),
  /** ReferenceGrants in the other namespaces of its pools. */
  referenceGrants: all(["ReferenceGrant"]),
  /** Policies of the gateway for `access`. */
  gatewayObjects: all(gatewayKindNames),
} as const;

/** Resources of an InferenceRoute, by purpose. */
export type InferenceRouteNodes = NodesOf<typeof nodeKeys>;

/**
 * HTTPRoute that splits the requests of a Gateway among InferencePools, by weight. To split requests among the models
 * of one pool, use an LLMService or an InferenceModelRewrite.
 *
 * ```ts
 * new InferenceRoute("chat", {
 *   parentRefs: [{ name: "inference-gateway" }],
 *   rules: [{ pools: [{ name: h100.poolName, weight: 3 }, { name: a100.poolName, weight: 1 }] }],
 * });
 * ```
 */
export class InferenceRoute extends PlannedComponent<
  typeof nodeKeys,
  ReadArgs<InferenceRouteSpec>
> {
  static readonly __pulumiType = "inference:index:InferenceRoute";

  /** Name of the HTTPRoute. */
  declare readonly routeName: pulumi.Output<string>;
  /** Namespace of the HTTPRoute. */
  declare readonly namespace: pulumi.Output<string>;

  /**
   * @param name logical name; also the HTTPRoute's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: InferenceRouteArgs,
    opts: ComponentOptions<typeof nodeKeys> = {},
  ) {
    super(InferenceRoute.__pulumiType, name, opts, {
      parse: () => readArgs(inferenceRouteSpecKind, name, args),
      plan: (route, component) => {
        warnAdvice(component, `InferenceRoute "${name}"`, ungrantedPools(route));
        return planInferenceRoute(route);
      },
      nodeKeys,
      outputs: { routeName: ({ args: { metadata } }) => metadata.name },
    });
  }
}
