import { modelFromConfig } from "../../sdk/engines/models/config.ts";
import { type Config, isConfig } from "../../sdk/engines/models/config-fields.ts";

/** A value of a `config.json`, and a function that returns the parts of it that were read. */
interface Recording {
  readonly value: unknown;
  readonly read: () => unknown;
}

/**
 * Returns the fields of a `config.json` that `modelFromConfig` reads, sorted by name. Objects in them keep their order,
 * because the first group of a quantization that matches a weight applies.
 *
 * @throws ModelConfigError if `modelFromConfig` refuses the configuration
 */
export function fieldsRead(config: unknown): Config {
  const { value, read } = recorded(config);
  modelFromConfig(value);
  return Object.fromEntries(Object.entries(read() as Config).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function recorded(value: unknown): Recording {
  if (Array.isArray(value)) {
    const items = value.map(recorded);
    return { value: items.map((item) => item.value), read: () => items.map((item) => item.read()) };
  }
  if (!isConfig(value)) return { value, read: () => value };
  const fields = new Map<string, Recording>();
  const get = (config: Config, name: string | symbol) => {
    if (typeof name !== "string" || !Object.hasOwn(config, name)) return undefined;
    const field = fields.get(name) ?? recorded(config[name]);
    fields.set(name, field);
    return field.value;
  };
  return {
    value: new Proxy(value, { get }),
    read: () =>
      Object.fromEntries(
        Object.keys(value).flatMap((name) => {
          const field = fields.get(name);
          return field === undefined ? [] : [[name, field.read()]];
        }),
      ),
  };
}
