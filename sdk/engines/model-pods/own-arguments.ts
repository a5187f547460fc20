import type { Finding } from "../../invariant.ts";
import { known } from "../command-line/words.ts";
import { engines } from "../index.ts";
import { type Arguments, readArguments, whatIsKnown } from "../options/arguments.ts";
import type { EngineSettings } from "../spec/engine.ts";

/** Arguments of a typed engine in `engine.args`, in addition to the arguments that its settings become. */

type Own = Pick<EngineSettings, "name" | "args">;

const argumentsIn = ({ name, args }: Own): Arguments =>
  readArguments(
    args.map((text) => known(text)),
    engines[name].syntax,
  );

/** Returns the port that `args` set; undefined if they set no port. */
export const ownPort = (settings: Own): number | undefined => {
  const text = whatIsKnown(argumentsIn(settings).written("--port"));
  return text === undefined ? undefined : Number(text);
};

/** Returns planned arguments with the arguments in `args`, which replace planned arguments with the same options. */
export function withOwnArguments(planned: readonly string[], settings: Own): string[] {
  const own = argumentsIn(settings);
  let isReplaced = false;
  const kept = planned.filter((word) => {
    if (word.startsWith("--")) isReplaced = own.has(word);
    return !isReplaced;
  });
  return [...kept, ...settings.args];
}

/** Finds arguments that would change a setting only in the engine, and not in the rest of the plan. */
export function* argumentFaults(settings: EngineSettings): Iterable<Finding> {
  const own = argumentsIn(settings);
  const path = ["args"];
  for (const [option, { field, values }] of Object.entries(
    engines[settings.name].serving.optionFields,
  )) {
    if (!own.has(option)) continue;
    const value = whatIsKnown(own.written(option));
    if (values !== undefined && !isSet(settings, field) && !values.includes(value ?? "")) continue;
    yield {
      path,
      given: `set ${option}, but the plan reads this setting from ${field}`,
      allowed: `${field}, by which the plan also sets devices, memory, probes and names`,
      fix: `Remove ${option} from args, and set ${field}.`,
    };
  }
  const [word] = own.positional;
  if (word !== undefined)
    yield {
      path,
      given: `contain ${word.text}, which belongs to no option`,
      allowed: "options and their values: the plan sets the model",
      fix: "Remove it, or set model.name.",
    };
  const port = own.written("--port");
  if (port !== undefined && !isPort(whatIsKnown(port)))
    yield {
      path,
      given: `set --port ${String(whatIsKnown(port))}`,
      allowed: "a number from 1 to 65535, because probes and the pool use the port",
      fix: "Set --port to a number.",
    };
}

const isPort = (text: string | undefined): boolean =>
  /^\d{1,5}$/.test(text ?? "") && Number(text) >= 1 && Number(text) <= 65_535;

/** Whether a field of an engine has another value than its default. */
function isSet(settings: EngineSettings, path: string): boolean {
  const value = path
    .split(".")
    .reduce<unknown>((fields, name) => (fields as Record<string, unknown>)?.[name], settings);
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "auto";
}

/** Returns the fix of a rule on command lines, with the fields that set the options. */
export const withFields = (fix: string, name: EngineSettings["name"]): string =>
  Object.entries(engines[name].serving.optionFields).reduce((text, [option, { field, values }]) => {
    const value = values === undefined ? "(?!to |in |or )\\w" : `${values[0]}(?!\\w)`;
    return text
      .replace(new RegExp(`${option} (?=${value})`, "g"), `${field} to `)
      .replace(new RegExp(`([Rr]emove|[Ll]ower|or) ${option}(?![\\w-])`, "g"), `$1 ${field}`)
      .replace(new RegExp(`${option} to `, "g"), `${field} to `);
  }, fix);
