import type { PackageSchema, PropertySchema, TypeSchema } from "./package-schema.ts";

/**
 * Returns the changes of a schema that break programs in other languages that use the released schema. Each text names the
 * changed part and the way out. Values that programs write must not become narrower, values that they read must not disappear.
 */
export function breakingChanges(released: PackageSchema, current: PackageSchema): string[] {
  const found: string[] = [];
  for (const [token, before] of Object.entries(released.resources)) {
    const now = current.resources[token];
    if (now === undefined) {
      found.push(missing("resource", token, Object.keys(current.resources)));
      continue;
    }
    found.push(
      ...changedFields(`resource ${token}, argument`, before.inputProperties, now.inputProperties),
      ...newlyRequired(`resource ${token}, argument`, before.requiredInputs, now.requiredInputs),
      ...changedFields(`resource ${token}, output`, before.properties, now.properties),
    );
  }
  for (const [token, before] of Object.entries(released.types)) {
    const now = current.types[token];
    if (now === undefined) found.push(missing("type", token, Object.keys(current.types)));
    else found.push(...changedType(token, before, now));
  }
  return found;
}

function changedType(token: string, before: TypeSchema, now: TypeSchema): string[] {
  if (before.type !== now.type)
    return [`type ${token} was ${before.type} and is ${now.type}. ${restore}`];
  const values = new Map(now.enum?.map(({ value, name }) => [value, name]));
  const lost = (before.enum ?? []).filter(({ value }) => !values.has(value));
  const renamed = (before.enum ?? []).filter(
    ({ value, name }) => values.has(value) && values.get(value) !== name,
  );
  return [
    ...lost.map(({ value }) => `type ${token} has lost the value ${value}. ${restore}`),
    ...renamed.map(
      ({ value, name }) =>
        `type ${token}: the value ${value} was named ${name} and is named ${values.get(value)}. ${restore}`,
    ),
    ...changedFields(`type ${token}, property`, before.properties, now.properties),
    ...newlyRequired(`type ${token}, property`, before.required, now.required),
  ];
}

type Fields = Readonly<Record<string, PropertySchema>>;

function changedFields(owner: string, before: Fields = {}, now: Fields = {}): string[] {
  return Object.entries(before).flatMap(([name, property]) => {
    const changed = now[name];
    if (changed === undefined) return [missing(owner, name, Object.keys(now))];
    const [was, is] = [shapeOf(property), shapeOf(changed)];
    return was === is ? [] : [`${owner} ${name} was ${was} and is ${is}. ${restore}`];
  });
}

const newlyRequired = (
  owner: string,
  before: readonly string[] = [],
  now: readonly string[] = [],
): string[] =>
  now
    .filter((name) => !before.includes(name))
    .map(
      (name) =>
        `${owner} ${name} has become required. Give it a default, or release a new major version and record its schema.`,
    );

/** Returns the type of a property as text, such as `plain list of string`. */
function shapeOf({ type, $ref, plain, items, additionalProperties }: PropertySchema): string {
  const inner = items ?? additionalProperties;
  const kind = $ref ?? (items ? "list" : additionalProperties ? "map" : type);
  return [plain && "plain", kind, inner && `of ${shapeOf(inner)}`].filter(Boolean).join(" ");
}

const restore =
  "Restore it and deprecate it, or release a new major version and record its schema.";

const missing = (owner: string, name: string, others: readonly string[]): string => {
  const similar = others.find((other) => other.toLowerCase() === name.toLowerCase());
  const hint = similar === undefined ? "" : ` ${similar} has a different case.`;
  return `${owner} ${name} is missing.${hint} ${restore}`;
};
