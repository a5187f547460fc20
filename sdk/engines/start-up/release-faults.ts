/** Options, values and variables that the engine in an image does not have. */

import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { editDistance } from "../../../scheduling/config/spelling.ts";
import { orList } from "../../errors.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { startedBy } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import type { Engine, EngineReleases } from "../interface/engine.ts";
import type { StartUpFinding } from "../interface/start-up.ts";
import { type Arguments, nestedName, notKnown, whatIsKnown } from "../options/arguments.ts";
import { fieldsOf, kvConnectors, transferFlag } from "../options/kv-connectors.ts";
import { accepts, limitText } from "../options/option-limits.ts";
import { presence, type Release } from "../options/release.ts";

/** Kinds of faults that depend on the release alone, not on the model or the accelerator. */
export const releaseKinds = {
  option: {
    title: "Option that the engine does not have",
    decides: "the options of the image's version",
  },
  "option-value": {
    title: "Value that an option does not accept",
    decides: "the values of the option in the image's version",
  },
  variable: {
    title: "Environment variable that the engine does not read",
    decides: "the variables of the image's version",
  },
} as const;

interface Launch {
  readonly engine: Engine;
  readonly releases: EngineReleases;
  readonly release: Release;
  readonly args: Arguments;
  /** Engine and version. */
  readonly title: string;
}

/** Returns the options, values and variables that the release in an image lacks. Unknown releases have no faults. */
export function* releaseFaults(container: CommandLine): Iterable<StartUpFinding> {
  const name = engineNameOf(container);
  const engine = name && engines[name];
  const release = engine?.releases?.of(container.image);
  if (engine !== undefined && release === undefined)
    yield* spellingFaults(engine, argumentsOf(container));
  if (engine !== undefined) yield* limitFaults(engine, argumentsOf(container));
  if (engine?.releases !== undefined) yield* keyFaults(engine.releases, argumentsOf(container));
  if (engine?.releases === undefined || release === undefined) return;
  const launch: Launch = {
    ...{ engine, releases: engine.releases, release },
    args: argumentsOf(container),
    title: `${engine.title} ${release.version}`,
  };
  yield* optionFaults(launch);
  yield* valueFaults(launch);
  yield* connectorFaults(launch);
  yield* settingFaults(launch);
  yield* variableFaults(launch, container);
}

/** Hyphens and underscores of options, which the parsers of some engines distinguish, in images of any release. */
function* spellingFaults(engine: Engine, args: Arguments): Iterable<StartUpFinding> {
  const { options } = engine.syntax;
  for (const written of args.names) {
    const { name } = nestedName(written, engine.syntax);
    if (!name.startsWith("--") || options.has(name)) continue;
    const stem = name.slice(2);
    const other = [stem.replaceAll("_", "-"), stem.replaceAll("-", "_")]
      .map((text) => `--${text}`)
      .find((text) => options.has(text));
    if (other === undefined) continue;
    yield {
      kind: "option",
      given: `set ${written}, which ${engine.title} does not have`,
      allowed: `${other}: ${engine.title} distinguishes hyphens and underscores in options`,
      fix: `Set ${other}.`,
    };
  }
}

/** Keys of JSON options that all releases refuse or lack, and switches without the option that they need. */
function* keyFaults(
  { refusedKeys, neededKeys, neededOptions }: EngineReleases,
  args: Arguments,
): Iterable<StartUpFinding> {
  for (const [option, keys] of Object.entries(neededKeys)) {
    const written = whatIsKnown(args.json(option)) ?? {};
    for (const [key, needed] of Object.entries(keys))
      if (written[key] != null && written[needed] == null)
        yield {
          kind: "option-value",
          given: `set ${key} in ${option} without ${needed}`,
          allowed: `both ${key} and ${needed}`,
          fix: `Add ${needed} to ${option}.`,
        };
  }
  for (const [option, needed] of Object.entries(neededOptions))
    if (args.written(option) === "true" && !args.isOpen && !args.has(needed))
      yield {
        kind: "option",
        given: `set ${option} without ${needed}`,
        allowed: `both ${option} and ${needed}`,
        fix: `Add ${needed} with the parser of the model, or remove ${option}.`,
      };
  for (const [option, keys] of Object.entries(refusedKeys)) {
    const written = Object.keys(whatIsKnown(args.json(option)) ?? {});
    for (const key of written.filter((each) => Object.hasOwn(keys, each)))
      yield {
        kind: "option-value",
        given: `set ${key} in ${option}, which the engine refuses`,
        allowed: `${keys[key]} in ${option}`,
        fix: `Rename the key to ${keys[key]}.`,
      };
  }
}

