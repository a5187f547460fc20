export const optionKinds = ["switch", "boolean", "value", "optional", "list"] as const;

/**
 * How many values follow an option: none, none but with a `--no-` form, one, one or none, or any number.
 */
export type OptionKind = (typeof optionKinds)[number];

/** The options of an engine's argument parser by kind. `|` separates the aliases of one option. */
export type OptionNames = Readonly<Partial<Record<OptionKind, readonly string[]>>>;

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
    for (const entry of names[kind] ?? []) {
      const aliases = entry.split("|");
      const [name = ""] = aliases;
      for (const alias of aliases) options.set(alias, { name, kind });
      if (kind === "boolean")
        options.set(`--no-${name.slice(2)}`, { name, kind, isNegative: true });
    }
  }
  return options;
}
