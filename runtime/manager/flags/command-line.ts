import { boolean, type FlagType } from "./flag-type.ts";

/** A flag of a program, with the syntax of Go programs: `--name value`, `--name=value`, `-s value`, `-s=value`. */
export interface Flag<T> {
  readonly name: string;
  /** One letter. */
  readonly shorthand?: string;
  /** Heading in the help. */
  readonly group: string;
  /** One sentence for the help. */
  readonly summary: string;
  readonly type: FlagType<T>;
  /** Undefined where a flag that was not given has no value. */
  readonly default: T | undefined;
}

/** The flags of a program, each under the key of its value. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

export type FlagValues<Table extends FlagTable> = {
  readonly [Key in keyof Table]: Table[Key] extends { type: FlagType<infer T>; default: infer D }
    ? T | Extract<D, undefined>
    : never;
};

export interface CommandLine<Table extends FlagTable> {
  readonly values: FlagValues<Table>;
  /** Keys of the flags that were given. */
  readonly given: ReadonlySet<keyof Table>;
  /** The help was asked for. */
  readonly help: boolean;
  /** Everything that is wrong, a sentence each. */
  readonly problems: readonly string[];
}

/** Reads arguments and goes on after a wrong one, so that all are told at once. A flag given twice has its last value. */
export function parseCommandLine<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
): CommandLine<Table> {
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(table)) values[key] = flag.default;
  const given = new Set<keyof Table>();
  const problems: string[] = [];
  let help = false;

  for (let at = 0; at < args.length; at += 1) {
    const { name, inline } = split(args[at] as string);
    if (name === "--help" || name === "-h") {
      help = true;
      continue;
    }
    if (name === undefined) {
      problems.push(unexpected(args[at] as string, args[at - 1]));
      continue;
    }
    const [key, flag] = find(table, name);
    if (flag === undefined) {
      problems.push(`${name}: unknown flag; --help lists all`);
      continue;
    }
    const written = inline ?? (flag.type.placeholder === "" ? "true" : args[++at]);
    const value = written === undefined ? undefined : flag.type.parse(written);
    if (value === undefined) {
      const what = written === undefined ? "no value" : JSON.stringify(written);
      problems.push(`${name}: ${what} was given; give ${flag.type.allowed}`);
      continue;
    }
    values[key] = value;
    given.add(key);
  }
  return { values: values as FlagValues<Table>, given, help, problems };
}

/** `--name`, `--name=value`, `-s`, `-s=value`, `-svalue`; no name for anything else. */
function split(arg: string): { name?: string; inline?: string } {
  const [, name, inline] =
    /^(--[^=]+)(?:=(.*))?$/s.exec(arg) ?? /^(-[A-Za-z])=?(.+)?$/s.exec(arg) ?? [];
  return { ...(name && { name }), ...(inline !== undefined && { inline }) };
}

function find<Table extends FlagTable>(
  table: Table,
  name: string,
): [key: string, flag: Flag<unknown> | undefined] {
  const found = Object.entries(table).find(
    ([, flag]) =>
      name === `--${flag.name}` || (flag.shorthand !== undefined && name === `-${flag.shorthand}`),
  );
  return found ?? ["", undefined];
}

function unexpected(arg: string, before: string | undefined): string {
  const meant =
    boolean.parse(arg) !== undefined && before?.startsWith("--") && !before.includes("=")
      ? `; write ${before}=${arg}`
      : "; only flags are taken";
  return `unexpected argument ${JSON.stringify(arg)}${meant}`;
}
