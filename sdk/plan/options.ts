import type { RewriteVersion } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import type { Problem } from "../errors.ts";
import type { PodPluginSupport } from "../plugins/registry.ts";
import type { StatusObjectMode } from "./status-object.ts";
import type { PluginReport } from "./workloads/pod-plugins.ts";

export interface PlanOptions {
  /** Image of every program whose spec names none. Default: this project's, of this version. */
  readonly runtimeImage?: string | undefined;
  /** Image of the decode sidecars whose roles name none. Default: this project's, of the sidecar's own version. */
  readonly sidecarImage?: string | undefined;
  /** Version of InferenceModelRewrite that the cluster serves. Default: the best, `llm-d.ai/v1alpha2`. */
  readonly rewriteVersion?: RewriteVersion | undefined;
  /** Whether the service has an object of its own kind, which carries its status. Default none. */
  readonly statusObject?: StatusObjectMode | undefined;
  /** Plugins that the spec may use. Default: the built-in ones. */
  readonly podPlugins?: PodPluginSupport | undefined;
  /** Called with what each plugin did to a template, as templates are planned. */
  readonly onPluginApplied?: ((template: PluginReport) => void) | undefined;
  /** Called with advice: what is allowed, and the author should know. */
  readonly onAdvice?: ((advice: Problem) => void) | undefined;
}
