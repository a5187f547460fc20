import { groups } from "../../kubernetes/kinds/groups.ts";
import type { EndpointPickerConfig } from "./schema.ts";

/** A document in current terms, with one warning per translation. */
export interface Translation {
  readonly document: EndpointPickerConfig;
  /** Path in the given document of each plugin, in the order of the plugins. */
  readonly paths: readonly string[];
  readonly warnings: readonly string[];
}

type Plugin = EndpointPickerConfig["plugins"][number];
type Parameters = Readonly<Record<string, unknown>>;

/** The current form of a plugin, with new plugins for parameters that moved there. */
interface Rewrite {
  readonly plugin: Plugin;
  readonly added?: readonly Plugin[];
  readonly warning: string;
}

/**
 * Translates types and parameters of earlier versions (llm-d-inference-scheduler 0.2 to 0.7,
 * gateway-api-inference-extension 0.3 to 1.5).
 */
export function withoutOlderSpellings(given: EndpointPickerConfig): Translation {
  const warnings: string[] = [];
  const { data, ...document } = given;
  if (data !== undefined) warnings.push("data: use its present name, dataLayer");
  const names = new Set(given.plugins.map(nameOfPlugin));
  const paths = given.plugins.map((_, at) => `plugins[${at}]`);
  const isOlderGroup = given.apiVersion.startsWith(groups.inferenceExperimental);
  const added: Plugin[] = [];
  const plugins = given.plugins.map((plugin, at) => {
    const path = `plugins[${at}]`;
    const rewrite = rewriteOf(plugin, names, isOlderGroup);
    if (rewrite === undefined) return plugin;
    warnings.push(`${path}: ${rewrite.warning}`);
    for (const each of rewrite.added ?? []) {
      names.add(nameOfPlugin(each));
      added.push(each);
      paths.push(path);
    }
    return rewrite.plugin;
  });
  const dataLayer = document.dataLayer ?? data;
  const all = [...plugins, ...added];
  return {
    document: { ...document, plugins: all, ...(dataLayer && { dataLayer }) },
    paths,
    warnings,
  };
}

const nameOfPlugin = ({ name, type }: Plugin): string => name || type;

function rewriteOf(
  plugin: Plugin,
  names: ReadonlySet<string>,
  isOlderGroup: boolean,
): Rewrite | undefined {
  const renamed = renamedTypes.get(plugin.type);
  // References use the name, which is the older type unless the plugin sets a name.
  if (renamed !== undefined)
    return {
      plugin: { ...plugin, name: nameOfPlugin(plugin), type: renamed },
      warning: `the present name of ${plugin.type} is ${renamed}`,
    };
  const parameters = plugin.parameters ?? {};
  if (plugin.type === "burst-prefix-cache-producer")
    return {
      plugin: { type: "approx-prefix-cache-producer", name: nameOfPlugin(plugin) },
      warning:
        "burst-prefix-cache-producer is not supported: plugins that name it read an approx-prefix-cache-producer, and a burst of equal prompts is not kept together",
    };
  if (plugin.type === "prefix-cache-scorer") return ofPrefixScorer(plugin, parameters, names);
  if (plugin.type === "pd-profile-handler")
    return ofPdHandler(plugin, parameters, names, isOlderGroup);
  return undefined;
}

const renamedTypes: ReadonlyMap<string, string> = new Map([
  ["kv-cache-scorer", "kv-cache-utilization-scorer"],
  ["model-server-protocol-metrics", "core-metrics-extractor"],
  ["model-server-protocol-models", "models-data-extractor"],
  ["predicted-latency-scorer", "latency-scorer"],
]);

/** Characters per token, for sizes that were once given in characters. */
const charactersPerToken = 4;

const tokensOf = (characters: unknown): unknown =>
  typeof characters === "number"
    ? Math.max(1, Math.round(characters / charactersPerToken))
    : characters;

