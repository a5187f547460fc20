import { isDnsLabel } from "../../../kubernetes/values/dns-label.ts";
import { formatPath } from "../../errors.ts";
import type { Invariant } from "../../invariant.ts";
import type { PlacedEntry, PluginList } from "../../plugins/plugin-lists.ts";
import { isForRole, runsPerPod } from "../../plugins/plugin-lists.ts";
import { mostPluginBytes, runtimePlugins } from "../../plugins/plugins-file.ts";
import type { PodPluginSupport } from "../../plugins/registry.ts";
import { isInScope } from "../../plugins/scope.ts";
import { PodPluginEntry } from "../../spec/pod-plugin.ts";
import { wellFormed } from "../helpers/raw-spec.ts";

/** All plugin lists of a workload, as written, and the roles that the plugins can apply to. */
export interface WrittenPlugins {
  readonly lists: ReadonlyArray<PluginList<unknown>>;
  readonly roles: ReadonlyArray<{ readonly name: string; readonly hasWorkers: boolean }>;
  readonly support: PodPluginSupport;
}

const source = "ModelServing plugin framework: 'API changes'";

/** Returns the well-formed entries of all lists, in the order in which they run. */
export const entriesOf = ({ lists }: Pick<WrittenPlugins, "lists">): PlacedEntry[] =>
  lists.flatMap(({ path, role, entries }) =>
    wellFormed(PodPluginEntry, entries).map(({ index, value }) => ({
      entry: value,
      path: [...path, index],
      role,
    })),
  );

const pluginIsKnown: Invariant<WrittenPlugins> = {
  id: "plugin-is-known",
  title: "A built-in plugin exists, and a Webhook has a unique name",
  why: "A plugin that does not exist would silently never run.",
  source,
  code: "reference",
  *check(plugins) {
    const { registry, acceptsUnknown } = plugins.support;
    for (const { entry, path } of entriesOf(plugins)) {
      const isKnown = registry.has(entry.name);
      if (entry.type === "Webhook") {
        if (!isKnown && isDnsLabel(entry.name)) continue;
        yield {
          path: [...path, "name"],
          given: `is ${JSON.stringify(entry.name)}${isKnown ? ", which is not a Webhook" : ""}`,
          allowed: "lower-case letters, digits and dashes, and not the name of another plugin",
          fix: "Rename the Webhook.",
        };
      } else if (!isKnown && acceptsUnknown !== true) {
        yield {
          path: [...path, "name"],
          given: `is ${JSON.stringify(entry.name)}`,
          allowed: [...registry.keys()].join(", "),
          fix: "Choose one of these, or register your own plugin in the program.",
        };
      }
    }
  },
};

const pluginRolesExist: Invariant<WrittenPlugins> = {
  id: "plugin-roles-exist",
  title: "The scope of a plugin names roles that run an engine",
  why: "A plugin for a role that does not exist would silently never run.",
  source,
  code: "reference",
  *check(plugins) {
    const known = plugins.roles.map(({ name }) => name);
    for (const { entry, path, role } of entriesOf(plugins)) {
      const { roles } = entry.scope;
      if (roles === undefined) continue;
      if (role !== undefined) {
        yield {
          path: [...path, "scope", "roles"],
          given: `is set in the plugins of role ${JSON.stringify(role)}`,
          allowed: "no scope.roles here, because the list applies to this role only",
          fix: "Remove scope.roles, or move the plugin to the service's plugins.",
        };
        continue;
      }
      for (const [at, name] of roles.entries()) {
        if (known.includes(name)) continue;
        yield {
          path: [...path, "scope", "roles", at],
          given: `is ${JSON.stringify(name)}`,
          allowed: known.length > 0 ? known.join(", ") : "no role, because none runs an engine",
          fix: "Name a role that runs an engine.",
        };
      }
    }
  },
};

const pluginTargetExists: Invariant<WrittenPlugins> = {
  id: "plugin-target-exists",
  title: "A plugin with target Worker applies to roles with workers",
  why: "If every replica is a single pod, a plugin for workers would silently never run.",
  source,
  code: "reference",
  *check(plugins) {
    for (const { entry, path, role } of entriesOf(plugins)) {
      if (entry.scope.target !== "Worker") continue;
      const covered = plugins.roles.filter(
        ({ name }) =>
          (role === undefined || role === name) && (entry.scope.roles?.includes(name) ?? true),
      );
      if (covered.length === 0 || covered.some(({ hasWorkers }) => hasWorkers)) continue;
      yield {
        path: [...path, "scope", "target"],
        given: `is Worker, but the replicas of ${covered.map(({ name }) => name).join(", ")} are single pods`,
        allowed: "Entry or All, because a single pod is an entry",
        fix: "Set target to Entry or All.",
      };
    }
  },
};

const pluginsApplyOnce: Invariant<WrittenPlugins> = {
  id: "plugins-apply-once",
  title: "A plugin applies to a pod only once",
  why: "A plugin only fills in missing values, so the second entry would have no effect.",
  source,
  code: "name",
  *check(plugins) {
    const places = plugins.roles.flatMap(({ name, hasWorkers }) => [
      { roleName: name, isEntry: true },
      ...(hasWorkers ? [{ roleName: name, isEntry: false }] : []),
    ]);
    const entries = entriesOf(plugins);
    for (const [at, second] of entries.entries()) {
      const first = entries
        .slice(0, at)
        .find(
          (other) =>
            other.entry.name === second.entry.name &&
            places.some((place) => applies(other, place) && applies(second, place)),
        );
      if (first === undefined) continue;
      yield {
        path: [...second.path, "name"],
        given: `is ${JSON.stringify(second.entry.name)}, which ${formatPath(first.path)} already applies to some of the same pods`,
        allowed: "each plugin once per pod",
        fix: "Remove one of the two, or give them scopes that do not overlap.",
      };
    }
  },
};

