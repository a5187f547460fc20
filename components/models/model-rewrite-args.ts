import type * as pulumi from "@pulumi/pulumi";
import type { Metadata } from "../inference-service-args.ts";
import type { RewriteVersion } from "../vocabulary.ts";

/** The arguments of an InferenceModelRewrite. */
export interface InferenceModelRewriteArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** The pool, in the same namespace. */
  poolRef: InferencePoolReference;
  /** The first that matches a request is used. */
  rules: RewriteRule[];
  /**
   * Version that the cluster serves. Default: stack configuration `pulumi-inference:rewriteVersion`, else
   * `llm-d.ai/v1alpha2`. `discoverRewriteVersion` asks the cluster.
   */
  version?: RewriteVersion;
}

/** An InferencePool in the same namespace. */
export interface InferencePoolReference {
  name: pulumi.Input<string | undefined>;
}

/** Which models become which. */
export interface RewriteRule {
  /** Any of them. Left out or empty: every model; rules that name a model go first. */
  matches?: ModelMatch[];
  /** At least one. */
  targets: RewriteTarget[];
}

export interface ModelMatch {
  model: ModelNameMatch;
}

export interface ModelNameMatch {
  /** The `model` of a request. */
  value: string;
}

/** A share of a rule's requests. */
export interface RewriteTarget {
  /** Model that the servers are asked for. Rules are not chained. */
  modelRewrite: string;
  /** 1 to 1,000,000: the share is weight divided by the sum of weights. All targets have one or none has. */
  weight?: number;
}

/** The arguments of an InferenceObjective. */
export interface InferenceObjectiveArgs {
  /** Name, namespace, labels and annotations; requests name it in a header. Default: named like the resource. */
  metadata?: Metadata;
  /** The pool, in the same namespace. */
  poolRef: InferencePoolReference;
  /** Higher goes first; requests of a negative one are refused first while the pool is full. Default 0. */
  priority?: number;
}
