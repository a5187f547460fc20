import type { z } from "zod";
import { knownTypes, pluginTypeOf } from "../plugins/index.ts";
import { isParserName, type ParserName, parserNames } from "../plugins/parsers.ts";
import { prefixCacheProducer } from "../plugins/producers/approx-prefix-cache-producer.ts";
import { precisePrefixCacheProducer } from "../plugins/producers/precise-prefix-cache-producer.ts";
import { tokenProducer, tokenSourceOf } from "../plugins/producers/token-producer.ts";
import { unscheduledType } from "../plugins/unscheduled.ts";
import type { PluginKind, PluginType, PrefixCacheNeed } from "../profiles/plugin.ts";
import { type ConfigProblem, pathText } from "./config-error.ts";
import { resolveDataLayer } from "./data-layer.ts";
import { resolveFlowControl } from "./flow-control.ts";
import { withoutOlderSpellings } from "./older-spellings.ts";
import type {
  ConfiguredPlugin,
  ConfiguredPrefixCache,
  ConfiguredProfile,
  PickerConfig,
} from "./picker-config.ts";
import type { EndpointPickerConfig } from "./schema.ts";
import { nearest } from "./spelling.ts";

/** Result of resolving a document. If there are problems, it has no configuration. */
export interface Resolution {
  readonly config: PickerConfig | undefined;
  readonly problems: readonly ConfigProblem[];
  /** Settings that the picker does not apply, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Resolves every reference of a document and fills in upstream's defaults: names, weights, a picker, a profile handler,
 * a default profile, producers and parsers.
 */
export function resolvePickerConfig(given: EndpointPickerConfig): Resolution {
  const { document, paths, warnings } = withoutOlderSpellings(given);
  const resolution = new Resolver(document, paths).resolve();
  return { ...resolution, warnings: [...warnings, ...resolution.warnings] };
}

type PluginSpec = EndpointPickerConfig["plugins"][number];

interface Entry {
  readonly name: string;
  readonly spec: PluginSpec;
  readonly path: string;
}

interface Scheduling extends Entry {
  readonly plugin: ConfiguredPlugin;
  readonly description: PluginType;
}

class Resolver {
  readonly #document: EndpointPickerConfig;
  readonly #paths: readonly string[];
  readonly #problems: ConfigProblem[] = [];
  readonly #warnings: string[] = [];
  readonly #entries = new Map<string, Entry>();
  /** The entries that take part in scheduling and have valid parameters. */
  readonly #scheduling = new Map<string, Scheduling>();
  /** Names of invalid plugins. References to them are not reported as further problems. */
  readonly #broken = new Set<string>();
  readonly #caches = new Map<string, ConfiguredPrefixCache>();

  constructor(document: EndpointPickerConfig, paths: readonly string[]) {
    this.#document = document;
    this.#paths = paths;
  }

  resolve(): Resolution {
    this.#collect();
    for (const entry of this.#entries.values()) this.#read(entry);
    for (const each of this.#scheduling.values()) this.#checkDeciders(each);
    const profiles = this.#profiles();
    const handler = this.#handler(profiles);
    const detector = this.#detector();
    const parsers = this.#parsers();
    const metrics = this.#metrics();
    const tokens = this.#tokens();
    const flowControl = this.#flowControl();
    this.#warnAboutGates();
    const config = {
      plugins: [...this.#scheduling.values()].map(({ plugin }) => plugin),
      ...{ profiles, handler, detector, parsers, metrics, tokens, flowControl },
      prefixCaches: this.#caches,
    };
    const problems = this.#problems;
    const warnings = this.#warnings;
    return { config: problems.length > 0 ? undefined : config, problems, warnings };
  }

  /** Collects the plugins by name. A plugin's default name is its type. */
  #collect(): void {
    this.#document.plugins.forEach((spec, at) => {
      const name = spec.name || spec.type;
      const path = this.#paths[at] as string;
      if (this.#entries.has(name)) this.#problem(path, `two plugins are named ${name}`);
      else this.#entries.set(name, { name, spec, path });
    });
  }

  #read(entry: Entry): void {
    const { name, spec, path } = entry;
    const { type, parameters } = spec;
    const scheduled = pluginTypeOf(type);
    if (scheduled !== undefined) {
      const given = this.#parse(scheduled.parameters, parameters, path);
      if (given === undefined) this.#broken.add(name);
      else this.#schedule(entry, scheduled, given);
      return;
    }
    const other = unscheduledType(type);
    if (other === undefined) {
      this.#problem(path, `type ${type} is unknown; ${meant(type)}`);
      this.#broken.add(name);
    } else if (other.part === "unsupported") {
      this.#problem(path, `${type} is not supported: ${other.instead}`);
      this.#broken.add(name);
    } else if (other.part === "lost") this.#warnOnce(`${type} is omitted: ${other.instead}`);
    else if (isPrefixCacheProducer(type)) this.#cache(entry);
    for (const problem of other?.problems?.(parameters ?? {}) ?? []) this.#problem(path, problem);
    for (const warning of other?.warnings?.(parameters ?? {}) ?? [])
      this.#warnings.push(`${path}: ${warning}`);
  }

