import { textOf, type Word } from "../command-line/words.ts";
import type { Option, OptionKind } from "./option-names.ts";

/** How an engine's argument parser reads option names. */
export interface ArgumentSyntax {
  readonly options: ReadonlyMap<string, Option>;
  /** Returns the spelling under which `options` has a name. */
  spelling(name: string): string;
  /** Whether a unique prefix of an option is accepted, as in Python's argparse. */
  readonly abbreviates: boolean;
  /** Whether `--option.key value` sets a key of the option's JSON object. */
  readonly nests: boolean;
  /** Whether the first word may be the model instead of an option. */
  readonly takesModel: boolean;
}

/** The syntax of an unknown program: any option may have values. */
export const unknownSyntax: ArgumentSyntax = {
  options: new Map(),
  spelling: (name) => name,
  abbreviates: false,
  nests: false,
  takesModel: false,
};

/** The value of an option that is set, but not in the template. */
export const notKnown = Symbol("not known");

/** A value: undefined if the option is not set, `notKnown` if the template does not contain it. */
export type Reading<T = string> = T | undefined | typeof notKnown;

/** Returns a known reading, otherwise undefined. */
export const whatIsKnown = <T>(reading: Reading<T>): T | undefined =>
  reading === notKnown ? undefined : reading;

/** The arguments of a program, read as its argument parser reads them. */
export interface Arguments {
  /** Whether further options may be set by a variable, an Output or a configuration file. */
  readonly isOpen: boolean;
  /** Words that are neither options nor their values. */
  readonly positional: readonly Word[];
  /** Names of options as written, without values, each once. */
  readonly names: readonly string[];
  /** Returns the value of an option, from its last occurrence. `true` and `false` for a switch. */
  value(option: string): Reading;
  /**
   * Returns the value of a written option; undefined for an option that is not written, although it may be set
   * elsewhere.
   */
  written(option: string): Reading;
  /** Whether an option is written, or a key of its JSON object. */
  has(option: string): boolean;
  /** Returns the values of the last occurrence of an option that takes several values. */
  list(option: string): Reading<readonly string[]>;
  /** Returns the object of an option that takes JSON, with the keys that `--option.key` sets. */
  json(option: string): Reading<Readonly<Record<string, unknown>>>;
}

/** Reads the arguments of a program, without the name of the program. */
export function readArguments(
  words: readonly Word[],
  syntax: ArgumentSyntax,
  isOpen = false,
): Arguments {
  return new ReadArguments(words, syntax, isOpen);
}

/** Values of one occurrence of an option. */
type Occurrence = readonly Word[];

const isOptionLike = ({ text }: Word): boolean =>
  /^-[^\s]/.test(text) && !/^-\d+(\.\d+)?$/.test(text);

class ReadArguments implements Arguments {
  isOpen: boolean;
  readonly positional: Word[] = [];
  readonly #names = new Set<string>();
  readonly #occurrences = new Map<string, Occurrence[]>();
  readonly #syntax: ArgumentSyntax;

  constructor(words: readonly Word[], syntax: ArgumentSyntax, isOpen: boolean) {
    this.#syntax = syntax;
    this.isOpen = isOpen;
    this.#read(words);
    if (this.has("--config")) this.isOpen = true;
  }

