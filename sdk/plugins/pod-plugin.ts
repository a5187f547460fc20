import { isDnsLabel } from "../../kubernetes/values/dns-label.ts";
import type { HookRequest } from "./hook-request.ts";

/** Version of the interface between this project and plugins. */
export const podPluginVersion = "v1alpha1";

/** Hooks that a later version may have; until then no plugin may define them. */
export const reservedHooks = [
  "onPodDelete",
  "onServiceCreate",
  "onRoleCreate",
  "onServingGroupCreate",
] as const;

/**
 * A schema of zod 4, as far as programs that define plugins see it: compiling against this library needs no
 * declarations of zod, nor the same copy of it.
 */
export interface ConfigSchema<Config = unknown> {
  readonly _zod: { readonly output: Config };
  parse(value: unknown): unknown;
}

/**
 * What a pod goes through. Hooks are deterministic, and applying one twice is the same as applying it once; the plan
 * checks both.
 */
export interface PodPlugin {
  /** A DNS label; what `plugins[].name` says. */
  readonly name: string;
  /** Version of the interface that the plugin is written for. Default: this one. */
  readonly version?: typeof podPluginVersion;
  /** Schema of `plugins[].config`. */
  readonly config: ConfigSchema;
  /**
   * template (default): `onPodCreate` runs in the plan, on the template that all pods of a role share, and shows in the
   * preview. pod: it runs in the cluster, on each pod as it is created, and knows its serving group and role index.
   */
  readonly per?: "template" | "pod";
  /** Changes `request.pod` in place. To refuse it, throw; a {@link PluginRefusal} says what to do about it. */
  onPodCreate?(request: HookRequest, config: unknown): void;
  /** Called in the cluster, once each time a pod becomes ready, with the pod to read. Called again when it throws. */
  onPodReady?(request: HookRequest, config: unknown): void | Promise<void>;
}

/** A plugin whose hooks get the config as its schema reads it. */
export interface PodPluginDefinition<Config extends ConfigSchema>
  extends Omit<PodPlugin, "config"> {
  readonly config: Config;
  onPodCreate?(request: HookRequest, config: Config["_zod"]["output"]): void;
  onPodReady?(request: HookRequest, config: Config["_zod"]["output"]): void | Promise<void>;
}

/**
 * A pod plugin, checked.
 *
 * ```ts
 * const pullPolicy = definePodPlugin({
 *   name: "pull-policy",
 *   config: z.strictObject({ policy: z.enum(["Always", "IfNotPresent"]) }),
 *   onPodCreate({ pod }, { policy }) {
 *     for (const container of pod.spec.containers) container.imagePullPolicy ??= policy;
 *   },
 * });
 * ```
 *
 * @throws TypeError for a name that is not a DNS label, another version of the interface, a reserved or unknown hook, and
 * a plugin without any hook
 */
export function definePodPlugin<Config extends ConfigSchema>(
  definition: PodPluginDefinition<Config>,
): PodPlugin {
  const problem = problemOf(definition as unknown as PodPlugin);
  if (problem !== undefined) throw new TypeError(`pod plugin ${problem}`);
  return Object.freeze({ ...definition }) as unknown as PodPlugin;
}

const fields = ["name", "version", "config", "per", "onPodCreate", "onPodReady"];

function problemOf(plugin: PodPlugin): string | undefined {
  const { name, version = podPluginVersion } = plugin;
  const title = JSON.stringify(name);
  if (typeof name !== "string" || !isDnsLabel(name)) {
    return `${title}: name is ${title}; allowed: lower-case letters, digits and dashes, at most 63. Rename it.`;
  }
  if (version !== podPluginVersion) {
    return `${title}: version is ${JSON.stringify(version)}; allowed: ${podPluginVersion}. Write it for this version.`;
  }
  const unknown = Object.keys(plugin).filter((field) => !fields.includes(field));
  const reserved = unknown.find((field) => reservedHooks.some((hook) => hook === field));
  if (reserved !== undefined) {
    return `${title}: ${reserved} is reserved; allowed: onPodCreate, onPodReady. Remove it: no caller exists yet.`;
  }
  if (unknown.length > 0) {
    return `${title}: unknown field ${unknown.join(", ")}; allowed: ${fields.join(", ")}. Remove it.`;
  }
  if (plugin.onPodCreate === undefined && plugin.onPodReady === undefined) {
    return `${title}: has no hook; allowed: onPodCreate, onPodReady or both. Add one.`;
  }
  return undefined;
}
