import type { apiextensions } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { planObjective } from "../../sdk/plan/models/models.ts";
import { objectiveSpecKind } from "../../sdk/validate/models.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects } from "../component.ts";
import type { InferenceObjectiveArgs } from "../generated/args.ts";
import { readArgs } from "../read-args.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferenceObjective, InferenceObjectiveNodes>();

/** The resource of an InferenceObjective. */
export interface InferenceObjectiveNodes {
  readonly inferenceObjective?: apiextensions.CustomResource;
}

/**
 * A priority on a pool (`llm-d.ai/v1alpha2`). A request has it that names the object in the header
 * `x-llm-d-inference-objective`; models that an LLMService registers have theirs from their objective instead.
 */
export class InferenceObjective extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferenceObjective";

  /** Whether a value is an InferenceObjective, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferenceObjective {
    return isComponent(value, InferenceObjective.__pulumiType);
  }

  /**
   * @param name logical name, and the object's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: InferenceObjectiveArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferenceObjective.__pulumiType, name, {}, opts);
      return;
    }
    const objective = readArgs(objectiveSpecKind, name, args);
    super(InferenceObjective.__pulumiType, name, objective.inputs, ownOptions(opts));

    const children = makeObjects(this, name, objective, opts, planObjective(objective));
    nodes.set(this, { inferenceObjective: children.one("InferenceObjective") });
    this.registerOutputs({});
  }

  /** The resource of the objective. Empty in one that is only referred to. */
  get nodes(): InferenceObjectiveNodes {
    return nodes.get(this) ?? {};
  }
}
