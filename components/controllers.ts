import type { admissionregistration, apps, core, rbac } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { present } from "../kubernetes/values/present.ts";
import { planControllers } from "../sdk/plan/controllers/controllers.ts";
import { controllersSpecKind } from "../sdk/validate/controllers.ts";
import { type ComponentOptions, ownOptions } from "./child-options.ts";
import { isComponent, makeObjects, unawaited } from "./component.ts";
import type { InferenceControllersArgs } from "./generated/args.ts";
import { readArgs, stackSetting } from "./read-args.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferenceControllers, InferenceControllersNodes>();

/** The resources of the controllers, by kind. */
export interface InferenceControllersNodes {
  readonly serviceAccount?: core.v1.ServiceAccount;
  readonly role?: rbac.v1.Role;
  readonly roleBinding?: rbac.v1.RoleBinding;
  readonly clusterRole?: rbac.v1.ClusterRole;
  readonly clusterRoleBinding?: rbac.v1.ClusterRoleBinding;
  readonly deployment?: apps.v1.Deployment;
  readonly service?: core.v1.Service;
  /** With `podPlugins`: where API servers are told of the webhook. Its other resources stand beside it. */
  readonly mutatingWebhookConfiguration?: admissionregistration.v1.MutatingWebhookConfiguration;
}

/**
 * The controllers of a cluster, once for all of its stacks: the status controller, which writes how InferenceServices,
 * pools, LLM services and model rewrites are doing. It reads what statuses are about and writes statuses, nothing else.
 * With `podPlugins`, also the webhook that runs pod plugins in the cluster.
 *
 * ```ts
 * const namespace = new k8s.core.v1.Namespace("inference-system");
 * new InferenceCrds("crds");
 * new InferenceControllers("controllers", { metadata: { namespace: namespace.metadata.name } });
 * ```
 */
export class InferenceControllers extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferenceControllers";

  /** What works only some time after `pulumi up`, which does not wait for it, and the command that shows it. */
  declare readonly readiness: pulumi.Output<string>;

  /** Whether a value is InferenceControllers, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferenceControllers {
    return isComponent(value, InferenceControllers.__pulumiType);
  }

  /** @throws InvalidArgsError with every problem of the arguments */
  constructor(name: string, args: InferenceControllersArgs = {}, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(InferenceControllers.__pulumiType, name, { readiness: undefined }, opts);
      return;
    }
    const controllers = readArgs(controllersSpecKind, name, args);
    super(InferenceControllers.__pulumiType, name, controllers.inputs, ownOptions(opts));

    const manifests = planControllers(controllers, { endpointPickerImage: stackSetting("image") });
    const children = makeObjects(this, name, controllers, opts, manifests);
    nodes.set(
      this,
      present({
        serviceAccount: children.one("ServiceAccount"),
        role: children.one("Role"),
        roleBinding: children.one("RoleBinding"),
        clusterRole: children.one("ClusterRole"),
        clusterRoleBinding: children.one("ClusterRoleBinding"),
        deployment: children.one("Deployment"),
        service: children.one("Service"),
        mutatingWebhookConfiguration: children.one("MutatingWebhookConfiguration"),
      }),
    );
    const outputs = { readiness: unawaited(manifests, controllers, controllers.namespace) };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the controllers. Empty in a component that is only referred to. */
  get nodes(): InferenceControllersNodes {
    return nodes.get(this) ?? {};
  }
}
