import { isMap } from "../../../kubernetes/values/records.ts";
import { annotation } from "../../../sdk/names.ts";

/** Plugins that a pod template names. */
export interface AppliedPlugins {
  /** `all` if the LeaderWorkerSet has only one template. */
  readonly pods: "entry" | "worker" | "all";
  /** Names of the plugins, in the order in which they run. */
  readonly plugins: string;
  readonly hash: string;
}

/** Returns the plugins that the templates of a LeaderWorkerSet name. */
export function appliedPlugins(spec: unknown): AppliedPlugins[] {
  const group = isMap(spec) && isMap(spec.leaderWorkerTemplate) ? spec.leaderWorkerTemplate : {};
  const { leaderTemplate, workerTemplate } = group;
  return leaderTemplate === undefined
    ? markOf("all", workerTemplate)
    : [...markOf("entry", leaderTemplate), ...markOf("worker", workerTemplate)];
}

function markOf(pods: AppliedPlugins["pods"], template: unknown): AppliedPlugins[] {
  const metadata = isMap(template) && isMap(template.metadata) ? template.metadata : {};
  const annotations = isMap(metadata.annotations) ? metadata.annotations : {};
  const { [annotation.plugins]: plugins, [annotation.pluginsHash]: hash } = annotations;
  return typeof plugins === "string" && typeof hash === "string" ? [{ pods, plugins, hash }] : [];
}
