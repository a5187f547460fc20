/** Conversion between the text and the value of a flag. */
export interface FlagType<T> {
  /** Placeholder of the value in the help: `--grpc-port PORT`. Empty for a flag without a value. */
  readonly placeholder: string;
  /** The allowed values, as the end of "give ...". */
  readonly allowed: string;
  /** Returns the value, or undefined for a string that is not allowed. */
  parse(text: string): T | undefined;
  /** Formats the value as a user would write it. */
  show(value: T): string;
}

export const text: FlagType<string> = {
  placeholder: "TEXT",
  allowed: "a string that is not empty",
  parse: (value) => (value === "" ? undefined : value),
  show: (value) => value,
};

/** A string with another placeholder in the help. */
export const textOf = (placeholder: string): FlagType<string> => ({ ...text, placeholder });

/** The spellings of Go's strconv.ParseBool. */
const booleans = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((word) => [word, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((word) => [word, false] as const),
]);

export const boolean: FlagType<boolean> = {
  placeholder: "",
  allowed: "true or false",
  parse: (value) => booleans.get(value),
  show: String,
};

/** Returns a boolean flag whose default is true. */
export const onByDefault = (name: string, summary: string) => ({
  name,
  summary,
  type: boolean,
  default: true,
});

/** Returns a boolean flag whose default is false. */
export const offByDefault = (name: string, summary: string) => ({
  ...onByDefault(name, summary),
  default: false,
});

export function integer(min: number, max: number, placeholder = "N"): FlagType<number> {
  return {
    placeholder,
    allowed: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = Number(value);
      return /^[+-]?\d+$/.test(value) && number >= min && number <= max ? number : undefined;
    },
    show: String,
  };
}

/** A port; 0 means any free port. */
export const port: FlagType<number> = integer(0, 65_535, "PORT");

export const oneOf = <const Word extends string>(...words: readonly Word[]): FlagType<Word> => ({
  placeholder: "WORD",
  allowed: `one of ${words.join(", ")}`,
  parse: (value) => words.find((word) => word === value),
  show: String,
});

/** Comma-separated values without duplicates, in the given order. */
export function listOf<T>(type: FlagType<T>): FlagType<readonly T[]> {
  return {
    placeholder: `${type.placeholder},...`,
    allowed: `a comma-separated list, each ${type.allowed}`,
    parse: (value) => {
      const entries = value.split(",").map((entry) => type.parse(entry.trim()));
      const known = entries.filter((entry) => entry !== undefined);
      return known.length === entries.length ? [...new Set(known)] : undefined;
    },
    show: (values) => values.map(type.show).join(","),
  };
}

/** Comma-separated `KEY=VALUE`; each key at most once. */
export function entriesOf<T>(key: string, type: FlagType<T>): FlagType<ReadonlyMap<string, T>> {
  return {
    placeholder: `${key}=${type.placeholder},...`,
    allowed: `a comma-separated list of ${key}=${type.placeholder}, each ${key} once with ${type.allowed}`,
    parse: (text) => {
      const entries = text.split(",").map((entry) => entry.trim().split("="));
      const found = new Map<string, T>();
      for (const [name = "", value = "", ...more] of entries) {
        const parsed = type.parse(value);
        if (name === "" || parsed === undefined || more.length > 0 || found.has(name))
          return undefined;
        found.set(name, parsed);
      }
      return found;
    },
    show: (values) => [...values].map(([name, value]) => `${name}=${type.show(value)}`).join(","),
  };
}
