import { isDeepStrictEqual } from "node:util";

/** A property as it travels between program, engine and provider: JSON plus the marked values below. */
export type PropertyValue = unknown;
export type PropertyMap = Record<string, PropertyValue>;

// The signature key and the kinds of marked values are part of Pulumi's wire and state format.
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** What stands for a value that is not known before the update, in previews. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export interface Secret {
  [SIGNATURE]: typeof SECRET;
  value: PropertyValue;
}

/** A value with the resources it depends on, as transforms see it. Without `value` it is unknown. */
export interface OutputValue {
  [SIGNATURE]: typeof OUTPUT;
  value?: PropertyValue;
  secret?: boolean;
  dependencies?: string[];
}

export function isMap(value: PropertyValue): value is PropertyMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isSecret(value: PropertyValue): value is Secret {
  return isMap(value) && value[SIGNATURE] === SECRET;
}

export function isOutputValue(value: PropertyValue): value is OutputValue {
  return isMap(value) && value[SIGNATURE] === OUTPUT;
}

export function isUnknown(value: PropertyValue): boolean {
  return value === UNKNOWN;
}

/** Marks a value as secret; a secret stays as it is. */
export function secret(value: PropertyValue): Secret {
  return isSecret(value) ? value : { [SIGNATURE]: SECRET, value };
}

/** Rebuilds a value from the leaves up to its marked values; `rewrite` answers `undefined` to go on inside. */
export function mapValue(
  value: PropertyValue,
  rewrite: (value: PropertyValue) => { value: PropertyValue } | undefined,
): PropertyValue {
  const rewritten = rewrite(value);
  if (rewritten !== undefined) return rewritten.value;
  if (Array.isArray(value)) return value.map((item) => mapValue(item, rewrite));
  if (!isMap(value)) return value;
  return mapMap(value, (item) => mapValue(item, rewrite));
}

/** Applies a function to each property; properties that become `undefined` are left out. */
export function mapMap(
  map: PropertyMap,
  change: (value: PropertyValue, key: string) => PropertyValue,
): PropertyMap {
  const result: PropertyMap = {};
  for (const [key, value] of Object.entries(map)) {
    const changed = change(value, key);
    if (changed !== undefined) result[key] = changed;
  }
  return result;
}

/** Whether a value or anything inside it satisfies the test. */
export function someValue(value: PropertyValue, test: (value: PropertyValue) => boolean): boolean {
  if (test(value)) return true;
  if (Array.isArray(value)) return value.some((item) => someValue(item, test));
  return isMap(value) && Object.values(value).some((item) => someValue(item, test));
}

export const containsSecrets = (value: PropertyValue) => someValue(value, isSecret);

export const containsUnknowns = (value: PropertyValue) =>
  someValue(value, (v) => isUnknown(v) || (isOutputValue(v) && !("value" in v)));

/** The value in clear: for providers and comparisons, never for display or storage. */
export function withoutSecrets<T extends PropertyValue>(value: T): T {
  return mapValue(value, (v) =>
    isSecret(v) ? { value: withoutSecrets(v.value) } : undefined,
  ) as T;
}

/** Whether two values are the same in clear. */
export function sameValue(a: PropertyValue, b: PropertyValue): boolean {
  return isDeepStrictEqual(withoutSecrets(a), withoutSecrets(b));
}

/** Marks in `outputs` what is secret in `inputs`, so that a provider that knows no secrets does not lose them. */
export function carrySecrets(outputs: PropertyMap, inputs: PropertyMap): PropertyMap {
  return mapMap(outputs, (output, key) => carrySecret(output, inputs[key]));
}

function carrySecret(output: PropertyValue, input: PropertyValue): PropertyValue {
  if (isSecret(output) || input === undefined) return output;
  if (isSecret(input)) return secret(output);
  if (isMap(output) && isMap(input)) return carrySecrets(output, input);
  if (Array.isArray(output) && Array.isArray(input)) {
    if (output.length === input.length) return output.map((item, i) => carrySecret(item, input[i]));
    // Items cannot be told apart after a server added or dropped some, so all of them are kept secret.
    return containsSecrets(input) ? secret(output) : output;
  }
  return output;
}

/** Secrets and unknowns as output values, with the dependencies of each property: what transforms are given. */
export function toOutputValues(
  map: PropertyMap,
  dependencies: Record<string, readonly string[]>,
): PropertyMap {
  return mapMap(map, (value, key) => {
    const upgraded = mapValue(value, upgrade);
    const needed = dependencies[key] ?? [];
    const present = new Set(dependenciesOf(upgraded));
    if (needed.every((urn) => present.has(urn))) return upgraded;
    const output = isOutputValue(upgraded) ? upgraded : { [SIGNATURE]: OUTPUT, value: upgraded };
    return {
      ...output,
      dependencies: [
        ...new Set([...(isOutputValue(output) ? (output.dependencies ?? []) : []), ...needed]),
      ],
    };
  });
}

function upgrade(value: PropertyValue): { value: PropertyValue } | undefined {
  if (isUnknown(value)) return { value: { [SIGNATURE]: OUTPUT } };
  if (!isSecret(value)) return undefined;
  const inner = mapValue(value.value, upgrade);
  const output = isOutputValue(inner) ? inner : { [SIGNATURE]: OUTPUT, value: inner };
  return { value: { ...output, secret: true } };
}

/** The reverse of toOutputValues: plain values, secrets and unknowns. */
export function fromOutputValues(map: PropertyMap): PropertyMap {
  return mapMap(map, downgrade);
}

function downgrade(value: PropertyValue): PropertyValue {
  return mapValue(value, (v) => {
    if (!isOutputValue(v)) return undefined;
    const plain = "value" in v ? downgrade(v.value) : UNKNOWN;
    return { value: v.secret ? secret(plain) : plain };
  });
}

/** URNs that the output values inside a value depend on. */
export function dependenciesOf(value: PropertyValue): string[] {
  const found = new Set<string>();
  someValue(value, (v) => {
    if (isOutputValue(v)) for (const urn of v.dependencies ?? []) found.add(urn);
    return false;
  });
  return [...found];
}
