/**
 * The options of an engine's argument parser, by the number of values that follow them. Blanks separate names, and `|`
 * separates the aliases of one option.
 */
export interface OptionNames {
  /** Options without a value. */
  readonly switch: string;
  /** Options without a value that have a `--no-` form. */
  readonly boolean?: string;
  /** Options with one value. */
  readonly value: string;
  /** Options with one value or none. */
  readonly optional?: string;
  /** Options with any number of values. */
  readonly list?: string;
}

export const optionKinds = ["switch", "boolean", "value", "optional", "list"] as const;
export type OptionKind = (typeof optionKinds)[number];

/** An option under one of its names. */
export interface Option {
  /** The first of its names, which is the key of its values. */
  readonly name: string;
  readonly kind: OptionKind;
  /** Whether this spelling switches it off. */
  readonly isNegative?: boolean;
}

/** Returns the options by name, with all aliases. */
export function optionsByName(names: OptionNames): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>();
  for (const kind of optionKinds) {
    for (const entry of (names[kind] ?? "").split(/\s+/).filter(Boolean)) {
      const aliases = entry.split("|");
      const [name = ""] = aliases;
      for (const alias of aliases) options.set(alias, { name, kind });
      if (kind === "boolean")
        options.set(`--no-${name.slice(2)}`, { name, kind, isNegative: true });
    }
  }
  return options;
}
