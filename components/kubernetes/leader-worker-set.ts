import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { LeaderWorkerSetSpec, LeaderWorkerSetStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.LeaderWorkerSet;

/**
 * LeaderWorkerSet (`leaderworkerset.x-k8s.io/v1`): groups of pods, each with a leader and its workers, that are
 * created, restarted and updated as a unit. https://lws.sigs.k8s.io
 *
 * A change of `subGroupPolicy` or `volumeClaimTemplates` replaces the object, because its controller rejects the
 * change. The old object is deleted first, because its pods occupy the accelerators.
 *
 * ```ts
 * new LeaderWorkerSet("qwen", {
 *   spec: {
 *     replicas: 2,
 *     leaderWorkerTemplate: {
 *       size: 4,
 *       workerTemplate: { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.32.0" }] } },
 *     },
 *     rolloutStrategy: { type: "RollingUpdate", rollingUpdateConfiguration: { maxUnavailable: 1 } },
 *   },
 * });
 * ```
 */
export class LeaderWorkerSet extends TypedObject<
  typeof facts,
  LeaderWorkerSetSpec,
  LeaderWorkerSetStatus
> {
  static readonly __pulumiType = resourceType(facts);

  /** Status last reported by the controller; undefined before the controller has reconciled the object. */
  declare readonly status: pulumi.Output<LeaderWorkerSetStatus | undefined>;

  constructor(name: string, args?: LeaderWorkerSetArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type LeaderWorkerSetArgs = ObjectArgs<LeaderWorkerSetSpec>;
