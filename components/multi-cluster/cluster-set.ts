import type { apps, core, policy, rbac } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { present } from "../../kubernetes/values/present.ts";
import { planClusterSet, planClusterSetMember } from "../../sdk/plan/controllers/cluster-set.ts";
import { clusterSetMemberSpecKind, clusterSetSpecKind } from "../../sdk/validate/cluster-set.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects, unawaited } from "../component.ts";
import type { ClusterSetArgs, ClusterSetMemberArgs } from "../generated/args.ts";
import { readArgs, stackSetting } from "../read-args.ts";

/** The resources of a ClusterSet, by kind. */
export interface ClusterSetNodes {
  readonly serviceAccount?: core.v1.ServiceAccount;
  readonly role?: rbac.v1.Role;
  readonly roleBinding?: rbac.v1.RoleBinding;
  readonly configMap?: core.v1.ConfigMap;
  readonly deployment?: apps.v1.Deployment;
  /** With several controllers, or where one is asked for. */
  readonly podDisruptionBudget?: policy.v1.PodDisruptionBudget;
  readonly service?: core.v1.Service;
}

/** Not members: every property of a component becomes an output in the packages of other languages. */
const setNodes = new WeakMap<ClusterSet, ClusterSetNodes>();
const memberNodes = new WeakMap<ClusterSetMember, ClusterSetMemberNodes>();

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
export class ClusterSet extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:ClusterSet";

  /** Which command shows the controller; `pulumi up` does not wait for it, since it starts when its Secrets are there. */
  declare readonly readiness: pulumi.Output<string>;

  /** Whether a value is a ClusterSet, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is ClusterSet {
    return isComponent(value, ClusterSet.__pulumiType);
  }

  /** @throws InvalidArgsError with every problem of the arguments */
  constructor(name: string, args: ClusterSetArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(ClusterSet.__pulumiType, name, { readiness: undefined }, opts);
      return;
    }
    const set = readArgs(clusterSetSpecKind, name, args);
    super(ClusterSet.__pulumiType, name, set.inputs, ownOptions(opts));

    const manifests = planClusterSet(set, { endpointPickerImage: stackSetting("image") });
    const children = makeObjects(this, name, set, opts, manifests);
    setNodes.set(
      this,
      present({
        serviceAccount: children.one("ServiceAccount"),
        role: children.one("Role"),
        roleBinding: children.one("RoleBinding"),
        configMap: children.one("ConfigMap"),
        deployment: children.one("Deployment"),
        podDisruptionBudget: children.one("PodDisruptionBudget"),
        service: children.one("Service"),
      }),
    );
    const outputs = { readiness: unawaited(manifests, set, set.namespace) };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the set. Empty in one that is only referred to. */
  get nodes(): ClusterSetNodes {
    return setNodes.get(this) ?? {};
  }
}

/** The resources of a ClusterSetMember, by kind. */
export interface ClusterSetMemberNodes {
  readonly serviceAccount?: core.v1.ServiceAccount;
  readonly clusterRole?: rbac.v1.ClusterRole;
  readonly clusterRoleBinding?: rbac.v1.ClusterRoleBinding;
  readonly secret?: core.v1.Secret;
}

/** What the controller of a set may do in a member, and as whom: once for each cluster of the set. */
export class ClusterSetMember extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:ClusterSetMember";

  /** Whether a value is a ClusterSetMember, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is ClusterSetMember {
    return isComponent(value, ClusterSetMember.__pulumiType);
  }

  /** @throws InvalidArgsError with every problem of the arguments */
  constructor(name: string, args: ClusterSetMemberArgs = {}, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(ClusterSetMember.__pulumiType, name, {}, opts);
      return;
    }
    const member = readArgs(clusterSetMemberSpecKind, name, args);
    super(ClusterSetMember.__pulumiType, name, member.inputs, ownOptions(opts));

    const children = makeObjects(this, name, member, opts, planClusterSetMember(member));
    memberNodes.set(
      this,
      present({
        serviceAccount: children.one("ServiceAccount"),
        clusterRole: children.one("ClusterRole"),
        clusterRoleBinding: children.one("ClusterRoleBinding"),
        secret: children.one("Secret"),
      }),
    );
    this.registerOutputs({});
  }

  /** The resources of the member. Empty in one that is only referred to. */
  get nodes(): ClusterSetMemberNodes {
    return memberNodes.get(this) ?? {};
  }
}