/** Parameters that prefix-cache-scorer had before it read a producer. */
const estimateFields = [
  ...["autoTune", "blockSizeTokens", "blockSize", "hashBlockSize"],
  ...["maxPrefixTokensToMatch", "maxPrefixBlocksToMatch", "lruCapacityPerServer"],
];
const trackingFields = ["indexerConfig", "kvEventsConfig", "tokenProcessorConfig"];
const droppedFields = ["kvCacheRedisAddr"];

function ofPrefixScorer(
  plugin: Plugin,
  { mode, ...parameters }: Parameters,
  names: ReadonlySet<string>,
): Rewrite | undefined {
  if (mode !== undefined && mode !== "cache_tracking" && mode !== "estimate") return undefined;
  const isTracked = mode === "cache_tracking";
  const type = isTracked ? "precise-prefix-cache-producer" : "approx-prefix-cache-producer";
  const moved = isTracked ? [...trackingFields, ...droppedFields] : estimateFields;
  const older = Object.keys(parameters).filter((name) => moved.includes(name));
  if (older.length === 0 && mode === undefined) return undefined;
  const { own, others } = split(parameters, moved);
  const name = names.has(type) ? `${nameOfPlugin(plugin)}-producer` : type;
  const producer: Plugin = { type, name, parameters: isTracked ? tracked(own) : estimated(own) };
  const named = [...(mode === undefined ? [] : [`mode: ${mode}`]), ...older].join(", ");
  const dropped = older.filter((field) => droppedFields.includes(field));
  return {
    plugin: { ...plugin, parameters: { ...others, prefixMatchInfoProducerName: name } },
    added: [producer],
    warning: [
      `${named} of prefix-cache-scorer is an older form; the parameters now belong to ${type}, read as ${JSON.stringify(producer.parameters)}`,
      ...dropped.map((field) => `; ${field} is not used`),
    ].join(""),
  };
}

const tracked = (parameters: Parameters): Parameters => split(parameters, droppedFields).others;

/** Converts block sizes, which were once in characters. The limit of a prompt was once its number of blocks. */
function estimated({ hashBlockSize, blockSize, ...rest }: Parameters): Parameters {
  const size = rest.blockSizeTokens ?? tokensOf(blockSize ?? hashBlockSize);
  const isByBlocks =
    rest.maxPrefixBlocksToMatch !== undefined && rest.maxPrefixTokensToMatch === undefined;
  return {
    ...rest,
    ...(size !== undefined && { blockSizeTokens: size }),
    ...(isByBlocks && { maxPrefixTokensToMatch: 0 }),
  };
}

const pdFields = ["threshold", "hashBlockSize"];
const pdDecider = "prefix-based-pd-decider";

/**
 * Converts a handler with a threshold, which was in characters. Without a threshold, the handler used a prefiller for
 * every request.
 */
function ofPdHandler(
  plugin: Plugin,
  parameters: Parameters,
  names: ReadonlySet<string>,
  isOlderGroup: boolean,
): Rewrite | undefined {
  const { own, others } = split(parameters, pdFields);
  const hasDecider = others.deciderPluginName !== undefined || names.has(pdDecider);
  const hasOwn = Object.keys(own).length > 0;
  if (!hasOwn && (hasDecider || !isOlderGroup)) return undefined;
  const { threshold = 0 } = own;
  const decider: Plugin =
    threshold === 0
      ? { type: "always-disagg-pd-decider" }
      : { type: pdDecider, parameters: { nonCachedTokens: tokensOf(threshold) } };
  const name = nameOfPlugin(decider);
  const isListed = hasDecider || names.has(name);
  return {
    plugin: {
      ...plugin,
      parameters: hasDecider ? others : { ...others, deciderPluginName: name },
    },
    added: isListed ? [] : [decider],
    warning: hasDecider
      ? `${Object.keys(own).join(", ")} of pd-profile-handler is ignored: its decider decides`
      : `pd-profile-handler without deciderPluginName is an older spelling: a plugin decides, read as ${JSON.stringify(decider)}`,
  };
}

function split(parameters: Parameters, names: readonly string[]) {
  const entries = Object.entries(parameters);
  return {
    own: Object.fromEntries(entries.filter(([name]) => names.includes(name))),
    others: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
  };
}
