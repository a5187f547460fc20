import { SpecError } from "../errors.ts";
import type { Manifest } from "../kubernetes/manifest.ts";
import { type ChainRun, type ChainStep, PodPluginError } from "../plugins/chain.ts";
import { runCheckedChain } from "../plugins/checked-chain.ts";
import type { HookPod, HookRequest, HookWorkload } from "../plugins/hook-request.ts";
import { entriesFor, type PluginList, runsPerPod, templateChain } from "../plugins/plugin-lists.ts";
import { pluginMark } from "../plugins/plugin-mark.ts";
import { pluginsFile, pluginsFileKey, runTimeHooks } from "../plugins/plugins-file.ts";
import { builtInSupport, type PodPluginSupport } from "../plugins/registry.ts";
import type { InferenceService } from "../spec/inference-service.ts";
import { inferenceServiceKind } from "../spec/inference-service-manifest.ts";
import type { PodPluginEntry } from "../spec/pod-plugin.ts";
import { isInferenceRole, type PodTemplate } from "../spec/role.ts";
import { label, pluginsConfigName } from "../topology/names.ts";
import { withCanonicalQuantities } from "./canonical-quantities.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/** The plugins of one workload, ready to run on its pods. */
export interface PlannedPlugins {
  readonly workload: HookWorkload;
  readonly lists: readonly PluginList[];
  readonly support: PodPluginSupport;
  /** Told what each plugin did to a template. */
  readonly onPlugged?: ((template: PluggedTemplate) => void) | undefined;
}

/** What of the options of a plan is about plugins. */
export interface PluginOptions {
  readonly podPlugins?: PodPluginSupport | undefined;
  readonly onPlugged?: PlannedPlugins["onPlugged"];
}

/** A template whose chain has run. */
export interface PluggedTemplate extends Omit<HookRequest, "pod"> {
  readonly steps: readonly ChainStep[];
}

/** Whose pods a template is for. */
export type TemplateIdentity = Pick<
  HookRequest,
  "servingGroup" | "roleName" | "roleID" | "isEntry"
>;

/**
 * A pod template as the chain of its plugins leaves it, marked with those that changed it. A template that no plugin is
 * for stays the very object that it is.
 *
 * @throws PodPluginError for the first plugin that fails
 */
export function pluggedTemplate(
  plugins: PlannedPlugins,
  identity: TemplateIdentity,
  template: PodTemplate,
): PodTemplate {
  const { workload, lists, support, onPlugged } = plugins;
  const perPod = entriesFor(lists, identity).filter(({ entry }) => runsPerPod(entry, support));
  const links = templateChain(lists, support, identity);
  if (entriesFor(lists, identity).length === 0) return template;

  const request = { modelServing: workload, ...identity };
  const run = runCheckedChain(links, { ...request, pod: podOf(template) });
  onPlugged?.({ ...request, steps: run.steps });
  const applied = [
    ...run.steps.filter(({ changes }) => changes.length > 0).map(({ link }) => link.entry),
    ...perPod.map(({ entry }) => entry),
  ];
  const called = calledFor(plugins, identity);
  if (applied.length === 0 && called === undefined) return template;
  return templateOf(run, pluginMark(applied), called, template);
}

/** Whether a pod is to be seen by the webhook or the controller in the cluster, and how much depends on it. */
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

/** The ConfigMap of the plugins that run in the cluster; none where all of them run in the plan. */
export function planPluginsConfig(
  context: PlanContext,
  plugins: PlannedPlugins | undefined,
): Manifest[] {
  const file = plugins && pluginsFile(plugins.workload, plugins.lists, plugins.support);
  if (file === undefined) return [];
  const { name } = file.workload.metadata;
  const labels = { [label.podPlugins]: "Config" };
  return [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: objectMeta(context, pluginsConfigName(name), labels),
      data: { [pluginsFileKey]: `${JSON.stringify(file, null, 2)}\n` },
    },
  ];
}

/** The plugins of a service, or undefined where it has none. */
export function pluginsOf(
  { metadata, spec }: InferenceService,
  { podPlugins = builtInSupport, onPlugged }: PluginOptions = {},
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
    workload: { ...inferenceServiceKind, metadata: { name, namespace } },
    lists,
    support: podPlugins,
    onPlugged,
  };
}

/** @throws SpecError in place of a PodPluginError */
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
