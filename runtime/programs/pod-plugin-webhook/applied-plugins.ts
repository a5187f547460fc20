import { isMap } from "../../../kubernetes/values/records.ts";
import { annotation } from "../../../sdk/topology/names.ts";

/** Plugins that the pods of a template are made by. */
export interface AppliedPlugins {
  /** `entry`, `worker`, or `all` where there is one template. */
  readonly pods: "entry" | "worker" | "all";
  /** Names, in their order. */
  readonly plugins: string;
  readonly hash: string;
}

/** What the templates of a LeaderWorkerSet say of their plugins. */
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
