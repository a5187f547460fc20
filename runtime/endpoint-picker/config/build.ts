import type { z } from "zod";
import { defaultParsers, parserTypes } from "../payload/parser-types.ts";
import type { Plugin, PluginContext } from "../scheduling/plugin.ts";
import { pluginTypes } from "../scheduling/plugin-types.ts";
import type { PrefixCache } from "../scheduling/prefix-cache/prefix-cache.ts";
import { prefixCacheOf } from "../scheduling/prefix-cache/producer.ts";
import type { Profile } from "../scheduling/profile.ts";
import { ProfileScheduler } from "../scheduling/profile-scheduler.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { ConfigError, type ConfigProblem, pathText } from "./config-error.ts";
import {
  dataPlugins,
  ignoredPlugins,
  isLoud,
  type MetricsExtractorParameters,
  type MetricsSourceParameters,
  metricsExtractor,
  metricsSource,
  prefixCacheProducer,
  simplifiedPlugins,
} from "./other-plugins.ts";
import type { EndpointPickerConfig } from "./schema.ts";

/** What a configuration comes to. */
export interface BuiltConfig {
  readonly scheduler: Scheduler;
  /** Undefined where metrics are not to be read. */
  readonly metrics:
    | { readonly source: MetricsSourceParameters; readonly engines: MetricsExtractorParameters }
    | undefined;
  /** What the configuration asks for and does not get, one sentence each. */
  readonly warnings: readonly string[];
}

export interface BuildOptions {
  /** Milliseconds after which metrics are not believed. Default 2000. */
  readonly staleAfter?: number;
}

/**
 * Makes a scheduler of a configuration, with upstream's defaults for what it leaves out: names, weights, a picker, a
 * profile handler, a default profile, producers and parsers.
 * @param file named in errors
 * @throws ConfigError with every problem
 */
export function buildScheduler(
  config: EndpointPickerConfig,
  file: string,
  { staleAfter = 2000 }: BuildOptions = {},
): BuiltConfig {
  return new Builder(config, file).build(staleAfter);
}

type PluginSpec = EndpointPickerConfig["plugins"][number];

class Builder {
  readonly #config: EndpointPickerConfig;
  readonly #file: string;
  readonly #problems: ConfigProblem[] = [];
  readonly #warnings: string[] = [];
  readonly #specs = new Map<string, { spec: PluginSpec; path: string }>();
  readonly #plugins = new Map<string, Plugin>();
  readonly #building = new Set<string>();
  /** Names of plugins that are there and could not be made: what refers to them is not to blame. */
  readonly #broken = new Set<string>();
  readonly #caches = new Map<string, PrefixCache>();

  constructor(config: EndpointPickerConfig, file: string) {
    this.#config = config;
    this.#file = file;
  }

