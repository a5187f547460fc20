import type * as pulumi from "@pulumi/pulumi";
import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { planModelRouter } from "../../sdk/plan/models/model-router.ts";
import type { ModelRouterSpec } from "../../sdk/spec/model-router.ts";
import { modelRouterSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "../arguments/read-args.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { ModelRouterArgs } from "../generated/args.ts";
import { all, type NodesOf } from "../nodes/node-keys.ts";
import { programNodeKeys } from "../nodes/program-node-keys.ts";

/** Keys of the children of a ModelRouter. */
const nodeKeys = {
  ...programNodeKeys(),
  /** Objects that connect the gateway to the model router. */
  gatewayObjects: all([...gatewayKindNames, "HTTPRoute"]),
} as const;

/** Resources of a ModelRouter, by purpose. */
export type ModelRouterNodes = NodesOf<typeof nodeKeys>;

/**
 * Model router of a Gateway. It reads the model in the body of each request and sets it in headers. Rules of an
 * InferenceRoute with `model` or `baseModel` match on these headers. Requests for unknown models get status 404.
 *
 * ```ts
 * new ModelRouter("models", { gateway: { name: "inference-gateway", type: "istio" } });
 * new InferenceRoute("models", {
 *   parentRefs: [{ name: "inference-gateway" }],
 *   rules: [
 *     { model: "chat", pools: [{ name: "chat-pool" }] },
 *     { baseModel: "Qwen/Qwen3-32B", pools: [{ name: "qwen-pool" }] },
 *   ],
 * });
 * ```
 */
export class ModelRouter extends PlannedComponent<typeof nodeKeys, ReadArgs<ModelRouterSpec>> {
  static readonly __pulumiType = "inference:index:ModelRouter";

  /** Namespace of the model router and of its Gateway. */
  declare readonly namespace: pulumi.Output<string>;
  /** Text that lists what becomes ready only after `pulumi up` has returned, with the command that shows its state. */
  declare readonly readiness: pulumi.Output<string>;

  /** @throws InvalidArgsError listing every problem of the arguments */
  constructor(name: string, args: ModelRouterArgs, opts: ComponentOptions<typeof nodeKeys> = {}) {
    super(ModelRouter.__pulumiType, name, opts, {
      parse: () => readArgs(modelRouterSpecKind, name, args),
      plan: (router) => planModelRouter(router, { runtimeImage: stackSetting("image") }),
      nodeKeys,
      outputs: { readiness: unawaited },
    });
  }
}
