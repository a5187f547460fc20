/** Fields of a `config.json`, read with errors that name the field. */

/** Error for a `config.json` in which a field is missing or has the wrong type. */
export class ModelConfigError extends Error {
  override readonly name = "ModelConfigError";
}

export type Config = Readonly<Record<string, unknown>>;

export const isConfig = (value: unknown): value is Config =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reader of the fields of one object of a `config.json`. */
export interface Fields {
  /** Returns the first of these fields that is a number; undefined if all are missing or null. */
  readonly find: (...names: string[]) => number | undefined;
  /** Returns the first of these fields that is a number, or throws an error that names them. */
  readonly number: (...names: string[]) => number;
  readonly text: (...names: string[]) => string | undefined;
  readonly flag: (name: string) => boolean | undefined;
  /** Returns a field that is a list; undefined for any other value. */
  readonly list: (name: string) => readonly unknown[] | undefined;
  readonly object: (name: string) => Config | undefined;
}

/** Returns a reader of a configuration. `defaults` has the values of fields that the configuration omits. */
export function fieldsOf(config: Config, defaults: Config = {}): Fields {
  const present = (name: string) =>
    (Object.hasOwn(config, name) ? config[name] : defaults[name]) ?? undefined;
  const find = (...names: string[]) => {
    const name = names.find((each) => present(each) !== undefined);
    if (name === undefined) return undefined;
    const value = present(name);
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
    throw new ModelConfigError(
      `config.json: "${name}" is ${JSON.stringify(value)}; allowed: a number of at least 0.`,
    );
  };
  return {
    find,
    number: (...names) => {
      const value = find(...names);
      if (value !== undefined) return value;
      throw new ModelConfigError(
        `config.json: "${names.join('" or "')}" is missing; allowed: a number. ` +
          "Pass the complete config.json of the model's repository.",
      );
    },
    text: (...names) =>
      names.map(present).find((value): value is string => typeof value === "string"),
    flag: (name) => {
      const value = present(name);
      return typeof value === "boolean" ? value : undefined;
    },
    list: (name) => {
      const value = present(name);
      return Array.isArray(value) ? value : undefined;
    },
    object: (name) => {
      const value = present(name);
      return isConfig(value) ? value : undefined;
    },
  };
}
