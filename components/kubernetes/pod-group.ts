import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { PodGroupSpec, PodGroupStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.PodGroup;

/**
 * PodGroup (`scheduling.volcano.sh/v1beta1`): pods that Volcano starts together or not at all. Pods refer to it in
 * their annotation `scheduling.k8s.io/group-name`. Create it before the pods. https://volcano.sh
 *
 * ```ts
 * new PodGroup("qwen", { spec: { minMember: 8, queue: "inference" } });
 * ```
 */
export class PodGroup extends TypedObject<typeof facts, PodGroupSpec, PodGroupStatus> {
  static readonly __pulumiType = resourceType(facts);

  /**
   * Status last reported by the scheduler; undefined before the scheduler has processed the object. `phase` does not
   * indicate readiness.
   */
  declare readonly status: pulumi.Output<PodGroupStatus | undefined>;

  constructor(name: string, args?: PodGroupArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type PodGroupArgs = ObjectArgs<PodGroupSpec>;
