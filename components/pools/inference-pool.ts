import type * as pulumi from "@pulumi/pulumi";
import { poolObjectName } from "../../sdk/names.ts";
import { planPool } from "../../sdk/plan/pools/pool.ts";
import type { InferencePoolComponentSpec } from "../../sdk/spec/llm-server-pool.ts";
import { inferencePoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "../arguments/read-args.ts";
import { withAdvice } from "../arguments/warn-advice.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { InferencePoolArgs } from "../generated/args.ts";
import { poolNodeKeys } from "./pool-node-keys.ts";
import { claimPods } from "./pools-in-program.ts";

/**
 * Existing model server pods, as an InferencePool with an endpoint picker. It accepts requests for any model. For the
 * object alone, without a picker, use `InferencePool` of `pulumi-inference/kubernetes`.
 *
 * ```ts
 * const qwen = new InferencePool("qwen", { selector: { app: "qwen" }, targetPorts: [8080] });
 * ```
 */
export class InferencePool extends PlannedComponent<
  typeof poolNodeKeys,
  ReadArgs<InferencePoolComponentSpec>
> {
  static readonly __pulumiType = "inference:index:InferencePool";

  /** Name of the InferencePool object, for use in routes. */
  declare readonly poolName: pulumi.Output<string>;
  /** Namespace of the pool. */
  declare readonly namespace: pulumi.Output<string>;
  /** Text that lists what becomes ready only after `pulumi up` has returned, with the command that shows its state. */
  declare readonly readiness: pulumi.Output<string>;

  /**
   * @param name logical name; also the pool's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: InferencePoolArgs,
    opts: ComponentOptions<typeof poolNodeKeys> = {},
  ) {
    const title = `InferencePool "${name}"`;
    super(InferencePool.__pulumiType, name, opts, {
      parse: () => readArgs(inferencePoolSpecKind, name, args),
      plan: (pool, component) =>
        withAdvice(component, title, (onAdvice) =>
          planPool(pool, { runtimeImage: stackSetting("image"), onAdvice }),
        ),
      claim({ metadata, spec }, namespace, component) {
        claimPods(component, { title, name: metadata.name, namespace, labels: spec.selector });
      },
      nodeKeys: poolNodeKeys,
      outputs: {
        poolName: ({ args: { metadata } }) => poolObjectName(metadata.name),
        readiness: unawaited,
      },
    });
  }
}
