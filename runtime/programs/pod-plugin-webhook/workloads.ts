import { unlessAbsent } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { Collection } from "../../../kubernetes/cache/collection.ts";
import type { Change } from "../../../kubernetes/cache/object-cache.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { objectPath } from "../../../kubernetes/paths.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { annotation, kthenaLabel, label } from "../../../sdk/names.ts";
import { PluginsFile } from "../../../sdk/plugins/plugins-file.ts";
import { version } from "../../../sdk/version.ts";
import { describe } from "../../manager/log.ts";
import { type AppliedPlugins, appliedPlugins } from "./applied-plugins.ts";
import type { PluginOwner } from "./plugin-owner.ts";

/** The plugins and the owner of a LeaderWorkerSet. */
export interface WatchedWorkload {
  readonly uid: string;
  /** Plugins that its templates name. */
  readonly applied: readonly AppliedPlugins[];
  /** Plugins of its pods that run in the cluster. */
  readonly runTime: ReportedPlugins;
  /** InferenceService or ModelServing that the LeaderWorkerSet belongs to, if any. */
  readonly owner: PluginOwner | undefined;
}

/** The plugins in the annotation of a LeaderWorkerSet, or the reason that there are none. */
export type ReportedPlugins =
  | { readonly file: PluginsFile; readonly problem?: never }
  | { readonly file?: never; readonly problem: string };

export interface WorkloadsOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly onChange: (changes: readonly Change<WatchedWorkload>[]) => void;
  readonly onProblem: (problem: string) => void;
}

/** The LeaderWorkerSets of a cluster and their plugins, by `namespace/name`. */
export class Workloads extends Collection<WatchedWorkload> {
  readonly #client: WorkloadsOptions["client"];

  constructor(options: WorkloadsOptions) {
    super({
      ...options,
      kind: kinds.LeaderWorkerSet,
      read: watchedWorkload,
      onStale: () => {},
    });
    this.#client = options.client;
  }

  /** Reads the LeaderWorkerSet from the API server if the watch has not reported its plugins yet. */
  async pluginsOf(namespace: string, name: string): Promise<ReportedPlugins> {
    const seen = this.get(`${namespace}/${name}`);
    if (seen?.runTime.file !== undefined) return seen.runTime;
    const live = await this.#live(namespace, name);
    if (live !== undefined) return reportedPlugins(live);
    return { problem: `LeaderWorkerSet ${namespace}/${name} does not exist` };
  }

  /** Returns the uid, for events; undefined if the object does not exist. The watch may not have reported it yet. */
  async uidOf(namespace: string, name: string): Promise<string | undefined> {
    const seen = this.get(`${namespace}/${name}`);
    return seen?.uid ?? (await this.#live(namespace, name))?.metadata.uid;
  }

  #live(namespace: string, name: string): Promise<KubernetesObject | undefined> {
    const path = objectPath(kinds.LeaderWorkerSet, { namespace, name });
    return unlessAbsent(this.#client.request<KubernetesObject>("GET", path));
  }
}

function watchedWorkload(object: KubernetesObject): WatchedWorkload {
  const applied = appliedPlugins((object as { spec?: unknown }).spec);
  const { uid = "" } = object.metadata;
  return { uid, applied, runTime: reportedPlugins(object), owner: ownerOf(object) };
}

function ownerOf({ metadata: { namespace = "", labels = {} } }: KubernetesObject) {
  const { [label.service]: service, [kthenaLabel.name]: serving } = labels;
  if (service !== undefined) return { kind: "InferenceService", namespace, name: service } as const;
  return serving === undefined
    ? undefined
    : ({ kind: "ModelServing", namespace, name: serving } as const);
}

function reportedPlugins({ metadata }: KubernetesObject): ReportedPlugins {
  const { namespace, name, annotations } = metadata;
  const text = annotations?.[annotation.runtimePlugins];
  if (text === undefined) {
    return {
      problem: `LeaderWorkerSet ${namespace}/${name} has no annotation ${annotation.runtimePlugins}; older versions wrote a ConfigMap instead, which is not read: run pulumi up of its stack with the package of version ${version}`,
    };
  }
  try {
    const file = PluginsFile.parse(JSON.parse(text));
    if (file.workload.metadata.namespace === namespace) return { file };
    return {
      problem: `LeaderWorkerSet ${namespace}/${name} contains plugins of another namespace`,
    };
  } catch (error) {
    return {
      problem: `LeaderWorkerSet ${namespace}/${name}, annotation ${annotation.runtimePlugins} cannot be read (${describe(error)}): run pulumi up of its stack`,
    };
  }
}
