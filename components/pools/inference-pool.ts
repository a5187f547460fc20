import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../../sdk/errors.ts";
import { planPool } from "../../sdk/plan/pools/pool.ts";
import { poolObjectName } from "../../sdk/topology/names.ts";
import { inferencePoolSpecKind } from "../../sdk/validate/pools.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects, unawaited } from "../component.ts";
import type { InferencePoolArgs } from "../generated/args.ts";
import { after } from "../namespace.ts";
import { readArgs, stackSetting } from "../read-args.ts";
import { sayAdvice } from "../say-advice.ts";
import { type PoolNodes, poolNodes } from "./pool-nodes.ts";
import { claimPods } from "./pools-in-program.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferencePool, PoolNodes>();

/**
 * Model server pods that are there already, as an InferencePool with an endpoint picker. It takes requests for any
 * model; the object alone, without a picker, is `InferencePool` of `pulumi-inference/kubernetes`.
 *
 * ```ts
 * const qwen = new InferencePool("qwen", { selector: { app: "qwen" }, targetPorts: [8080] });
 * ```
 */
export class InferencePool extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferencePool";

  /** Name of the InferencePool object: what routes refer to. */
  declare readonly poolName: pulumi.Output<string>;
  /** Namespace of the pool. */
  declare readonly namespace: pulumi.Output<string>;
  /** What serves only some time after `pulumi up`, which does not wait for it, and the command that shows it. */
  declare readonly readiness: pulumi.Output<string>;

  /** Whether a value is an InferencePool component, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferencePool {
    return isComponent(value, InferencePool.__pulumiType);
  }

  /**
   * @param name logical name, and the pool's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: InferencePoolArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferencePool.__pulumiType, name, unknownOutputs, opts);
      return;
    }
    const pool = readArgs(inferencePoolSpecKind, name, args);
    super(InferencePool.__pulumiType, name, pool.inputs, ownOptions(opts));

    const { metadata, spec } = pool;
    const namespace = after(pool.namespace, (known) =>
      claimPods(this, {
        title: `InferencePool "${name}"`,
        name: metadata.name,
        namespace: known,
        labels: spec.selector,
      }),
    );
    const advice: Problem[] = [];
    const manifests = planPool(pool, {
      endpointPickerImage: stackSetting("image"),
      onAdvice: (problem) => advice.push(problem),
    });
    sayAdvice(this, `InferencePool "${name}"`, advice);
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
