import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { PodGroupSpec, PodGroupStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.PodGroup;

/**
 * A PodGroup (`scheduling.volcano.sh/v1beta1`): pods that Volcano starts together or not at all. Pods name it
 * in their annotation `scheduling.k8s.io/group-name`. Create it before them. https://volcano.sh
 */
export class PodGroup extends TypedObject<typeof facts, PodGroupSpec, PodGroupStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** What the scheduler last reported; undefined before it has seen the object. `phase` does not tell readiness. */
  declare readonly status: pulumi.Output<PodGroupStatus | undefined>;

  constructor(name: string, args?: PodGroupArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type PodGroupArgs = ObjectArgs<PodGroupSpec>;
