import type * as pulumi from "@pulumi/pulumi";
import { planObjective } from "../../sdk/plan/models/models.ts";
import type { ObjectiveSpec } from "../../sdk/spec/model-rewrite.ts";
import { objectiveSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs } from "../arguments/read-args.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent } from "../component-resource.ts";
import type { InferenceObjectiveArgs } from "../generated/args.ts";
import { type NodesOf, one } from "../nodes/node-keys.ts";

const nodeKeys = { inferenceObjective: one("InferenceObjective") } as const;

/** Resource of an InferenceObjective. */
export type InferenceObjectiveNodes = NodesOf<typeof nodeKeys>;

/**
 * Priority on a pool (`llm-d.ai/v1alpha2`). It applies to requests that name the object in the header
 * `x-llm-d-inference-objective`. Requests for models that an LLMService registers get their priority from the
 * LLMService's objective instead.
 *
 * ```ts
 * new InferenceObjective("batch", { poolRef: { name: pool.poolName }, priority: -1 });
 * ```
 */
export class InferenceObjective extends PlannedComponent<typeof nodeKeys, ReadArgs<ObjectiveSpec>> {
  static readonly __pulumiType = "inference:index:InferenceObjective";

  /** Name of the InferenceObjective, which requests set in the header. */
  declare readonly objectiveName: pulumi.Output<string>;
  /** Namespace of the InferenceObjective. */
  declare readonly namespace: pulumi.Output<string>;

  /**
   * @param name logical name; also the object's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: InferenceObjectiveArgs,
    opts: ComponentOptions<typeof nodeKeys> = {},
  ) {
    super(InferenceObjective.__pulumiType, name, opts, {
      parse: () => readArgs(objectiveSpecKind, name, args),
      plan: planObjective,
      nodeKeys,
      outputs: { objectiveName: ({ args: { metadata } }) => metadata.name },
    });
  }
}