/** Values that the parsers of all releases refuse: numbers out of bounds, and texts that are not JSON. */
function* limitFaults(engine: Engine, args: Arguments): Iterable<StartUpFinding> {
  const limits = new Map([...(engine.releases?.all[0].limits ?? []), ...engine.limits]);
  for (const [option, limit] of limits) {
    const value = whatIsKnown(args.written(option));
    if (value === undefined || accepts(limit, value)) continue;
    yield {
      kind: "option-value",
      given: `set ${option} ${value === "" ? "without a value" : value}, which ${engine.title} does not accept`,
      allowed: limitText(limit),
      fix: limit.type.startsWith("json")
        ? "Correct the JSON, and put it in single quotes in a shell."
        : `Set ${option} to such a number.`,
    };
  }
}

function* optionFaults({
  engine,
  releases,
  release,
  args,
  title,
}: Launch): Iterable<StartUpFinding> {
  const names = [...release.options.keys()];
  for (const written of args.names) {
    const { name } = nestedName(written, engine.syntax);
    const prefixed = names.filter((each) => each.startsWith(name));
    // One letter after a single dash may be followed by its value.
    if (!name.startsWith("--") || prefixed.length > 0) continue;
    const others = presence(releases.all, release, ({ options }) => options.has(name));
    const near = nearestName(name, names);
    const foreign = Object.values(engines).find(
      (each) => each !== engine && each.releases?.all[0].options.has(name),
    );
    yield {
      kind: "option",
      given: `set ${written}, which ${title} does not have`,
      allowed:
        others === undefined
          ? `an option of ${title}`
          : `an option of ${title}; ${engine.title} has ${name} ${others}`,
      fix:
        releases.replaced[name] ??
        (foreign !== undefined
          ? `Remove it: it is an option of ${foreign.title}.`
          : near !== undefined
            ? `Did you mean ${near}?`
            : "Remove it, or use an image that has it."),
    };
  }
}

/** Longest list of values in a message. */
const mostValues = 12;

function* valueFaults({
  engine,
  releases,
  release,
  args,
  title,
}: Launch): Iterable<StartUpFinding> {
  const options = new Set(
    args.names.flatMap((written) => {
      const { name, path } = nestedName(written, engine.syntax);
      return path === "" ? (release.options.get(name)?.name ?? []) : [];
    }),
  );
  for (const option of options) {
    const values = release.values.get(option);
    const plugin = releases.plugins[option];
    if (values === undefined || (plugin !== undefined && args.has(plugin))) continue;
    const list = args.list(option);
    for (const value of list === notKnown || list === undefined ? [] : list) {
      const instead = releases.ignoredValues[option]?.[value];
      if (instead !== undefined)
        yield {
          kind: "option-value",
          given: `set ${option} ${value}, which ${title} replaces by ${instead}`,
          allowed: "a value that the engine uses",
          fix: `Set ${option} ${instead}, or remove it.`,
        };
      // Engines read empty values and None as no value. A path with dots names a class.
      if (values.has(value) || value === "" || /^none$/i.test(value) || value.includes("."))
        continue;
      const others = presence(
        releases.all,
        release,
        (each) => each.values.get(option)?.has(value) === true,
      );
      const near = nearestValue(value, [...values]);
      const named = [...values].sort(byNumber).slice(0, mostValues);
      yield {
        kind: "option-value",
        given: `set ${option} ${value}, which ${title} does not accept`,
        allowed: `${orList(named)}${values.size > named.length ? ", or another value of its list" : ""}${others === undefined ? "" : `; ${engine.title} has ${value} ${others}`}`,
        fix: near === undefined ? "Set one of these values." : `Set ${option} ${near}.`,
      };
    }
  }
}

/** Connectors that another module registers are set with `kv_connector_module_path`. */
function* connectorFaults({
  engine,
  releases,
  release,
  args,
  title,
}: Launch): Iterable<StartUpFinding> {
  const { connectors } = release.names;
  const config = connectors.size === 0 ? undefined : args.json(transferFlag);
  if (config === undefined || config === notKnown || config.kv_connector_module_path != null)
    return;
  for (const connector of connectorsIn(config)) {
    if (connectors.has(connector)) continue;
    const others = presence(releases.all, release, ({ names }) => names.connectors.has(connector));
    yield {
      kind: "option-value",
      given: `set the connector ${connector}, which ${title} does not have`,
      allowed: `a connector of ${title}${others === undefined ? "" : `; ${engine.title} has ${connector} ${others}`}`,
      fix: `Set kv_connector to ${renamedConnectors[connector] ?? nearestName(connector, [...connectors]) ?? "NixlConnector"}.`,
    };
  }
}

