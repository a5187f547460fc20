import { boolean, type FlagType } from "./flag-type.ts";

/** A flag of a program, with the syntax of Go programs: `--name value`, `--name=value`, `-s value`, `-s=value`. */
export interface Flag<T> {
  readonly name: string;
  /** A single letter. */
  readonly shorthand?: string;
  /** One sentence for the help. */
  readonly summary: string;
  readonly type: FlagType<T>;
  /** If undefined, a flag that is not given has no value. */
  readonly default?: T;
  /** Problem that is reported if the flag is not given. Default: the flag is optional. */
  readonly required?: string;
  /** Whether the flag may be given several times; its value is then a list. */
  readonly repeated?: true;
}

/** Flags under one heading of the help, by the keys of their values. */
export interface FlagGroup {
  readonly title: string;
  readonly flags: Readonly<Record<string, Flag<unknown>>>;
}

export type FlagTable = Readonly<Record<string, FlagGroup>>;

type FlagValue<F> = F extends { type: FlagType<infer T> }
  ? F extends { repeated: true }
    ? readonly T[]
    : F extends { required: string } | { default: unknown }
      ? T
      : T | undefined
  : never;

export type GroupValues<Group extends FlagGroup> = {
  readonly [Key in keyof Group["flags"]]: FlagValue<Group["flags"][Key]>;
};

/** The values of all flags, by group. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Key in keyof Table]: GroupValues<Table[Key]>;
};

/** The flags that were given, with any value. */
export type GivenFlags = ReadonlySet<Flag<unknown>>;

export interface CommandLine<Table extends FlagTable> {
  readonly values: FlagValues<Table>;
  readonly given: GivenFlags;
  /** Whether the help was requested. */
  readonly help: boolean;
  /** All problems, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Parses arguments. It continues after an invalid flag, so that all problems are reported. The last of several values
 * of a flag wins.
 */
export function parseCommandLine<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
): CommandLine<Table> {
  const found = new Map<Flag<unknown>, unknown>();
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
    const flag = find(table, name);
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
    const before = (found.get(flag) ?? []) as readonly unknown[];
    found.set(flag, flag.repeated ? [...before, value] : value);
  }
  for (const flag of flagsOf(table))
    if (flag.required !== undefined && !found.has(flag)) problems.push(flag.required);
  const values = mapValues(table, ({ flags }) =>
    mapValues(flags, (flag) => found.get(flag) ?? (flag.repeated ? [] : flag.default)),
  );
  const given = new Set(found.keys());
  return { values: values as FlagValues<Table>, given, help, problems };
}

/** Returns all flags of a table, in order. */
export const flagsOf = (table: FlagTable): Flag<unknown>[] =>
  Object.values(table).flatMap(({ flags }) => Object.values(flags));

const mapValues = <T>(record: Readonly<Record<string, T>>, map: (value: T) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** Splits `--name`, `--name=value`, `-s`, `-s=value` or `-svalue`. Returns no name for anything else. */
function split(arg: string): { name?: string; inline?: string } {
  const [, name, inline] =
    /^(--[^=]+)(?:=(.*))?$/s.exec(arg) ?? /^(-[A-Za-z])=?(.+)?$/s.exec(arg) ?? [];
  return { ...(name && { name }), ...(inline !== undefined && { inline }) };
}

const find = (table: FlagTable, name: string): Flag<unknown> | undefined =>
  flagsOf(table).find(
    (flag) =>
      name === `--${flag.name}` || (flag.shorthand !== undefined && name === `-${flag.shorthand}`),
  );

function unexpected(arg: string, before: string | undefined): string {
  const meant =
    boolean.parse(arg) !== undefined && before?.startsWith("--") && !before.includes("=")
      ? `; write ${before}=${arg}`
      : "; only flags are taken";
  return `unexpected argument ${JSON.stringify(arg)}${meant}`;
}
