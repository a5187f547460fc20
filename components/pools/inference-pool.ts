import type * as pulumi from "@pulumi/pulumi";
import { planPool } from "../../sdk/plan/pools/pool.ts";
import type { InferencePoolComponentSpec } from "../../sdk/spec/llm-server-pool.ts";
import { poolObjectName } from "../../sdk/topology/names.ts";
import { inferencePoolSpecKind } from "../../sdk/validate/pools.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { InferencePoolArgs } from "../generated/args.ts";
import { type ReadArgs, readArgs, stackSetting } from "../read-args.ts";
import { withAdvice } from "../say-advice.ts";
import { poolPlaces } from "./pool-places.ts";
import { claimPods } from "./pools-in-program.ts";

/**
 * Model server pods that are there already, as an InferencePool with an endpoint picker. It takes requests for any
 * model; the object alone, without a picker, is `InferencePool` of `pulumi-inference/kubernetes`.
 *
 * ```ts
 * const qwen = new InferencePool("qwen", { selector: { app: "qwen" }, targetPorts: [8080] });
 * ```
 */
export class InferencePool extends PlannedComponent<
  typeof poolPlaces,
  ReadArgs<InferencePoolComponentSpec>
> {
  static readonly __pulumiType = "inference:index:InferencePool";

  /** Name of the InferencePool object: what routes refer to. */
  declare readonly poolName: pulumi.Output<string>;
  /** Namespace of the pool. */
  declare readonly namespace: pulumi.Output<string>;
  /** What serves only some time after `pulumi up`, which does not wait for it, and the command that shows it. */
  declare readonly readiness: pulumi.Output<string>;

  /**
   * @param name logical name, and the pool's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(
    name: string,
    args: InferencePoolArgs,
    opts: ComponentOptions<typeof poolPlaces> = {},
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
      places: poolPlaces,
      outputs: {
        poolName: ({ args: { metadata } }) => poolObjectName(metadata.name),
        readiness: unawaited,
      },
    });
  }
}