/** Settings without which a connector of the stored releases raises an error: vllm/v1/kv_offload. */
const neededSettings: Readonly<Record<string, string>> = {
  OffloadingConnector: "cpu_bytes_to_use",
};

/** Settings that connectors lack. A spec of another module, and the option for the size, set their own. */
function* settingFaults({ args, title }: Launch): Iterable<StartUpFinding> {
  if (args.has("--kv-offloading-size")) return;
  for (const { kv_connector: connector, kv_connector_extra_config: extra } of kvConnectors(args)) {
    const needed = neededSettings[String(connector)];
    const settings = fieldsOf(extra);
    if (needed === undefined || settings.spec_module_path !== undefined) continue;
    if (settings[needed] !== undefined) continue;
    yield {
      kind: "option-value",
      given: `set the connector ${connector} without ${needed}, which ${title} requires`,
      allowed: `${needed} in kv_connector_extra_config of ${transferFlag}`,
      fix: `Set ${needed} to the bytes of host memory for the KV cache${settings.num_cpu_blocks === undefined ? "" : ", instead of num_cpu_blocks"}.`,
    };
  }
}

/** Connectors of earlier releases, each with its successor. */
const renamedConnectors: Readonly<Record<string, string>> = {
  SharedStorageConnector: "ExampleConnector",
  LMCacheConnector: "LMCacheConnectorV1",
  PyNcclConnector: "P2pNcclConnector",
};

/** Returns the connectors of a configuration, and the connectors that a MultiConnector combines. */
function connectorsIn(config: Readonly<Record<string, unknown>>): string[] {
  const { kv_connector: connector, kv_connector_extra_config: extra } = config;
  const inner = (extra as { connectors?: unknown } | null | undefined)?.connectors;
  const own = typeof connector === "string" ? [connector] : [];
  return Array.isArray(inner)
    ? [
        ...own,
        ...inner.flatMap((each) =>
          each !== null && typeof each === "object" && each.kv_connector_module_path == null
            ? connectorsIn(each)
            : [],
        ),
      ]
    : own;
}

function* variableFaults(
  { engine, releases, release, title }: Launch,
  container: CommandLine,
): Iterable<StartUpFinding> {
  const { env } = container;
  if (isDeferred(env) || !Array.isArray(env)) return;
  const { variables } = release.names;
  const prefixes = [...variables].filter((name) => name.endsWith("_"));
  const words = startedBy(container).programs.flatMap(({ args }) =>
    args.map(({ written }) => written),
  );
  const script = [container.command, container.args]
    .flat()
    .filter((each) => typeof each === "string");
  for (const entry of env) {
    const name = isDeferred(entry) ? undefined : entry?.name;
    if (typeof name !== "string" || !releases.variable.test(name) || variables.has(name)) continue;
    if (prefixes.some((prefix) => name.startsWith(prefix))) continue;
    // The command itself may use the variable.
    if ([...script, ...words].some((text) => text.includes(name))) continue;
    const others = presence(releases.all, release, ({ names }) => names.variables.has(name));
    const near = nearestName(name, [...variables]);
    yield {
      kind: "variable",
      given: `set the variable ${name}, which ${title} does not read`,
      allowed: `a variable of ${title}${others === undefined ? "" : `; ${engine.title} reads ${name} ${others}`}`,
      fix:
        releases.replacedVariables[name] ??
        (near === undefined ? "Remove it." : `Did you mean ${near}? If not, remove it.`),
    };
  }
}

/** Returns the nearest value; for numbers, the next larger one, or the largest. */
function nearestValue(written: string, values: readonly string[]): string | undefined {
  if (!values.every(isNumber) || !isNumber(written)) return nearestName(written, values);
  const sorted = values.toSorted(byNumber);
  return sorted.find((value) => Number(value) >= Number(written)) ?? sorted.at(-1);
}

const byNumber = (a: string, b: string): number =>
  isNumber(a) && isNumber(b) ? Number(a) - Number(b) : 0;

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/**
 * Returns the known name that a written name may mean: it differs in a few letters, or has the same words in another
 * order.
 */
function nearestName(written: string, known: readonly string[]): string | undefined {
  const most = Math.min(3, Math.ceil(written.length / 5));
  const sorted = wordsOf(written);
  const ranked = known.flatMap((name) => {
    if (Math.abs(name.length - written.length) > most && wordsOf(name) !== sorted) return [];
    const distance = wordsOf(name) === sorted ? 0 : editDistance(written, name);
    return distance <= most ? [{ name, distance }] : [];
  });
  return ranked.toSorted((a, b) => a.distance - b.distance)[0]?.name;
}

const wordsOf = (name: string): string => name.split(/[-_]+/).sort().join("-").toLowerCase();