const applies = ({ entry, role }: PlacedEntry, place: { roleName: string; isEntry: boolean }) =>
  (role === undefined || role === place.roleName) && isInScope(entry, place);

const webhookFieldsBelong: Invariant<WrittenPlugins> = {
  id: "plugin-webhook-belongs-to-type",
  title: "Plugins of type Webhook have a URL, and other plugins have none",
  why: "A Webhook without a URL cannot be called, and the URL of a built-in plugin would be ignored.",
  source,
  code: "conflict",
  *check(plugins) {
    for (const { entry, path } of entriesOf(plugins)) {
      const isWebhook = entry.type === "Webhook";
      if (isWebhook === (entry.webhook !== undefined)) continue;
      yield {
        path: [...path, "webhook"],
        given: isWebhook ? "is missing" : `is set, but type is ${entry.type}`,
        allowed: isWebhook
          ? "an object with url, because type is Webhook"
          : "no webhook, unless type is Webhook",
        fix: isWebhook ? "Add webhook.url." : "Remove webhook, or set type to Webhook.",
      };
    }
  },
};

const webhooksAreEnabled: Invariant<WrittenPlugins> = {
  id: "plugin-webhooks-are-enabled",
  title: "Plugins of type Webhook are enabled by the platform and call allowed URLs",
  why: "A webhook's response changes pods, so the platform decides which URLs may be called.",
  source:
    "ModelServing plugin framework: 'Future: support webhook- or WASM-based plugins with explicit allowlists'",
  code: "conflict",
  *check(plugins) {
    const { webhookUrls, acceptsUnknown } = plugins.support;
    for (const { entry, path } of entriesOf(plugins)) {
      if (entry.type !== "Webhook" || acceptsUnknown === true) continue;
      if (webhookUrls === undefined) {
        yield {
          path: [...path, "type"],
          given: "is Webhook",
          allowed: "BuiltIn, because plugins of type Webhook are not enabled",
          fix: "Enable Webhook plugins by listing the URLs that they may call.",
        };
      } else if (entry.webhook !== undefined && !isAllowedUrl(entry.webhook.url, webhookUrls)) {
        yield {
          path: [...path, "webhook", "url"],
          given: `is ${JSON.stringify(entry.webhook.url)}`,
          allowed: `an https URL under ${webhookUrls.join(", ") || "no URL, because the list is empty"}`,
          fix: "Use an allowed URL, or ask the platform's owners to add this one.",
        };
      }
    }
  },
};

/** Reports whether a URL is in the allowed list, or is below an entry that ends in a slash. */
export function isAllowedUrl(text: string, allowed: readonly string[]): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== "https:") return false;
  if (url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return allowed
    .filter((entry) => URL.canParse(entry))
    .map((entry) => new URL(entry).href)
    .some((entry) => url.href === entry || (entry.endsWith("/") && url.href.startsWith(entry)));
}

const podPluginsComeLast: Invariant<WrittenPlugins> = {
  id: "pod-plugins-come-last",
  title: "Plugins that run on each pod come after plugins that run on templates",
  why: "Plugins run in the order of the list, and a template is complete before pods are created from it.",
  source: "ModelServing plugin framework: 'Plugins execute in list order'",
  code: "conflict",
  *check(plugins) {
    let earlier: PlacedEntry | undefined;
    for (const placed of entriesOf(plugins)) {
      if (runsPerPod(placed.entry, plugins.support)) {
        earlier ??= placed;
      } else if (earlier !== undefined) {
        yield {
          path: placed.path,
          given: `runs on templates but comes after ${JSON.stringify(earlier.entry.name)}, which runs on each pod`,
          allowed: "first the plugins that run on templates, then those that run on each pod",
          fix: "Move it before that plugin. A service's plugins run before the plugins of its roles.",
        };
      }
    }
  },
};

const runTimePluginsFit: Invariant<WrittenPlugins> = {
  id: "runtime-plugins-fit",
  title:
    "The configuration of plugins that run in the cluster fits into an annotation of the LeaderWorkerSet",
  why: "The webhook reads the configuration from the annotation and needs no access to ConfigMaps. An object may have at most 256 KiB of annotations.",
  source: "Kubernetes: Annotations, 'the total size of annotations'",
  code: "count",
  *check(plugins) {
    for (const { name } of plugins.roles) {
      const reported = entriesOf(plugins).filter((placed) => isForRole(placed, name));
      const size = byteLength(JSON.stringify(runtimePlugins(reported, plugins.support)));
      if (size <= mostPluginBytes) continue;
      yield {
        path: ["plugins"],
        given: `of role ${JSON.stringify(name)} that run in the cluster take ${size} bytes as JSON`,
        allowed: `${mostPluginBytes} bytes`,
        fix: "Move large configuration to a ConfigMap that the plugin mounts, or to the plugin's endpoint.",
      };
    }
  },
};

const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Rules on `plugins` of a service or a ModelServing, and of its roles. */
export const podPluginRules: ReadonlyArray<Invariant<WrittenPlugins>> = [
  pluginIsKnown,
  pluginRolesExist,
  pluginTargetExists,
  pluginsApplyOnce,
  webhookFieldsBelong,
  webhooksAreEnabled,
  podPluginsComeLast,
  runTimePluginsFit,
];
