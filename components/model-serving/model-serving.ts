import type { networking } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { servingReadiness } from "../../sdk/plan/readiness-text.ts";
import { planModelServing } from "../../sdk/plan/workloads/model-serving.ts";
import type { PluggedTemplate } from "../../sdk/plan/workloads/pod-plugins.ts";
import { modelServingSpecKind, withWrittenTemplates } from "../../sdk/validate/model-serving.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects } from "../component.ts";
import type { ModelServingArgs } from "../generated/args.ts";
import { refusing } from "../invalid-args.ts";
import type { LeaderWorkerSet } from "../kubernetes/leader-worker-set.ts";
import type { PodGroup } from "../kubernetes/pod-group.ts";
import { inNamespace } from "../namespace.ts";
import { podPluginSupport, sayPlugged } from "../pod-plugin-support.ts";
import { placed, readArgs } from "../read-args.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<ModelServing, ModelServingNodes>();

/** The resources of a ModelServing. */
export interface ModelServingNodes {
  /** Group by group. */
  readonly podGroups: readonly PodGroup[];
  /** In the order of the groups and their roles. */
  readonly leaderWorkerSets: readonly LeaderWorkerSet[];
  /** One for all pods, unless none is wanted. */
  readonly networkPolicies: readonly networking.v1.NetworkPolicy[];
}

/**
 * Serving groups of Kthena's ModelServing, on LeaderWorkerSet and Volcano: of each group a PodGroup, and of each of its
 * roles a LeaderWorkerSet whose groups are the role's instances. Kthena's controllers need not be there.
 *
 * ```ts
 * new ModelServing("llama-8b", {
 *   replicas: 2,
 *   plugins: [{ name: "nvidia-gpu-defaults", config: { runtimeClassName: "nvidia", gpuCount: 1 } }],
 *   template: {
 *     roles: [
 *       {
 *         name: "inference",
 *         entryTemplate: { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.11.0" }] } },
 *       },
 *     ],
 *   },
 * });
 * ```
 */
export class ModelServing extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:ModelServing";

  /** `metadata.name`: the prefix of every object's name. */
  declare readonly servingName: pulumi.Output<string>;
  /** Namespace of the objects. */
  declare readonly namespace: pulumi.Output<string>;
  /** Which command shows the LeaderWorkerSets; `pulumi up` does not wait for them. */
  declare readonly readiness: pulumi.Output<string>;

  /** Whether a value is a ModelServing, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is ModelServing {
    return isComponent(value, ModelServing.__pulumiType);
  }

  /**
   * @param name logical name, and the serving's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: ModelServingArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(ModelServing.__pulumiType, name, unknownOutputs, opts);
      return;
    }
    const plugged: PluggedTemplate[] = [];
    const podPlugins = podPluginSupport(opts.podPlugins);
    const read = readArgs(modelServingSpecKind(podPlugins), name, args);
    const serving = placed(withWrittenTemplates(read, args), read.namespace);
    const manifests = refusing(() =>
      planModelServing(serving, { podPlugins, onPlugged: (template) => plugged.push(template) }),
    );
    super(ModelServing.__pulumiType, name, serving.inputs, ownOptions(opts));

    sayPlugged(this, plugged);
    const children = makeObjects(this, name, serving, opts, manifests);
    nodes.set(this, {
      podGroups: children.all("PodGroup"),
      leaderWorkerSets: children.all("LeaderWorkerSet"),
      networkPolicies: children.all("NetworkPolicy"),
    });

    const outputs = {
      servingName: pulumi.output(serving.metadata.name),
      namespace: pulumi.output(serving.namespace),
      readiness: pulumi.output(inNamespace(servingReadiness(serving.metadata), serving.namespace)),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the serving, to read from or to depend on. Empty in one that is only referred to. */
  get nodes(): ModelServingNodes {
    return nodes.get(this) ?? { podGroups: [], leaderWorkerSets: [], networkPolicies: [] };
  }
}

const unknownOutputs = { servingName: undefined, namespace: undefined, readiness: undefined };