  build(staleAfter: number): BuiltConfig {
    this.#collect();
    for (const name of this.#specs.keys()) this.#plugin(name);
    const profiles = this.#profiles();
    const handler = this.#handler(profiles);
    const detector = this.#detector();
    const parsers = this.#parsers();
    const metrics = this.#metrics();
    this.#checkDataLayer();
    this.#warnAboutFlowControl();
    if (this.#problems.length > 0 || handler === undefined || detector === undefined)
      throw new ConfigError(this.#file, this.#problems);
    const hooks = [...this.#plugins.values()].flatMap(({ launchHook }) => launchHook ?? []);
    return {
      scheduler: new ProfileScheduler({
        ...{ parsers, profiles, handler, detector, staleAfter },
        launchHooks: hooks,
        prefixCaches: [...this.#caches.values()],
      }),
      metrics,
      warnings: this.#warnings,
    };
  }

  /** A plugin's name is its type unless it has one. */
  #collect(): void {
    this.#config.plugins.forEach((spec, at) => {
      const name = spec.name || spec.type;
      const path = `plugins[${at}]`;
      if (this.#specs.has(name)) this.#problem(path, `two plugins are named ${name}`);
      else this.#specs.set(name, { spec, path });
    });
  }

  /** The plugin of a name, made at first use: one may need another, and none itself. */
  #plugin(name: string): Plugin | undefined {
    const made = this.#plugins.get(name);
    if (made !== undefined) return made;
    const known = this.#specs.get(name);
    if (known === undefined) return undefined;
    if (this.#building.has(name)) return undefined;
    this.#building.add(name);
    const plugin = this.#create(name, known.spec, known.path);
    this.#plugins.set(name, plugin);
    return plugin;
  }

  #create(name: string, { type, parameters }: PluginSpec, path: string): Plugin {
    const kind = pluginTypes.find((each) => each.type === type);
    if (kind !== undefined) {
      const given = this.#parse(kind.parameters, parameters, path);
      if (given !== undefined) return kind.create(given, this.#context(path));
      this.#broken.add(name);
      return {};
    }
    if (type === prefixCacheProducer.type) this.#cache(name);
    else if (type === preciseType)
      this.#warnings.push(`${path}: ${type}: ${simplifiedPlugins[preciseType]}`);
    else if (simplifiedPlugins[type] !== undefined) this.#checkTokens(parameters, path);
    else if (ignoredPlugins[type] !== undefined) {
      if (isLoud(type)) this.#warnings.push(`${path}: ${type}: ${ignoredPlugins[type]}`);
    } else if (parserTypes.has(type)) {
      if (parserTypes.get(type) === undefined) this.#problem(path, `${type} is not supported`);
    } else if (type !== metricsSource.type && type !== metricsExtractor.type) {
      this.#problem(path, `type ${type} is unknown; there are ${knownTypes().join(", ")}`);
      this.#broken.add(name);
    }
    return {};
  }

  /** Tokens are estimated: a tokenizer would be asked for every prompt. */
  #checkTokens(parameters: PluginSpec["parameters"], path: string): void {
    const asked = Object.keys(parameters ?? {}).filter((key) => key !== "estimate");
    if (asked.length > 0)
      this.#warnings.push(
        `${path}: tokens are estimated by length; ${asked.join(", ")} of a tokenizer is not used`,
      );
  }

  #context(path: string): PluginContext {
    return {
      profileNames: this.#profileNames(),
      warn: (message) => this.#warnings.push(`${path}: ${message}`),
      prefixCache: (producer) => this.#cacheFor(producer, path),
      decider: (name) => {
        const decider = this.#plugin(name)?.decider;
        if (decider !== undefined) return decider;
        if (!this.#broken.has(name)) this.#problem(path, `${name} is no decider among the plugins`);
        return { disaggregate: () => false };
      },
    };
  }

  #cacheFor(producer: string | undefined, path: string): PrefixCache {
    const { type } = prefixCacheProducer;
    const [first] = [...this.#specs].find(([, { spec }]) => spec.type === type) ?? [type];
    const name = producer || first;
    const field = `${path}.parameters.prefixMatchInfoProducerName`;
    const found = this.#typeOf(name);
    if (name !== type && !this.#specs.has(name)) this.#problem(field, this.#noPlugin(name));
    else if (found !== type && found !== preciseType)
      this.#problem(field, `${name} is no prefix cache producer`);
    return this.#cache(name);
  }

  #cache(name: string): PrefixCache {
    const known = this.#caches.get(name);
    if (known !== undefined) return known;
    const { spec, path } = this.#specs.get(name) ?? { spec: undefined, path: "" };
    const parameters = spec?.type === prefixCacheProducer.type ? spec.parameters : {};
    const given = this.#parse(prefixCacheProducer.parameters, parameters, path);
    const cache = prefixCacheOf(given ?? prefixCacheProducer.parameters.parse({}));
    this.#caches.set(name, cache);
    return cache;
  }

  #profileNames(): string[] {
    const { schedulingProfiles } = this.#config;
    return schedulingProfiles.length > 0 ? schedulingProfiles.map(({ name }) => name) : ["default"];
  }

  #profiles(): Profile[] {
    const { schedulingProfiles } = this.#config;
    if (schedulingProfiles.length === 0) {
      const refs = [...this.#plugins]
        .filter(([, { filter, scorer, picker }]) => filter ?? scorer ?? picker)
        .map(([pluginRef]) => ({ pluginRef, path: "plugins" }));
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
  ): Profile {
    const found = refs.flatMap(({ pluginRef, weight = 1, path }) => {
      const plugin = this.#plugin(pluginRef);
      if (plugin === undefined) {
        this.#problem(`${path}.pluginRef`, this.#noPlugin(pluginRef));
        return [];
      }
      return [{ plugin, weight }];
    });
    const pickers = found.flatMap(({ plugin }) => plugin.picker ?? []);
    if (pickers.length > 1) this.#problem(path, `profile ${name} has more than one picker`);
    return {
      name,
      filters: found.flatMap(({ plugin }) => (plugin.filter === undefined ? [] : [plugin.filter])),
      scorers: found.flatMap(({ plugin, weight }) =>
        plugin.scorer === undefined ? [] : [{ scorer: plugin.scorer, weight }],
      ),
      picker: pickers[0] ?? this.#defaultPicker(),
    };
  }

  /** A profile without a picker has that of the others, or the one that takes the best score. */
  #defaultPicker() {
    const configured = [...this.#plugins.values()].find(
      ({ picker }) => picker !== undefined,
    )?.picker;
    return configured ?? (this.#make("max-score-picker").picker as NonNullable<Plugin["picker"]>);
  }

  #handler(profiles: readonly Profile[]) {
    const handlers = [...this.#plugins].flatMap(([name, { profileHandler }]) =>
      profileHandler === undefined ? [] : [{ name, profileHandler }],
    );
    const names = handlers.map(({ name }) => name).join(", ");
    if (handlers.length > 1) this.#problem("plugins", `only one profile handler may be: ${names}`);
    if (handlers.length === 0 && profiles.length > 1 && this.#broken.size === 0)
      this.#problem("plugins", "several profiles need a profile handler, and there is none");
    const handler =
      handlers[0]?.profileHandler ?? this.#make("single-profile-handler").profileHandler;
    if (handlers.length > 0 && handler?.single && profiles.length > 1)
      this.#problem("schedulingProfiles", `${names} runs one, not ${profiles.length}`);
    const missing =
      handler?.profiles?.filter((name) => !profiles.some((p) => p.name === name)) ?? [];
    for (const name of missing)
      this.#problem("schedulingProfiles", `${names} runs profile ${name}, which is not there`);
    return handler;
  }

  #detector() {
    const { flowControl, saturationDetector } = this.#config;
    const isOlder = flowControl?.saturationDetector === undefined;
    const given = isOlder ? saturationDetector : flowControl.saturationDetector;
    const name = given?.pluginRef || "utilization-detector";
    const plugin =
      this.#plugin(name) ?? (name === "utilization-detector" ? this.#make(name) : undefined);
    if (plugin?.detector === undefined && !this.#broken.has(name))
      this.#problem(
        `${isOlder ? "" : "flowControl."}saturationDetector.pluginRef`,
        `${name} is no saturation detector among the plugins`,
      );
    return plugin?.detector;
  }

