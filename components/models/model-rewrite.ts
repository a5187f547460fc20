import type { apiextensions } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { formatProblem } from "../../sdk/errors.ts";
import { violations } from "../../sdk/invariant.ts";
import { rewritesAreNotChained } from "../../sdk/invariants/model-rewrites.ts";
import { planModelRewrite } from "../../sdk/plan/models/models.ts";
import { modelRewriteSpecKind } from "../../sdk/validate/models.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects } from "../component.ts";
import type { InferenceModelRewriteArgs } from "../generated/args.ts";
import { oneOf, readArgs } from "../read-args.ts";
import { stackRewriteVersion } from "./rewrite-version.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferenceModelRewrite, InferenceModelRewriteNodes>();

/** The resource of an InferenceModelRewrite. */
export interface InferenceModelRewriteNodes {
  readonly inferenceModelRewrite?: apiextensions.CustomResource;
}

/**
 * Which model the servers of a pool are asked for: aliases, versions, canaries. The endpoint picker of the pool
 * applies the first rule that matches a request, once.
 *
 * ```ts
 * new InferenceModelRewrite("food-review-canary", {
 *   poolRef: { name: pool.poolName },
 *   rules: [
 *     {
 *       matches: [{ model: { value: "foodreview" } }],
 *       targets: [
 *         { modelRewrite: "foodreview-v1", weight: 90 },
 *         { modelRewrite: "foodreview-v2", weight: 10 },
 *       ],
 *     },
 *   ],
 * });
 * ```
 */
export class InferenceModelRewrite extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferenceModelRewrite";

  /** Whether a value is an InferenceModelRewrite, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferenceModelRewrite {
    return isComponent(value, InferenceModelRewrite.__pulumiType);
  }

  /**
   * @param name logical name, and the object's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: InferenceModelRewriteArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferenceModelRewrite.__pulumiType, name, {}, opts);
      return;
    }
    const { version } = args ?? {};
    const rewrite = readArgs(modelRewriteSpecKind, name, args, [
      oneOf("version", version, rewriteVersions, "Name the version that the cluster serves."),
    ]);
    const { metadata, spec } = rewrite;
    super(InferenceModelRewrite.__pulumiType, name, rewrite.inputs, ownOptions(opts));

    for (const problem of violations([rewritesAreNotChained], { metadata, spec }))
      void pulumi.log.warn(`InferenceModelRewrite "${name}": ${formatProblem(problem)}`, this);
    const apiVersion = version ?? stackRewriteVersion() ?? rewriteVersions[0];
    const manifests = planModelRewrite(rewrite, apiVersion);
    const children = makeObjects(this, name, rewrite, opts, manifests);
    nodes.set(this, { inferenceModelRewrite: children.one("InferenceModelRewrite") });
    this.registerOutputs({});
  }

  /** The resource of the rewrite. Empty in one that is only referred to. */
  get nodes(): InferenceModelRewriteNodes {
    return nodes.get(this) ?? {};
  }
}
