import type { apps, core, policy, rbac } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { present } from "../../kubernetes/values/present.ts";
import { planClusterSet, planClusterSetMember } from "../../sdk/plan/controllers/cluster-set.ts";
import { clusterSetMemberSpecKind, clusterSetSpecKind } from "../../sdk/validate/cluster-set.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects, unawaited } from "../component.ts";
import type { Metadata } from "../inference-service-args.ts";
import type { NetworkPolicy } from "../network-policy-args.ts";
import type { ProgramPods } from "../program-pods-args.ts";
import { readArgs, stackSetting } from "../read-args.ts";

/** The arguments of a ClusterSet. */
export interface ClusterSetArgs extends ProgramPods {
  /** Namespace, labels and annotations. The namespace must exist; default `default`. The names are fixed. */
  metadata?: Metadata;
  /** At least one. */
  members: ClusterSetMemberRef[];
  /** Under which name statuses are written, `domain/path`. Two sets with members in common need two. */
  controllerName?: string;
  /** Whether clusters that export a pool import it as well. Default false. */
  importIntoExporters?: boolean;
  /** Exports of a member that is silent for so long are withdrawn, such as `10m`. Default never. */
  staleAfter?: string;
  /** How long an import is kept, without clusters, after its last export is withdrawn. Default `30s`. */
  drain?: string;
  /** What the controller takes of each member's API server. Defaults stand in docs/limits.md. */
  memberLimits?: MemberLimits;
  /** Pods of the controller; one leads, the others stand by. Default 1. */
  replicas?: number;
  /** Whether the controller's pages ask for a token that may read them; needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Who may open connections to the controller. Default: those who have to; see NetworkPolicy. */
  networkPolicy?: NetworkPolicy;
  /** Default: stack configuration `pulumi-inference:image`, else this project's image of this version. */
  image?: pulumi.Input<string>;
}

/** A cluster of a set, and the Secret by which the controller reaches it. */
export interface ClusterSetMemberRef {
  /** How imports name the cluster. A DNS label; another name is another cluster. */
  name: string;
  /** Secret beside the controller that holds a kubeconfig. */
  kubeconfigSecret: pulumi.Input<string>;
  /** Key of the Secret. Default `kubeconfig`. */
  key?: string;
  /** Default: the kubeconfig's current context. */
  context?: string;
  /** Pools that it may export. Default: any but those in the lists of other members; never in namespaces `kube-*`. */
  exports?: ExportGrant[];
  /** Most pools that it exports, the oldest first. Default 100. */
  maxExports?: number;
  /** CIDRs of its pods and gateways: importing pickers send requests nowhere else because of it. Default anywhere. */
  networks?: string[];
  /** Most model servers of a pool that its picker is believed to have. Default 1,000. */
  maxEndpoints?: number;
  /** Uid of its namespace kube-system. Default: the one that it says first. */
  uid?: string;
}

/** Pools that a member of a set may export. */
export interface ExportGrant {
  /** A namespace, or how namespaces begin: `ml-*`. */
  namespace: string;
  /** Names of pools, or how they begin: `llama-*`. Default all. */
  pools?: string[];
}

/** What the controller of a set takes of each member; sizes such as `32MiB`. */
export interface MemberLimits {
  /** Size of an answer of its API server, a page of a list among them. Default `16MiB`. */
  answerSize?: string;
  /** Size of an event of a watch. Default `4MiB`. */
  eventSize?: string;
  /** Size of what is kept of an object. Default `64KiB`. */
  objectSize?: string;
  /** Pages of a list. Default 1,000. */
  pages?: number;
  /** Time of all pages of a list. Default `120s`. */
  listTimeout?: string;
  /** InferencePools and imports, of each kind. Default 2,000. */
  pools?: number;
  /** HTTPRoutes to InferencePools. Default 5,000. */
  routes?: number;
  /** Gateways. Default 1,000. */
  gateways?: number;
  /** Objects of each other kind. Default 20,000. */
  objects?: number;
}

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

/** The arguments of a ClusterSetMember. */
export interface ClusterSetMemberArgs {
  /** Namespace, labels and annotations. The namespace must exist; default `default`. The names are fixed. */
  metadata?: Metadata;
  /** Whether a Secret with a lasting token is made, for a kubeconfig without an exec plugin. Default false. */
  token?: boolean;
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