  #parsers(): readonly string[] {
    const { requestHandler, parser } = this.#config;
    const parsers = requestHandler?.parsers ?? [];
    if (parsers.length > 0)
      return parsers.map((each, at) => this.#parser(each, `requestHandler.parsers[${at}]`));
    return parser === undefined ? defaultParsers : [this.#parser(parser, "parser")];
  }

  #parser({ pluginRef }: { readonly pluginRef: string }, path: string): string {
    const type = this.#typeOf(pluginRef);
    if (parserTypes.get(type) === undefined)
      this.#problem(
        `${path}.pluginRef`,
        `${type} is no parser; there are ${supportedParsers().join(", ")}`,
      );
    return type;
  }

  #metrics(): BuiltConfig["metrics"] {
    const parametersOf = <T>(type: string, schema: z.ZodType<T>): T => {
      const found = [...this.#specs.values()].find(({ spec }) => spec.type === type);
      const parsed = found && this.#parse(schema, found.spec.parameters, found.path);
      return parsed ?? schema.parse({});
    };
    const source = parametersOf(metricsSource.type, metricsSource.parameters);
    const engines = parametersOf(metricsExtractor.type, metricsExtractor.parameters);
    if (source.interval !== "")
      this.#warnings.push(
        "metrics-data-source: interval is not used, --refresh-metrics-interval is",
      );
    const { injectDefaults = true, sources = [] } = this.#config.dataLayer ?? {};
    const isOn =
      injectDefaults || sources.some((each) => this.#typeOf(each.pluginRef) === metricsSource.type);
    return isOn ? { source, engines } : undefined;
  }

  /** Sources name plugins; the two that are made by themselves may be named without being listed. */
  #checkDataLayer(): void {
    const { sources = [], ...rest } = this.#config.dataLayer ?? {};
    const known = (name: string) =>
      this.#specs.has(name) || name === metricsSource.type || name === metricsExtractor.type;
    const check = (name: string, path: string) => {
      if (!known(name)) this.#problem(`${path}.pluginRef`, this.#noPlugin(name));
    };
    sources.forEach(({ pluginRef, extractors = [] }, at) => {
      const path = `dataLayer.sources[${at}]`;
      check(pluginRef, path);
      extractors.forEach((each, index) => {
        check(each.pluginRef, `${path}.extractors[${index}]`);
      });
    });
    for (const field of Object.keys(rest).filter((name) => name !== "injectDefaults"))
      this.#warnings.push(`dataLayer.${field} is not used`);
  }

  #warnAboutFlowControl(): void {
    const { saturationDetector: _, ...rest } = this.#config.flowControl ?? {};
    const gate = this.#config.featureGates.some((each) =>
      /^flowControl(=true)?$/.test(each.trim()),
    );
    if (gate || Object.keys(rest).length > 0)
      this.#warnings.push(
        "flowControl is not enforced: requests are admitted without queues, sheddable ones refused while the pool is full",
      );
    // Older configurations open gates that upstream has closed since: they are no reason not to start.
    const others = this.#config.featureGates.filter((each) => !each.startsWith("flowControl"));
    for (const each of others) this.#warnings.push(`featureGates: ${each} does nothing`);
  }

  #make(type: string): Plugin {
    const kind = pluginTypes.find((each) => each.type === type);
    if (kind === undefined) throw new Error(`${type} is not registered`);
    return kind.create(kind.parameters.parse({}), this.#context("plugins"));
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

  /** A plugin's type, or the name itself where no plugin has it. */
  #typeOf(name: string): string {
    return this.#specs.get(name)?.spec.type ?? name;
  }

  #noPlugin(name: string): string {
    const names = [...this.#specs.keys()].join(", ") || "none";
    return `${name} is no plugin; there are ${names}`;
  }

  #problem(path: string, message: string): void {
    this.#problems.push({ path, message });
  }
}

const preciseType = "precise-prefix-cache-producer";

const supportedParsers = () =>
  [...parserTypes].filter(([, known]) => known !== undefined).map(([name]) => name);

const knownTypes = () =>
  [
    ...[...pluginTypes, ...dataPlugins].map(({ type }) => type),
    ...supportedParsers(),
    ...Object.keys({ ...simplifiedPlugins, ...ignoredPlugins }),
  ].sort();
