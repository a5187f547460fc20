import type * as pulumi from "@pulumi/pulumi";
import {
  debugReaderName,
  metricsReaderName,
  podPluginConfigurationName,
  podPluginWebhookName,
} from "../sdk/names.ts";
import { planControllers } from "../sdk/plan/controllers/controllers.ts";
import type { ControllersSpec } from "../sdk/spec/controllers.ts";
import { controllersSpecKind } from "../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "./arguments/read-args.ts";
import type { ComponentOptions } from "./child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "./component-resource.ts";
import type { InferenceControllersArgs } from "./generated/args.ts";
import { all, type NodeKey, type NodesOf, named, one } from "./nodes/node-keys.ts";
import { programNodeKeys } from "./nodes/program-node-keys.ts";

const ofWebhook: NodeKey["takes"] = ({ name }) =>
  name === podPluginConfigurationName || name.includes(podPluginWebhookName);

/** Keys of the children of InferenceControllers. */
const nodeKeys = {
  /** Webhook that runs pod plugins, with `podPlugins`. */
  podPluginWebhook: {
    ...programNodeKeys(ofWebhook),
    /** Policies that restrict its writes to pods and to its configuration. */
    admissionPolicies: all(["ValidatingAdmissionPolicy"], ofWebhook),
    admissionPolicyBindings: all(["ValidatingAdmissionPolicyBinding"], ofWebhook),
    /** Registers the webhook with API servers. */
    configuration: one("MutatingWebhookConfiguration"),
  },
  /** Permissions of `metricsReaders`. */
  metricsReaders: {
    clusterRole: one(
      "ClusterRole",
      named(() => metricsReaderName),
    ),
    clusterRoleBinding: one(
      "ClusterRoleBinding",
      named(() => metricsReaderName),
    ),
  },
  /** Permissions of `debugReaders`. */
  debugReaders: {
    clusterRole: one(
      "ClusterRole",
      named(() => debugReaderName),
    ),
    clusterRoleBinding: one(
      "ClusterRoleBinding",
      named(() => debugReaderName),
    ),
  },
  statusController: {
    ...programNodeKeys(),
    /** Policy that restricts the pods that it may delete, with `recyclesPods`. */
    admissionPolicy: one("ValidatingAdmissionPolicy"),
    admissionPolicyBinding: one("ValidatingAdmissionPolicyBinding"),
  },
} as const;

/** Resources of InferenceControllers, by purpose. */
export type InferenceControllersNodes = NodesOf<typeof nodeKeys>;

/**
 * Controllers of a cluster, installed once for all of its stacks. The status controller writes the status of
 * InferenceServices, pools, LLMServices and model rewrites. Apart from statuses it changes nothing, except with
 * `recyclesPods`, which lets it delete failing pods of services that allow it. With `podPlugins`, a webhook also runs
 * pod plugins in the cluster.
 *
 * ```ts
 * const namespace = new k8s.core.v1.Namespace("inference-system");
 * new InferenceCrds("crds");
 * new InferenceControllers("controllers", { metadata: { namespace: namespace.metadata.name } });
 * ```
 */
export class InferenceControllers extends PlannedComponent<
  typeof nodeKeys,
  ReadArgs<ControllersSpec>
> {
  static readonly __pulumiType = "inference:index:InferenceControllers";

  /** Namespace of the controllers. */
  declare readonly namespace: pulumi.Output<string>;
  /** Text that lists what becomes ready only after `pulumi up` has returned, with the command that shows its state. */
  declare readonly readiness: pulumi.Output<string>;

  /** @throws InvalidArgsError listing every problem of the arguments */
  constructor(
    name: string,
    args: InferenceControllersArgs = {},
    opts: ComponentOptions<typeof nodeKeys> = {},
  ) {
    super(InferenceControllers.__pulumiType, name, opts, {
      parse: () => readArgs(controllersSpecKind, name, args),
      plan: (controllers) => planControllers(controllers, { runtimeImage: stackSetting("image") }),
      nodeKeys,
      outputs: { readiness: unawaited },
    });
  }
}
