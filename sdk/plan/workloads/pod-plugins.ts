import { canonicalJson, digest } from "../../../kubernetes/values/canonical-json.ts";
import { SpecError } from "../../errors.ts";
import { annotation, label } from "../../names.ts";
import { type ChainRun, type ChainStep, PodPluginError } from "../../plugins/chain.ts";
import { runCheckedChain } from "../../plugins/checked-chain.ts";
import type { HookPod, HookRequest, HookWorkload } from "../../plugins/hook-request.ts";
import {
  entriesFor,
  entriesForRole,
  type PluginList,
  runsPerPod,
  templateChain,
} from "../../plugins/plugin-lists.ts";
import { pluginsFile, runTimeHooks } from "../../plugins/plugins-file.ts";
import { copyOf } from "../../plugins/pod-copy.ts";
import { builtInSupport, type PodPluginSupport } from "../../plugins/registry.ts";
import type { PodTemplate } from "../../schemas/pod-template.ts";
import type { InferenceService } from "../../spec/inference-service.ts";
import { inferenceServiceKind } from "../../spec/inference-service-manifest.ts";
import type { PodPluginEntry } from "../../spec/pod-plugin.ts";
import { isInferenceRole } from "../../spec/role.ts";
import { withCanonicalQuantities } from "../canonical-quantities.ts";

/** Plugins of one workload, ready to run on its pods. */
export interface PlannedPlugins {
  readonly workload: HookWorkload;
  readonly lists: readonly PluginList[];
  readonly support: PodPluginSupport;
  /** Receives the changes of the plugins to each template. */
  readonly onPluginApplied?: ((report: PluginReport) => void) | undefined;
}

/** Options of a plan that concern plugins. */
export interface PluginOptions {
  readonly podPlugins?: PodPluginSupport | undefined;
  readonly onPluginApplied?: PlannedPlugins["onPluginApplied"];
}

/** Changes of plugins to a template. */
export interface PluginReport extends Omit<HookRequest, "pod"> {
  readonly steps: readonly ChainStep[];
}

/** Workload and role of a template's pods. */
export type TemplateIdentity = Pick<
  HookRequest,
  "servingGroup" | "roleName" | "roleID" | "isEntry"
>;

/**
 * Returns a pod template after its plugins have run, with annotations that name the plugins that changed it. A template
 * without plugins is returned as the same object.
 *
 * @throws PodPluginError for the first plugin that fails
 */
export function templateWithPlugins(
  plugins: PlannedPlugins,
  identity: TemplateIdentity,
  template: PodTemplate,
): PodTemplate {
  const { workload, lists, support, onPluginApplied } = plugins;
  const perPod = entriesFor(lists, identity).filter(({ entry }) => runsPerPod(entry, support));
  const links = templateChain(lists, support, identity);
  if (entriesFor(lists, identity).length === 0) return template;

  const request = { modelServing: workload, ...identity };
  const run = runCheckedChain(links, { ...request, pod: podOf(template) });
  onPluginApplied?.({ ...request, steps: run.steps });
  const applied = [
    ...run.steps.filter(({ changes }) => changes.length > 0).map(({ link }) => link.entry),
    ...perPod.map(({ entry }) => entry),
  ];
  const called = calledFor(plugins, identity);
  if (applied.length === 0 && called === undefined) return template;
  return templateOf(run, pluginMark(applied), called, template);
}

/**
 * Returns the value of the label that sends a pod to the webhook or the controller in the cluster. `Fail` and `Ignore`
 * are failure policies for pod creation, `Ready` is for plugins that run on readiness only. Undefined if no plugin runs
 * in the cluster.
 */
function calledFor(
  { lists, support }: PlannedPlugins,
  identity: TemplateIdentity,
): string | undefined {
  const entries = entriesFor(lists, identity).map(({ entry }) => entry);
  const hooks = (entry: PodPluginEntry) => runTimeHooks(entry, support);
  const creating = entries.filter((entry) => hooks(entry).includes("OnPodCreate"));
  if (creating.length === 0) {
    return entries.some((entry) => hooks(entry).length > 0) ? "Ready" : undefined;
  }
  const mayFail = creating.every(({ webhook }) => webhook?.failurePolicy === "Ignore");
  return mayFail ? "Ignore" : "Fail";
}

/**
 * Returns the annotation of a LeaderWorkerSet that lists the plugins of its pods that run in the cluster. Empty if
 * there are none.
 */
export function runTimePluginsOf(
  plugins: PlannedPlugins | undefined,
  roleName: string,
): Record<string, string> {
  if (plugins === undefined) return {};
  const { workload, lists, support } = plugins;
  const file = pluginsFile(workload, entriesForRole(lists, roleName), support);
  return file === undefined ? {} : { [annotation.runtimePlugins]: JSON.stringify(file) };
}

/** Returns the plugins of a service; undefined if it has none. */
export function pluginsOf(
  { metadata, spec }: InferenceService,
  { podPlugins = builtInSupport, onPluginApplied }: PluginOptions = {},
): PlannedPlugins | undefined {
  const lists = [
    { path: ["plugins"], entries: spec.plugins ?? [] },
    ...spec.roles.flatMap((role, at) =>
      isInferenceRole(role) && role.plugins !== undefined
        ? [{ path: ["roles", at, "plugins"], role: role.name, entries: role.plugins }]
        : [],
    ),
  ];
  if (lists.every(({ entries }) => entries.length === 0)) return undefined;
  const { name, namespace } = metadata;
  return {
    workload: { ...inferenceServiceKind, metadata: { name, namespace }, spec: copyOf(spec) },
    lists,
    support: podPlugins,
    onPluginApplied,
  };
}

/** @throws SpecError instead of a PodPluginError */
export function refusingPods<T>(object: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (error instanceof PodPluginError) throw new SpecError(object, [error.problem]);
    throw error;
  }
}

const podOf = ({ metadata, spec }: PodTemplate): HookPod => ({
  metadata: {
    ...metadata,
    labels: { ...metadata?.labels },
    annotations: { ...metadata?.annotations },
  },
  spec,
});

function templateOf(
  { pod }: ChainRun,
  mark: Readonly<Record<string, string>>,
  called: string | undefined,
  before: PodTemplate,
): PodTemplate {
  const { annotations, ...rest } = pod.metadata;
  const labels = {
    ...pod.metadata.labels,
    ...(called === undefined ? {} : { [label.podPlugins]: called }),
  };
  const hasLabels = before.metadata?.labels !== undefined || Object.keys(labels).length > 0;
  return {
    metadata: {
      ...rest,
      ...(hasLabels ? { labels } : {}),
      annotations: { ...annotations, ...mark },
    },
    spec: withCanonicalQuantities(pod.spec),
  };
}

/**
 * Returns the annotations that name the plugins that changed a pod, with a digest of their configuration. The digest
 * excludes the scope and the list of a plugin, which only decide to which pods it applies.
 */
function pluginMark(applied: readonly PodPluginEntry[]): Record<string, string> {
  if (applied.length === 0) return {};
  return {
    [annotation.plugins]: applied.map(({ name }) => name).join(","),
    [annotation.pluginsHash]: pluginsHash(applied),
  };
}

/** Returns ten hexadecimal digits that depend on the configurations and their order. */
function pluginsHash(applied: readonly PodPluginEntry[]): string {
  return digest(canonicalJson(applied.map(({ scope: _, ...entry }) => entry))).slice(0, 10);
}
