import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { LeaderWorkerSetSpec, LeaderWorkerSetStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.LeaderWorkerSet;

/**
 * A LeaderWorkerSet (`leaderworkerset.x-k8s.io/v1`): groups of pods, each a leader with its workers, that are
 * created, restarted and updated as a unit. https://lws.sigs.k8s.io
 *
 * A change of `subGroupPolicy` or `volumeClaimTemplates` replaces the object, since its controller refuses it;
 * the old object is deleted first, since its pods hold the accelerators.
 */
export class LeaderWorkerSet extends TypedObject<
  typeof facts,
  LeaderWorkerSetSpec,
  LeaderWorkerSetStatus
> {
  static readonly __pulumiType = resourceType(facts);

  /** What the controller last reported; undefined before it has seen the object. */
  declare readonly status: pulumi.Output<LeaderWorkerSetStatus | undefined>;

  constructor(name: string, args?: LeaderWorkerSetArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type LeaderWorkerSetArgs = ObjectArgs<LeaderWorkerSetSpec>;
