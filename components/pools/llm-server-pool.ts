import type * as pulumi from "@pulumi/pulumi";
import { poolObjectName } from "../../sdk/names.ts";
import { planLLMServerPool, routedPool } from "../../sdk/plan/pools/pool.ts";
import type { LLMServerPoolSpec } from "../../sdk/spec/llm-server-pool.ts";
import { llmServerPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "../arguments/read-args.ts";
import { withAdvice } from "../arguments/warn-advice.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { LLMServerPoolArgs } from "../generated/args.ts";
import { noteGrants } from "./grants-in-program.ts";
import { poolNodeKeys } from "./pool-node-keys.ts";
import { claimPods } from "./pools-in-program.ts";

/**
 * Pool of model servers that LLMServices share, for the platform team that owns the pods. It creates an InferencePool,
 * its endpoint picker, and an object of kind LLMServerPool, which registrations refer to and which contains the status.
 *
 * The pool does not create the pods: they belong to a Deployment, to LeaderWorkerSets or to another stack. It serves
 * only models that an LLMService registers, unless `allowUnregisteredModels` is true.
 *
 * The cluster needs the Gateway API with its inference extension, and the CRDs of `InferenceCrds`.
 *
 * ```ts
 * const llama = new LLMServerPool("llama", {
 *   modelServerSelector: { app: "llama-vllm" },
 *   allowedNamespaces: [{ namespace: "chat-team", models: ["chat-*"] }],
 * });
 * export const pool = { name: llama.poolName, namespace: llama.namespace };
 * ```
 */
export class LLMServerPool extends PlannedComponent<
  typeof poolNodeKeys,
  ReadArgs<LLMServerPoolSpec>
> {
  static readonly __pulumiType = "inference:index:LLMServerPool";

  /** Name of the pool and of its InferencePool, for use in routes and LLMServices. */
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
    args: LLMServerPoolArgs,
    opts: ComponentOptions<typeof poolNodeKeys> = {},
  ) {
    const title = `LLMServerPool "${name}"`;
    super(LLMServerPool.__pulumiType, name, opts, {
      parse: () => readArgs(llmServerPoolSpecKind, name, args),
      plan: (pool, component) =>
        withAdvice(component, title, (onAdvice) =>
          planLLMServerPool(pool, { runtimeImage: stackSetting("image"), onAdvice }),
        ),
      claim({ metadata, spec }, namespace, component) {
        claimPods(component, {
          title,
          name: metadata.name,
          namespace,
          labels: spec.modelServerSelector,
        });
        noteGrants(component, { title, pool: routedPool({ ...metadata, namespace }, spec) });
      },
      nodeKeys: poolNodeKeys,
      outputs: {
        poolName: ({ args: { metadata } }) => poolObjectName(metadata.name),
        readiness: unawaited,
      },
    });
  }
}