  #schedule(entry: Entry, description: PluginType, parameters: unknown): void {
    const { name, path, spec } = entry;
    const reads = description.prefixCache?.(parameters);
    const prefixCache = reads && this.#cacheFor(reads, path);
    for (const warning of description.warnings?.(parameters) ?? [])
      this.#warnings.push(`${path}: ${warning}`);
    const plugin = { name, type: spec.type, parameters, prefixCache };
    this.#scheduling.set(name, { ...entry, description, plugin });
  }

  #checkDeciders({ description, plugin, path }: Scheduling): void {
    for (const name of description.deciders?.(plugin.parameters) ?? []) {
      const isDecider = this.#scheduling.get(name)?.description.kinds.includes("decider");
      if (!isDecider && !this.#broken.has(name))
        this.#problem(path, `${name} is not a decider among the plugins`);
    }
  }

  /** Returns the name of the cache that a plugin reads. */
  #cacheFor({ producer, precise }: PrefixCacheNeed, path: string): string {
    const field = `${path}.parameters.prefixMatchInfoProducerName`;
    const named = this.#entries.get(producer ?? "");
    if (named !== undefined && !isPrefixCacheProducer(named.spec.type))
      this.#problem(field, `${producer} is not a prefix cache producer`);
    else if (producer && named === undefined && !isPrefixCacheProducer(producer))
      this.#problem(field, this.#noPlugin(producer));
    const first = [...this.#entries.values()].find(({ spec: { type } }) =>
      precise === undefined
        ? isPrefixCacheProducer(type)
        : type === precisePrefixCacheProducer.type,
    );
    const entry = named ?? (producer ? undefined : first);
    if (entry !== undefined) return this.#cache(entry);
    const type = precise === undefined ? prefixCacheProducer.type : precisePrefixCacheProducer.type;
    const implied = producer || type;
    if (precise !== undefined) {
      const parameters = precisePrefixCacheProducer.parameters.parse(precise);
      this.#keep(implied, { kind: "precise", parameters });
    } else if (!this.#caches.has(implied)) this.#cache({ name: implied, spec: { type }, path });
    return implied;
  }

  /** Registers the cache of a producer, and reads its parameters once. */
  #cache({ name, spec, path }: Pick<Entry, "name" | "path"> & { spec: PluginSpec }): string {
    if (this.#caches.has(name)) return name;
    if (spec.type === precisePrefixCacheProducer.type) {
      const schema = precisePrefixCacheProducer.parameters;
      const parameters = this.#parse(schema, spec.parameters, path) ?? schema.parse({});
      this.#keep(name, { kind: "precise", parameters });
    } else {
      const schema = prefixCacheProducer.parameters;
      const parameters = this.#parse(schema, spec.parameters, path) ?? schema.parse({});
      this.#keep(name, { kind: "approximate", parameters });
    }
    return name;
  }

