import type * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { Problem } from "../../sdk/errors.ts";
import { servingReadiness } from "../../sdk/plan/readiness-text.ts";
import { planModelServing } from "../../sdk/plan/workloads/model-serving.ts";
import type { PluginReport } from "../../sdk/plan/workloads/pod-plugins.ts";
import type { ModelServingSpec } from "../../sdk/spec/model-serving.ts";
import { modelServingSpecKind, withWrittenTemplates } from "../../sdk/validate/model-serving.ts";
import { refusing } from "../arguments/invalid-args.ts";
import { placed, type ReadArgs, readArgs } from "../arguments/read-args.ts";
import { warnAdvice } from "../arguments/warn-advice.ts";
import { inNamespace } from "../base/namespace.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent } from "../component-resource.ts";
import type { ModelServingArgs } from "../generated/args.ts";
import { all, type NodesOf, one } from "../nodes/node-keys.ts";
import { logPluginReports, podPluginSupport } from "../pod-plugin-support.ts";

const nodeKeys = {
  /** PodGroups, one per serving group. */
  podGroups: all(["PodGroup"]),
  /** LeaderWorkerSets, in the order of the serving groups and their roles. */
  workloads: all(["LeaderWorkerSet"]),
  /** NetworkPolicy of all pods, unless it is disabled. */
  networkPolicy: one("NetworkPolicy"),
} as const;

/** Resources of a ModelServing. */
export type ModelServingNodes = NodesOf<typeof nodeKeys>;

/** Validated arguments and the planned objects. */
interface PlannedServing extends ReadArgs<ModelServingSpec> {
  readonly manifests: readonly Manifest[];
}

/**
 * Serving groups of Kthena's ModelServing, on LeaderWorkerSet and Volcano. Each serving group gets a PodGroup, and one
 * LeaderWorkerSet per role, with one group for each instance of the role. Kthena's controllers are not required.
 *
 * ```ts
 * new ModelServing("llama-8b", {
 *   replicas: 2,
 *   plugins: [{ name: "nvidia-gpu-defaults", config: { runtimeClassName: "nvidia", gpuCount: 1 } }],
 *   template: {
 *     roles: [
 *       {
 *         name: "inference",
 *         entryTemplate: { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.32.0" }] } },
 *       },
 *     ],
 *   },
 * });
 * ```
 */
export class ModelServing extends PlannedComponent<typeof nodeKeys, PlannedServing> {
  static readonly __pulumiType = "inference:index:ModelServing";

  /** `metadata.name`: the prefix of every object's name. */
  declare readonly servingName: pulumi.Output<string>;
  /** Namespace of the objects. */
  declare readonly namespace: pulumi.Output<string>;
  /** Command that shows the LeaderWorkerSets. `pulumi up` does not wait for them. */
  declare readonly readiness: pulumi.Output<string>;

  /**
   * @param name logical name; also the serving's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(name: string, args: ModelServingArgs, opts: ComponentOptions<typeof nodeKeys> = {}) {
    const reports: PluginReport[] = [];
    const advice: Problem[] = [];
    const podPlugins = podPluginSupport(opts.podPlugins);
    super(ModelServing.__pulumiType, name, opts, {
      parse() {
        const read = readArgs(modelServingSpecKind(podPlugins), name, args);
        const serving = placed(withWrittenTemplates(read, args), read.namespace);
        const options = {
          podPlugins,
          onPluginApplied: (report: PluginReport) => reports.push(report),
          onAdvice: (problem: Problem) => advice.push(problem),
        };
        return { ...serving, manifests: refusing(() => planModelServing(serving, options)) };
      },
      plan({ manifests }, component) {
        logPluginReports(component, reports);
        warnAdvice(component, `ModelServing "${name}"`, advice);
        return manifests;
      },
      nodeKeys,
      outputs: {
        servingName: ({ args: { metadata } }) => metadata.name,
        readiness: ({ args: { metadata }, namespace }) =>
          inNamespace(servingReadiness(metadata), namespace),
      },
    });
  }
}
