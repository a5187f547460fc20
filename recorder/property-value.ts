/** A property in messages between program, engine and provider: JSON plus the marked values below. */
export type PropertyValue = unknown;
export type PropertyMap = Record<string, PropertyValue>;

// The signature key and the kinds of marked values are defined by Pulumi's wire and state formats.
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** Represents a value in previews that is not known before the update. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export interface Secret {
  [SIGNATURE]: typeof SECRET;
  value: PropertyValue;
}

/** A value with the resources that it depends on, as transforms receive it. Without `value` it is unknown. */
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

/** Marks a value as secret. A secret is returned unchanged. */
export function secret(value: PropertyValue): Secret {
  return isSecret(value) ? value : { [SIGNATURE]: SECRET, value };
}

/**
 * Rebuilds a value. `rewrite` returns the replacement of a value or a part of it, or `undefined` to visit its
 * contents.
 */
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

/** Applies a function to each property. Properties that become `undefined` are omitted. */
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

/** Whether a value or a value inside it passes the test. */
export function someValue(value: PropertyValue, test: (value: PropertyValue) => boolean): boolean {
  if (test(value)) return true;
  if (Array.isArray(value)) return value.some((item) => someValue(item, test));
  return isMap(value) && Object.values(value).some((item) => someValue(item, test));
}

export const containsSecrets = (value: PropertyValue) => someValue(value, isSecret);

export const containsUnknowns = (value: PropertyValue) =>
  someValue(value, (v) => isUnknown(v) || (isOutputValue(v) && !("value" in v)));

/** Returns the value in clear text: for providers and comparisons, never for display or storage. */
export function withoutSecrets<T extends PropertyValue>(value: T): T {
  return mapValue(value, (v) =>
    isSecret(v) ? { value: withoutSecrets(v.value) } : undefined,
  ) as T;
}

/** Marks the secrets of `inputs` in a completed copy of them in clear text, whose lists have the same items. */
export function carrySecrets(completed: PropertyMap, inputs: PropertyMap): PropertyMap {
  return mapMap(completed, (value, key) => carrySecret(value, inputs[key]));
}

function carrySecret(value: PropertyValue, input: PropertyValue): PropertyValue {
  if (isSecret(input)) return secret(value);
  if (isMap(value) && isMap(input)) return carrySecrets(value, input);
  if (Array.isArray(value) && Array.isArray(input))
    return value.map((item, at) => carrySecret(item, input[at]));
  return value;
}

/**
 * Converts secrets and unknowns to output values with the dependencies of each property, the format for transforms.
 */
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

/** Reverts toOutputValues: returns plain values, secrets and unknowns. */
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

/** Returns the URNs of the dependencies in all output values within a value. */
export function dependenciesOf(value: PropertyValue): string[] {
  const found = new Set<string>();
  someValue(value, (v) => {
    if (isOutputValue(v)) for (const urn of v.dependencies ?? []) found.add(urn);
    return false;
  });
  return [...found];
}
