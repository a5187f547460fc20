import type * as pulumi from "@pulumi/pulumi";
import { planClusterSet, planClusterSetMember } from "../../sdk/plan/controllers/cluster-set.ts";
import type { ClusterSetMemberSpec, ClusterSetSpec } from "../../sdk/spec/cluster-set.ts";
import { multiClusterControllerName } from "../../sdk/topology/names.ts";
import { clusterSetMemberSpecKind, clusterSetSpecKind } from "../../sdk/validate/cluster-set.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { ClusterSetArgs, ClusterSetMemberArgs } from "../generated/args.ts";
import { type NodesOf, one } from "../places.ts";
import { programPlaces } from "../program-places.ts";
import { type ReadArgs, readArgs, stackSetting } from "../read-args.ts";

/** Places of the children of a ClusterSet. */
const setPlaces = { controller: programPlaces() } as const;

/** The resources of a ClusterSet, by what they are for. */
export type ClusterSetNodes = NodesOf<typeof setPlaces>;

/**
 * The controller that makes imports of exported pools in every cluster of a set. It runs in a hub, which should be no
 * member: while the hub is gone nothing changes, and what is imported goes on.
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
export class ClusterSet extends PlannedComponent<typeof setPlaces, ReadArgs<ClusterSetSpec>> {
  static readonly __pulumiType = "inference:index:ClusterSet";

  /** The name under which statuses are written. */
  declare readonly controllerName: pulumi.Output<string>;
  /** Namespace of the controller. */
  declare readonly namespace: pulumi.Output<string>;
  /** Which command shows the controller; `pulumi up` does not wait for it, since it starts when its Secrets are there. */
  declare readonly readiness: pulumi.Output<string>;

  /** @throws InvalidArgsError with every problem of the arguments */
  constructor(name: string, args: ClusterSetArgs, opts: ComponentOptions<typeof setPlaces> = {}) {
    super(ClusterSet.__pulumiType, name, opts, {
      parse: () => readArgs(clusterSetSpecKind, name, args),
      plan: (set) => planClusterSet(set, { runtimeImage: stackSetting("image") }),
      places: setPlaces,
      outputs: {
        controllerName: ({ args: { spec } }) => spec.controllerName,
        readiness: unawaited,
      },
    });
  }
}

/** Places of the children of a ClusterSetMember. */
const memberPlaces = {
  serviceAccount: one("ServiceAccount"),
  clusterRole: one("ClusterRole"),
  clusterRoleBinding: one("ClusterRoleBinding"),
  /** The Secret with a lasting token, with `token`. */
  token: one("Secret"),
} as const;

/** The resources of a ClusterSetMember, by what they are for. */
export type ClusterSetMemberNodes = NodesOf<typeof memberPlaces>;

/** What the controller of a set may do in a member, and as whom: once for each cluster of the set. */
export class ClusterSetMember extends PlannedComponent<
  typeof memberPlaces,
  ReadArgs<ClusterSetMemberSpec>
> {
  static readonly __pulumiType = "inference:index:ClusterSetMember";

  /** Name of the ServiceAccount as which the controller comes. */
  declare readonly serviceAccountName: pulumi.Output<string>;
  /** Namespace of the ServiceAccount. */
  declare readonly namespace: pulumi.Output<string>;

  /** @throws InvalidArgsError with every problem of the arguments */
  constructor(
    name: string,
    args: ClusterSetMemberArgs = {},
    opts: ComponentOptions<typeof memberPlaces> = {},
  ) {
    super(ClusterSetMember.__pulumiType, name, opts, {
      parse: () => readArgs(clusterSetMemberSpecKind, name, args),
      plan: planClusterSetMember,
      places: memberPlaces,
      outputs: { serviceAccountName: () => multiClusterControllerName },
    });
  }
}
