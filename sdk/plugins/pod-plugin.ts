import { isDnsLabel } from "../../kubernetes/values/dns-label.ts";
import type { HookRequest } from "./hook-request.ts";

/** Version of the interface between this project and plugins. */
export const podPluginVersion = "v1alpha1";

/** Hooks that are reserved for later versions. Plugins may not define them. */
export const reservedHooks = [
  "onPodDelete",
  "onServiceCreate",
  "onRoleCreate",
  "onServingGroupCreate",
] as const;

/**
 * Part of a zod 4 schema that this library uses. A program can compile against this library without zod's declarations,
 * and with any copy of zod.
 */
export interface ConfigSchema<Config = unknown> {
  readonly _zod: { readonly output: Config };
  parse(value: unknown): unknown;
}

/** Plugin that customises pods. Its hooks must be deterministic and idempotent; the plan checks both. */
export interface PodPlugin {
  /** Name of the plugin, as in `plugins[].name`: a DNS label. */
  readonly name: string;
  /** Version of the interface that the plugin is written for. Default: this version. */
  readonly version?: typeof podPluginVersion;
  /** Schema of `plugins[].config`. */
  readonly config: ConfigSchema;
  /**
   * Stage at which `onPodCreate` runs. template (default): in the plan, on the template that all pods of a role share,
   * so that the preview shows the changes. pod: in the cluster, on each pod that is created, with its serving group and
   * role index.
   */
  readonly per?: "template" | "pod";
  /**
   * Changes `request.pod` in place. It rejects a pod by throwing an error; a {@link PluginRefusal} also contains a fix.
   */
  onPodCreate?(request: HookRequest, config: unknown): void;
  /**
   * Called in the cluster each time a pod becomes ready, with the read-only pod. Called again if it throws an error.
   */
  onPodReady?(request: HookRequest, config: unknown): void | Promise<void>;
}

/** Plugin whose hooks receive the config as its schema parses it. */
export interface PodPluginDefinition<Config extends ConfigSchema>
  extends Omit<PodPlugin, "config"> {
  readonly config: Config;
  onPodCreate?(request: HookRequest, config: Config["_zod"]["output"]): void;
  onPodReady?(request: HookRequest, config: Config["_zod"]["output"]): void | Promise<void>;
}

/**
 * Checks and returns a pod plugin.
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
 * @throws TypeError for a name that is not a DNS label, another version of the interface, a reserved or unknown hook,
 * or a plugin without hooks
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
