import type * as pulumi from "@pulumi/pulumi";
import { multiClusterControllerName } from "../../sdk/names.ts";
import { planClusterSet, planClusterSetMember } from "../../sdk/plan/multi-cluster/cluster-set.ts";
import type { ClusterSetMemberSpec, ClusterSetSpec } from "../../sdk/spec/cluster-set.ts";
import { clusterSetMemberSpecKind, clusterSetSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "../arguments/read-args.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { ClusterSetArgs, ClusterSetMemberArgs } from "../generated/args.ts";
import { type NodesOf, one } from "../nodes/node-keys.ts";
import { programNodeKeys } from "../nodes/program-node-keys.ts";

/** Keys of the children of a ClusterSet. */
const setNodeKeys = {
  controller: { ...programNodeKeys(), configMap: one("ConfigMap") },
} as const;

/** Resources of a ClusterSet, by purpose. */
export type ClusterSetNodes = NodesOf<typeof setNodeKeys>;

/**
 * Controller that creates imports of exported pools in every cluster of a set. It runs in a hub cluster, which should
 * not be a member. While the hub is unavailable, imports are not updated, but existing imports continue to work.
 *
 * ```ts
 * new ClusterSet("set", {
 *   metadata: { namespace: "inference-system" },
 *   members: [
 *     { name: "east", kubeconfigSecret: "east" },
 *     { name: "west", kubeconfigSecret: "west" },
 *   ],
 * }, { provider: hub });
 * ```
 */
export class ClusterSet extends PlannedComponent<typeof setNodeKeys, ReadArgs<ClusterSetSpec>> {
  static readonly __pulumiType = "inference:index:ClusterSet";

  /** Name under which the controller writes statuses. */
  declare readonly controllerName: pulumi.Output<string>;
  /** Namespace of the controller. */
  declare readonly namespace: pulumi.Output<string>;
  /**
   * Command that shows the controller. `pulumi up` does not wait for it, because it starts only when its Secrets exist.
   */
  declare readonly readiness: pulumi.Output<string>;

  /** @throws InvalidArgsError listing every problem of the arguments */
  constructor(name: string, args: ClusterSetArgs, opts: ComponentOptions<typeof setNodeKeys> = {}) {
    super(ClusterSet.__pulumiType, name, opts, {
      parse: () => readArgs(clusterSetSpecKind, name, args),
      plan: (set) => planClusterSet(set, { runtimeImage: stackSetting("image") }),
      nodeKeys: setNodeKeys,
      outputs: {
        controllerName: ({ args: { spec } }) => spec.controllerName,
        readiness: unawaited,
      },
    });
  }
}

/** Keys of the children of a ClusterSetMember. */
const memberNodeKeys = {
  serviceAccount: one("ServiceAccount"),
  clusterRole: one("ClusterRole"),
  clusterRoleBinding: one("ClusterRoleBinding"),
  /** Secret with a long-lived token, with `token`. */
  token: one("Secret"),
} as const;

/** Resources of a ClusterSetMember, by purpose. */
export type ClusterSetMemberNodes = NodesOf<typeof memberNodeKeys>;

/**
 * ServiceAccount and permissions of a set's controller in a member. Create one in each cluster of the set.
 *
 * ```ts
 * new ClusterSetMember("east", { metadata: { namespace: "inference-system" } }, { provider: east });
 * ```
 */
export class ClusterSetMember extends PlannedComponent<
  typeof memberNodeKeys,
  ReadArgs<ClusterSetMemberSpec>
> {
  static readonly __pulumiType = "inference:index:ClusterSetMember";

  /** Name of the ServiceAccount that the controller uses. */
  declare readonly serviceAccountName: pulumi.Output<string>;
  /** Namespace of the ServiceAccount. */
  declare readonly namespace: pulumi.Output<string>;

  /** @throws InvalidArgsError listing every problem of the arguments */
  constructor(
    name: string,
    args: ClusterSetMemberArgs = {},
    opts: ComponentOptions<typeof memberNodeKeys> = {},
  ) {
    super(ClusterSetMember.__pulumiType, name, opts, {
      parse: () => readArgs(clusterSetMemberSpecKind, name, args),
      plan: planClusterSetMember,
      nodeKeys: memberNodeKeys,
      outputs: { serviceAccountName: () => multiClusterControllerName },
    });
  }
}
