import type * as pulumi from "@pulumi/pulumi";
import { planLLMServerPool, routedPool } from "../../sdk/plan/pools/pool.ts";
import type { LLMServerPoolSpec } from "../../sdk/spec/llm-server-pool.ts";
import { poolObjectName } from "../../sdk/topology/names.ts";
import { llmServerPoolSpecKind } from "../../sdk/validate/pools.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { LLMServerPoolArgs } from "../generated/args.ts";
import { type ReadArgs, readArgs, stackSetting } from "../read-args.ts";
import { withAdvice } from "../say-advice.ts";
import { noteGrants } from "./grants-in-program.ts";
import { poolPlaces } from "./pool-places.ts";
import { claimPods } from "./pools-in-program.ts";

/**
 * A pool of model servers that LLMServices share, for the platform team that owns the pods: an InferencePool, its
 * endpoint picker, and the object of its own kind that registrations refer to and that carries status.
 *
 * The pods are somebody else's: a Deployment, LeaderWorkerSets, another stack. Only models that an LLMService
 * registers are served, unless `allowUnregisteredModels` says otherwise.
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
  typeof poolPlaces,
  ReadArgs<LLMServerPoolSpec>
> {
  static readonly __pulumiType = "inference:index:LLMServerPool";

  /** Name of the InferencePool, which is that of the pool: what routes and LLMServices refer to. */
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
    args: LLMServerPoolArgs,
    opts: ComponentOptions<typeof poolPlaces> = {},
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
      places: poolPlaces,
      outputs: {
        poolName: ({ args: { metadata } }) => poolObjectName(metadata.name),
        readiness: unawaited,
      },
    });
  }
}
