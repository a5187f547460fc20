import type { RewriteVersion } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import type { Problem } from "../errors.ts";
import type { PodPluginSupport } from "../plugins/registry.ts";
import type { StatusObjectMode } from "./status-object.ts";
import type { PluginReport } from "./workloads/pod-plugins.ts";

export interface PlanOptions {
  /** Image of programs whose spec sets none. Default: this project's image, in this version. */
  readonly runtimeImage?: string | undefined;
  /** Image of decode sidecars whose roles set none. Default: this project's image with the sidecar's version. */
  readonly sidecarImage?: string | undefined;
  /** Version of InferenceModelRewrite that the cluster serves. Default: the preferred version, `llm-d.ai/v1alpha2`. */
  readonly rewriteVersion?: RewriteVersion | undefined;
  /** Whether to plan an object of the service's kind, which contains its status. Default: none. */
  readonly statusObject?: StatusObjectMode | undefined;
  /** Plugins that the spec may use. Default: the built-in ones. */
  readonly podPlugins?: PodPluginSupport | undefined;
  /** Receives the changes of each plugin to a pod template, while templates are planned. */
  readonly onPluginApplied?: ((template: PluginReport) => void) | undefined;
  /** Receives advice about valid settings that the author should know about. */
  readonly onAdvice?: ((advice: Problem) => void) | undefined;
}
