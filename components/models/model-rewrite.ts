import type * as pulumi from "@pulumi/pulumi";
import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { violations } from "../../sdk/invariant.ts";
import { planModelRewrite } from "../../sdk/plan/models/models.ts";
import { rewritesAreNotChained } from "../../sdk/rules/spec/model-rewrites.ts";
import type { ModelRewriteSpec } from "../../sdk/spec/model-rewrite.ts";
import { modelRewriteSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { oneOf, type ReadArgs, readArgs } from "../arguments/read-args.ts";
import { warnAdvice } from "../arguments/warn-advice.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent } from "../component-resource.ts";
import type { InferenceModelRewriteArgs } from "../generated/args.ts";
import { type NodesOf, one } from "../nodes/node-keys.ts";
import { stackRewriteVersion } from "./rewrite-version.ts";

const nodeKeys = { inferenceModelRewrite: one("InferenceModelRewrite") } as const;

/** Resource of an InferenceModelRewrite. */
export type InferenceModelRewriteNodes = NodesOf<typeof nodeKeys>;

/**
 * Rules that replace the model name of a pool's requests, for aliases, versions and canaries. The pool's endpoint
 * picker applies the first matching rule, once per request.
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
export class InferenceModelRewrite extends PlannedComponent<
  typeof nodeKeys,
  ReadArgs<ModelRewriteSpec>
> {
  static readonly __pulumiType = "inference:index:InferenceModelRewrite";

  /** Name of the InferenceModelRewrite. */
  declare readonly rewriteName: pulumi.Output<string>;
  /** Namespace of the InferenceModelRewrite. */
  declare readonly namespace: pulumi.Output<string>;

  /**
   * @param name logical name; also the object's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: InferenceModelRewriteArgs,
    opts: ComponentOptions<typeof nodeKeys> = {},
  ) {
    const { version } = args ?? {};
    super(InferenceModelRewrite.__pulumiType, name, opts, {
      parse: () =>
        readArgs(modelRewriteSpecKind, name, args, [
          oneOf("version", version, rewriteVersions, "Name the version that the cluster serves."),
        ]),
      plan(rewrite, component) {
        const { metadata, spec } = rewrite;
        const chained = violations([rewritesAreNotChained], { metadata, spec });
        warnAdvice(component, `InferenceModelRewrite "${name}"`, chained);
        return planModelRewrite(rewrite, version ?? stackRewriteVersion() ?? rewriteVersions[0]);
      },
      nodeKeys,
      outputs: { rewriteName: ({ args: { metadata } }) => metadata.name },
    });
  }
}
