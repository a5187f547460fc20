import { canonicalJson, digest } from "../../../kubernetes/values/canonical-json.ts";
import { annotation } from "../../../sdk/names.ts";
import {
  type ChainLink,
  checkChange,
  PodPluginError,
  runChain,
} from "../../../sdk/plugins/chain.ts";
import type {
  HookPod,
  HookRequest,
  HookWorkload,
  WorkloadIdentity,
} from "../../../sdk/plugins/hook-request.ts";
import type { PluginsFile, RunTimePlugin } from "../../../sdk/plugins/plugins-file.ts";
import { frozen } from "../../../sdk/plugins/pod-copy.ts";
import type { PodPlugin } from "../../../sdk/plugins/pod-plugin.ts";
import type { PodPluginRegistry } from "../../../sdk/plugins/registry.ts";
import { isInScope } from "../../../sdk/plugins/scope.ts";
import type { PodHook } from "../../../sdk/spec/pod-plugin.ts";
import { describe } from "../../manager/log.ts";
import { applyJsonPatch } from "./json-patch.ts";
import type { PodIdentity } from "./pod-identity.ts";
import { callWebhook, type WebhookGate } from "./webhook-call.ts";

/** Dependencies of the hooks. */
export interface HookRunner {
  /** Plugins whose code is in this process. */
  readonly registry: PodPluginRegistry;
  readonly gate: WebhookGate;
  /** Reads the workload from the API server. */
  readonly workloadOf: (workload: WorkloadIdentity) => Promise<HookWorkload>;
}

/** A failed plugin, and the effect on the pod. */
export interface HookFailure {
  readonly plugin: string;
  readonly message: string;
  /** Whether the pod is rejected. */
  readonly refuses: boolean;
}

export interface CreatedPod {
  readonly pod: HookPod;
  readonly failures: readonly HookFailure[];
}

/** Returns the plugins that run in the cluster on a hook of a pod, in order. */
export function pluginsFor(
  file: PluginsFile,
  hook: PodHook,
  identity: PodIdentity,
): RunTimePlugin[] {
  return file.plugins.filter(
    (plugin) =>
      plugin.runs.includes(hook) &&
      (plugin.role === undefined || plugin.role === identity.roleName) &&
      isInScope(plugin, identity),
  );
}

/** Returns the mark of a pod that was changed for this configuration. A mark copied from another pod differs. */
export const runMark = (podName: string, plugins: readonly RunTimePlugin[]): string =>
  digest(canonicalJson([podName, plugins])).slice(0, 16);

/** Runs the plugins on a pod and marks it, so that a second call changes nothing. Stops at the first refusal. */
export async function createPod(
  runner: HookRunner,
  file: PluginsFile,
  identity: PodIdentity,
  pod: HookPod,
  mark: string,
): Promise<CreatedPod> {
  const failures: HookFailure[] = [];
  const workload = await runner.workloadOf(file.workload);
  let current = pod;
  for (const plugin of pluginsFor(file, "OnPodCreate", identity)) {
    try {
      current = await changedBy(runner, plugin, requestOf(workload, identity, current));
    } catch (error) {
      const refuses = plugin.webhook?.failurePolicy !== "Ignore";
      failures.push({ plugin: plugin.name, message: reasonOf(error), refuses });
      if (refuses) return { pod, failures };
    }
  }
  const annotations = { ...current.metadata.annotations, [annotation.pluginsApplied]: mark };
  return { pod: { ...current, metadata: { ...current.metadata, annotations } }, failures };
}

/** @throws Error if the hook fails; the controller then retries it */
export async function podIsReady(
  runner: HookRunner,
  file: PluginsFile,
  identity: PodIdentity,
  pod: HookPod,
  plugin: RunTimePlugin,
): Promise<void> {
  const request = requestOf(await runner.workloadOf(file.workload), identity, pod);
  if (plugin.type === "Webhook") {
    await callWebhook(plugin, "OnPodReady", request, runner.gate);
    return;
  }
  const { code, config } = codeOf(runner, plugin);
  await code.onPodReady?.(frozen(request), config);
}

const requestOf = (
  modelServing: HookWorkload,
  identity: PodIdentity,
  pod: HookPod,
): HookRequest => ({
  modelServing,
  servingGroup: identity.servingGroup,
  roleName: identity.roleName,
  roleID: identity.roleID,
  isEntry: identity.isEntry,
  pod,
});

async function changedBy(
  runner: HookRunner,
  plugin: RunTimePlugin,
  request: HookRequest,
): Promise<HookPod> {
  if (plugin.type !== "Webhook") {
    const { code, config } = codeOf(runner, plugin);
    return runChain([linkOf(plugin, code, config)], request).pod;
  }
  const patch = await callWebhook(plugin, "OnPodCreate", request, runner.gate);
  const after = applyJsonPatch(request.pod, patch);
  checkChange(
    linkOf(plugin, { name: plugin.name } as PodPlugin, plugin.config),
    request,
    request.pod,
    after,
  );
  return after;
}

const linkOf = (entry: RunTimePlugin, plugin: PodPlugin, config: unknown): ChainLink => ({
  plugin,
  config,
  entry,
  path: ["plugins", entry.name],
});

function codeOf({ registry }: HookRunner, { name, config }: RunTimePlugin) {
  const code = registry.get(name);
  if (code === undefined) {
    throw new Error(
      `${name} is not among the plugins of this image; name its module in --plugin-modules`,
    );
  }
  return { code, config: code.config.parse(config ?? {}) };
}

const reasonOf = (error: unknown): string =>
  error instanceof PodPluginError
    ? `${error.problem.given}; allowed: ${error.problem.allowed}`
    : describe(error);