  /** Registers a cache. Only one cache may read the KV events of engines. */
  #keep(name: string, cache: ConfiguredPrefixCache): void {
    const isSecond =
      cache.kind === "precise" && [...this.#caches.values()].some(({ kind }) => kind === "precise");
    if (isSecond && !this.#caches.has(name))
      this.#problem("plugins", `at most one ${precisePrefixCacheProducer.type} is allowed`);
    this.#caches.set(name, this.#caches.get(name) ?? cache);
  }

  /** Returns the source of tokens. Only a cache that reads KV events needs a source of tokens. */
  #tokens(): PickerConfig["tokens"] {
    const entry = [...this.#entries.values()].find(({ spec }) => spec.type === tokenProducer.type);
    const schema = tokenProducer.parameters;
    const given = entry && this.#parse(schema, entry.spec.parameters, entry.path);
    if ([...this.#caches.values()].some(({ kind }) => kind === "precise"))
      return tokenSourceOf(given ?? schema.parse({}));
    if (given?.vllm !== undefined)
      this.#warnings.push(
        `${entry?.path}: tokens are estimated by length; vllm is asked only for a precise-prefix-cache-producer`,
      );
    return undefined;
  }

  #profileNames(): string[] {
    const { schedulingProfiles } = this.#document;
    return schedulingProfiles.length > 0 ? schedulingProfiles.map(({ name }) => name) : ["default"];
  }

  #profiles(): ConfiguredProfile[] {
    const { schedulingProfiles } = this.#document;
    if (schedulingProfiles.length === 0) {
      const refs = [...this.#scheduling.values()]
        .filter(({ description }) => profileKinds.some((kind) => description.kinds.includes(kind)))
        .map(({ name }) => ({ pluginRef: name, path: "plugins" }));
      return [this.#profile("default", "plugins", refs)];
    }
    const names = this.#profileNames();
    return schedulingProfiles.map(({ name, plugins }, at) => {
      const path = `schedulingProfiles[${at}]`;
      if (names.indexOf(name) !== at)
        this.#problem(`${path}.name`, `two profiles are named ${name}`);
      return this.#profile(
        name,
        path,
        plugins.map((plugin, index) => ({ ...plugin, path: `${path}.plugins[${index}]` })),
      );
    });
  }

  #profile(
    name: string,
    path: string,
    refs: ReadonlyArray<{ pluginRef: string; weight?: number | undefined; path: string }>,
  ): ConfiguredProfile {
    const plugins = refs.flatMap(({ pluginRef, weight = 1, path }) => {
      if (!this.#entries.has(pluginRef))
        this.#problem(`${path}.pluginRef`, this.#noPlugin(pluginRef));
      const found = this.#scheduling.get(pluginRef);
      return found === undefined ? [] : [{ ...found, weight }];
    });
    const pickers = plugins.filter(({ description }) => description.kinds.includes("picker"));
    if (pickers.length > 1) this.#problem(path, `profile ${name} has more than one picker`);
    return {
      name,
      plugins: plugins.map(({ plugin, weight }) => ({ plugin, weight })),
      picker: pickers[0]?.plugin ?? this.#defaultPicker(),
    };
  }

  /** Returns the picker of a profile that lists none: the first picker among the plugins, or max-score-picker. */
  #defaultPicker(): ConfiguredPlugin {
    return this.#ofKind("picker")[0]?.plugin ?? byDefault("max-score-picker");
  }

  #handler(profiles: readonly ConfiguredProfile[]): ConfiguredPlugin {
    const handlers = this.#ofKind("profileHandler");
    const names = handlers.map(({ name }) => name).join(", ");
    if (handlers.length > 1)
      this.#problem("plugins", `at most one profile handler is allowed, found: ${names}`);
    if (handlers.length === 0 && profiles.length > 1 && this.#broken.size === 0)
      this.#problem("plugins", "several profiles need a profile handler, but none is listed");
    const [handler] = handlers;
    if (handler === undefined) return byDefault("single-profile-handler");
    const { description, plugin } = handler;
    if (description.single && profiles.length > 1)
      this.#problem("schedulingProfiles", `${names} runs one profile, not ${profiles.length}`);
    const missing = (description.profiles?.(plugin.parameters) ?? []).filter(
      (name) => !profiles.some((profile) => profile.name === name),
    );
    for (const name of missing)
      this.#problem("schedulingProfiles", `${names} runs profile ${name}, which is not defined`);
    return plugin;
  }

  #detector(): ConfiguredPlugin {
    const { flowControl, saturationDetector } = this.#document;
    const isOlder = flowControl?.saturationDetector === undefined;
    const given = isOlder ? saturationDetector : flowControl.saturationDetector;
    const name = given?.pluginRef || defaultDetector;
    const found = this.#scheduling.get(name);
    if (found?.description.kinds.includes("detector")) return found.plugin;
    const isImplied = name === defaultDetector && !this.#entries.has(name);
    if (!isImplied && !this.#broken.has(name))
      this.#problem(
        `${isOlder ? "" : "flowControl."}saturationDetector.pluginRef`,
        `${name} is not a saturation detector among the plugins`,
      );
    return byDefault(this.#flowControlGate ? defaultDetector : impliedDetector);
  }

  #parsers(): readonly ParserName[] {
    const { requestHandler, parser } = this.#document;
    const parsers = requestHandler?.parsers ?? [];
    if (parsers.length > 0)
      return parsers.flatMap((each, at) => this.#parser(each, `requestHandler.parsers[${at}]`));
    return parser === undefined ? parserNames : this.#parser(parser, "parser");
  }