  #read(words: readonly Word[]): void {
    for (let at = 0; at < words.length; ) {
      const word = words[at] as Word;
      at++;
      if (word.text === "--") {
        this.positional.push(...words.slice(at));
        return;
      }
      const [name = "", ...values] = isOptionLike(word) ? word.text.split(/=(.*)/s, 2) : [];
      const isNameKnown = word.isKnown || (values.length > 0 && !/[$`]/.test(name));
      if (!isNameKnown || name === "") {
        const isModel = at === 1 && this.#syntax.takesModel && !word.mayBeSeveral;
        if (word.isKnown || isModel) this.positional.push(word);
        else this.isOpen = true;
        continue;
      }
      this.#names.add(name);
      const { key, kind, isNegative } = this.#resolve(name);
      if (values.length > 0) {
        this.#note(key, [{ ...word, text: values[0] ?? "", mayBeSeveral: false }]);
        continue;
      }
      const end = this.#endOfValues(words, at, kind);
      this.#note(
        key,
        kind === "switch" || kind === "boolean" ? [truth(!isNegative)] : words.slice(at, end),
      );
      at = end;
    }
  }

  /** Returns the index after the values of an option. An option of another version may take any number. */
  #endOfValues(words: readonly Word[], at: number, kind: OptionKind | undefined): number {
    if (kind === "switch" || kind === "boolean") return at;
    const most = kind === "value" || kind === "optional" ? 1 : words.length;
    let end = at;
    while (end < words.length && end - at < most) {
      const word = words[end] as Word;
      if (isOptionLike(word)) break;
      if (kind === "list" && word.mayBeSeveral) this.isOpen = true;
      end++;
    }
    return end;
  }

  #note(key: string, values: Occurrence): void {
    this.#occurrences.set(key, [...(this.#occurrences.get(key) ?? []), values]);
  }

  #resolve(written: string): { key: string; kind?: OptionKind; isNegative?: boolean } {
    const { options, abbreviates } = this.#syntax;
    const { name, path } = nestedName(written, this.#syntax);
    const exact = options.get(name);
    const option = exact ?? (abbreviates ? abbreviated(name, options) : undefined);
    if (option === undefined) return { key: name + path };
    if (path !== "") return { key: option.name + path, kind: "value" };
    return { key: option.name, kind: option.kind, isNegative: option.isNegative ?? false };
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  #key = (option: string): string => this.#resolve(option).key;

  has(option: string): boolean {
    const key = this.#key(option);
    return [...this.#occurrences.keys()].some((name) => name === key || name.startsWith(`${key}.`));
  }

  written(option: string): Reading {
    const last = this.#occurrences.get(this.#key(option))?.at(-1);
    if (last === undefined) return undefined;
    const [value] = last;
    return value === undefined ? "" : (textOf(value) ?? notKnown);
  }

  value(option: string): Reading {
    return this.written(option) ?? (this.isOpen ? notKnown : undefined);
  }

  list(option: string): Reading<readonly string[]> {
    const last = this.#occurrences.get(this.#key(option))?.at(-1);
    if (last === undefined) return this.isOpen ? notKnown : undefined;
    const texts = last.map(textOf);
    return texts.some((text) => text === undefined) ? notKnown : (texts as string[]);
  }

  json(option: string): Reading<Readonly<Record<string, unknown>>> {
    const key = this.#key(option);
    const whole = this.written(option);
    const nested = [...this.#occurrences].filter(([name]) => name.startsWith(`${key}.`));
    if (whole === undefined && nested.length === 0) return this.isOpen ? notKnown : undefined;
    if (whole === notKnown) return notKnown;
    const object = whole === undefined ? {} : objectOf(whole);
    if (object === undefined) return notKnown;
    for (const [name, occurrences] of nested) {
      const value = textOf(occurrences.at(-1)?.[0]);
      if (value === undefined) return notKnown;
      setAt(object, name.slice(key.length + 1).split("."), value);
    }
    return object;
  }
}

const truth = (isTrue: boolean): Word => {
  const text = String(isTrue);
  return { written: text, text, isKnown: true, mayBeSeveral: false };
};

/** Returns the name of an option under the parser's spelling, and the path to a key of its JSON object. */
export function nestedName(
  written: string,
  { spelling, nests }: ArgumentSyntax,
): { readonly name: string; readonly path: string } {
  const dot = nests ? written.indexOf(".") : -1;
  return {
    name: spelling(dot < 0 ? written : written.slice(0, dot)),
    path: dot < 0 ? "" : written.slice(dot).replaceAll("-", "_"),
  };
}

/** Returns the option with a prefix, if there is exactly one. */
function abbreviated(prefix: string, options: ReadonlyMap<string, Option>): Option | undefined {
  if (!prefix.startsWith("--")) return undefined;
  const matches = [...options.keys()].filter((name) => name.startsWith(prefix));
  return matches.length === 1 ? options.get(matches[0] ?? "") : undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  const value = jsonOf(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Parses JSON. Returns undefined for invalid JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function setAt(object: Record<string, unknown>, path: readonly string[], text: string): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) {
    object[first] = jsonOf(text) ?? text;
    return;
  }
  const inner = (object[first] ?? {}) as Record<string, unknown>;
  object[first] = inner;
  setAt(inner, rest, text);
}
