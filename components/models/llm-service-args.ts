import type * as pulumi from "@pulumi/pulumi";
import type { Metadata } from "../inference-service-args.ts";
import type { PoolKind } from "../vocabulary.ts";

/** The arguments of an LLMService. Model names, targets and weights are plain; the pools may be known only later. */
export interface LLMServiceArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** At least one; each name once. */
  models: Model[];
  /** Pools that serve the models, also of other stacks. */
  poolRef: PoolReference[];
}

/** A model as clients name it, and what the model servers are asked for. */
export interface Model {
  /** What clients send as `model`. Unique on a pool: the oldest LLMService has a name. */
  name: string;
  /** Makes the model Critical: while the pool is full, requests for models without an objective are refused first. */
  objective?: Objective;
  /** Models or LoRA adapters by weight. Default: one, the model's own name. */
  targetModels?: TargetModel[];
}

/** What latency a model should have. It is reported, not enforced. */
export interface Objective {
  /** P95 over many requests of request latency divided by output tokens, such as `50ms`. */
  desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests?: string;
}

/** A share of a model's requests. */
export interface TargetModel {
  /** Model or LoRA adapter, as the model servers know it. */
  name: string;
  /**
   * 0 to 1,000,000: the share is weight divided by the sum of weights. All targets have one or none has. A model
   * whose targets all have 0 is reserved: its requests are answered with an error.
   */
  weight?: number;
}

/** A pool that an LLMService uses. */
export interface PoolReference {
  /** Default `LLMServerPool`. */
  kind?: PoolKind;
  /** Default: the namespace of the LLMService. A pool admits other namespaces by `allowedNamespaces`. */
  namespace?: pulumi.Input<string>;
  name: pulumi.Input<string | undefined>;
}