  #parser({ pluginRef }: { readonly pluginRef: string }, path: string): ParserName[] {
    const type = this.#typeOf(pluginRef);
    if (isParserName(type)) return [type];
    if (this.#broken.has(pluginRef)) return [];
    this.#problem(
      `${path}.pluginRef`,
      `${type} is not a parser; known parsers: ${parserNames.join(", ")}`,
    );
    return [];
  }

  #metrics(): PickerConfig["metrics"] {
    return resolveDataLayer(this.#document.dataLayer ?? {}, {
      has: (name) => this.#entries.has(name),
      typeOf: (name) => this.#typeOf(name),
      parametersOf: (type, schema) => {
        const found = [...this.#entries.values()].find(({ spec }) => spec.type === type);
        const parsed = found && this.#parse(schema, found.spec.parameters, found.path);
        return parsed ?? schema.parse({});
      },
      problem: (path, message) => this.#problem(path, message),
      noPlugin: (name) => this.#noPlugin(name),
      warn: (warning) => this.#warnOnce(warning),
    });
  }

  get #flowControlGate(): boolean {
    return this.#document.featureGates.some((each) => /^flowControl(=true)?$/.test(each.trim()));
  }

  #flowControl(): PickerConfig["flowControl"] {
    if (!this.#flowControlGate) return undefined;
    return resolveFlowControl(this.#document.flowControl ?? {}, {
      problem: (path, message) => this.#problem(path, message),
      warn: (warning) => this.#warnOnce(warning),
      plugin: (name, { kind, called, byDefault: type }, path) => {
        const found = this.#scheduling.get(name || type);
        if (found?.description.kinds.includes(kind)) return found.plugin;
        const isImplied = (name || type) === type && !this.#entries.has(type);
        if (!isImplied && !this.#broken.has(name || type))
          this.#problem(path, `${name || type} refers to no ${called} among the plugins`);
        return byDefault(type);
      },
    });
  }

  #warnAboutGates(): void {
    const { saturationDetector: _, ...rest } = this.#document.flowControl ?? {};
    if (!this.#flowControlGate && Object.keys(rest).length > 0)
      this.#warnings.push(
        "flowControl is not used without featureGates: [flowControl]: requests are admitted without queues, sheddable ones refused while the pool is full",
      );
    // Older configurations open gates that upstream has closed since. They must not prevent a picker from starting.
    const others = this.#document.featureGates.filter((each) => !each.startsWith("flowControl"));
    for (const each of others) this.#warnings.push(`featureGates: ${each} has no effect`);
  }

  #ofKind(kind: PluginKind): Scheduling[] {
    return [...this.#scheduling.values()].filter(({ description }) =>
      description.kinds.includes(kind),
    );
  }

  #parse<T>(schema: z.ZodType<T>, given: unknown, path: string): T | undefined {
    const parsed = schema.safeParse(given ?? {});
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues)
      this.#problem(
        [`${path}.parameters`, pathText(issue.path)].filter((part) => part !== "").join("."),
        issue.message,
      );
    return undefined;
  }

  /** Returns a plugin's type, or the name itself if no plugin has it. */
  #typeOf(name: string): string {
    return this.#entries.get(name)?.spec.type ?? name;
  }

  #noPlugin(name: string): string {
    const names = [...this.#entries.keys()].join(", ") || "none";
    return `${name} is not a plugin; listed plugins: ${names}`;
  }

  #warnOnce(warning: string): void {
    if (!this.#warnings.includes(warning)) this.#warnings.push(warning);
  }

  #problem(path: string, message: string): void {
    this.#problems.push({ path, message });
  }
}

const isPrefixCacheProducer = (type: string): boolean =>
  type === prefixCacheProducer.type || type === precisePrefixCacheProducer.type;

const profileKinds: readonly PluginKind[] = ["filter", "scorer", "picker"];
const defaultDetector = "utilization-detector";
/** The default without flow control, if the configuration names no detector and does not list utilization-detector. */
const impliedDetector = "free-endpoint-detector";

/** Returns a plugin that is not listed, with default parameters. */
const byDefault = (type: string): ConfiguredPlugin => ({
  ...{ name: type, type },
  parameters: pluginTypeOf(type)?.parameters.parse({}),
});

function meant(type: string): string {
  const near = nearest(type, knownTypes);
  return near === undefined
    ? `known types: ${knownTypes.join(", ")}`
    : `did you mean ${near}? docs/endpoint-picker-plugins.md lists all`;
}
