import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../../sdk/errors.ts";
import { planLLMServerPool, routedPool } from "../../sdk/plan/pools/pool.ts";
import { poolObjectName } from "../../sdk/topology/names.ts";
import { llmServerPoolSpecKind } from "../../sdk/validate/pools.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects, unawaited } from "../component.ts";
import type { LLMServerPoolArgs } from "../generated/args.ts";
import { after } from "../namespace.ts";
import { readArgs, stackSetting } from "../read-args.ts";
import { sayAdvice } from "../say-advice.ts";
import { noteGrants } from "./grants-in-program.ts";
import { type PoolNodes, poolNodes } from "./pool-nodes.ts";
import { claimPods } from "./pools-in-program.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<LLMServerPool, PoolNodes>();

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
export class LLMServerPool extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:LLMServerPool";

  /** Name of the InferencePool, which is that of the pool: what routes and LLMServices refer to. */
  declare readonly poolName: pulumi.Output<string>;
  /** Namespace of the pool. */
  declare readonly namespace: pulumi.Output<string>;
  /** What serves only some time after `pulumi up`, which does not wait for it, and the command that shows it. */
  declare readonly readiness: pulumi.Output<string>;

  /** Whether a value is an LLMServerPool, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is LLMServerPool {
    return isComponent(value, LLMServerPool.__pulumiType);
  }

  /**
   * @param name logical name, and the pool's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: LLMServerPoolArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(LLMServerPool.__pulumiType, name, unknownOutputs, opts);
      return;
    }
    const pool = readArgs(llmServerPoolSpecKind, name, args);
    super(LLMServerPool.__pulumiType, name, pool.inputs, ownOptions(opts));

    const { metadata, spec } = pool;
    const title = `LLMServerPool "${name}"`;
    const namespace = after(pool.namespace, (known) => {
      claimPods(this, {
        title,
        name: metadata.name,
        namespace: known,
        labels: spec.modelServerSelector,
      });
      noteGrants(this, { title, pool: routedPool({ ...metadata, namespace: known }, spec) });
    });
    const advice: Problem[] = [];
    const manifests = planLLMServerPool(pool, {
      endpointPickerImage: stackSetting("image"),
      onAdvice: (problem) => advice.push(problem),
    });
    sayAdvice(this, title, advice);
    nodes.set(this, poolNodes(makeObjects(this, name, { metadata, namespace }, opts, manifests)));

    const outputs = {
      poolName: pulumi.output(poolObjectName(metadata.name)),
      namespace: pulumi.output(namespace),
      readiness: unawaited(manifests, pool, namespace),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the pool, to read from or to depend on. Empty in a pool that is only referred to. */
  get nodes(): PoolNodes {
    return nodes.get(this) ?? { roles: [], roleBindings: [] };
  }
}

/** A pool that lives elsewhere and is passed by reference: its outputs are read from the state. */
const unknownOutputs = { poolName: undefined, namespace: undefined, readiness: undefined };
