import { z } from "zod";

/**
 * Facts about an argument that zod does not store: the rule on Outputs, the argument types of the components and the
 * reference pages are generated from them.
 */
export interface ArgumentFacts {
  /** Whether the value and everything in it may be a Pulumi Output. Default: the value is plain. */
  readonly output?: boolean;
  /** Keys of a map whose values are plain, although the values of other keys may be Outputs. */
  readonly plainKeys?: (key: string) => boolean;
  /** Reason that the value is plain. Default: it decides which objects exist. */
  readonly because?: string;
  /** Type name: the name of an enumeration, or `{name}Args` for the interface of an object. */
  readonly name?: string;
  /** Members of an enumeration. */
  readonly words?: readonly Word[];
  /** TypeScript type, if the schema leaves it to Kubernetes. */
  readonly type?: string;
  /** Type in the packages of other languages. Default: the TypeScript type. */
  readonly typeElsewhere?: string;
  /** TypeScript type whose fields are added to the schema's fields. */
  readonly extending?: string;
  /** Schema that the API server validates the value against. Default: this schema without its defaults. */
  readonly stored?: z.ZodType;
  /** Whether programs may omit the value because the plan fills it in before the schema is applied. Default: false. */
  readonly isPlanned?: boolean;
}

export interface Word {
  /** Name of the enumeration's member. */
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

const stated = new WeakMap<z.core.$ZodType, ArgumentFacts>();

/**
 * Returns the facts of a schema. A schema that zod derives from another one, for example with `.describe()`, inherits
 * them.
 */
const statedBy = (schema: z.core.$ZodType): ArgumentFacts => ({
  ...(schema._zod.parent && statedBy(schema._zod.parent)),
  ...stated.get(schema),
});

/** Returns a copy of a schema with additional facts. */
function stating<Schema extends z.ZodType>(schema: Schema, facts: ArgumentFacts): Schema {
  const copy = schema.clone();
  stated.set(copy, facts);
  return copy;
}

/** Marks a value that the plan passes through, so that it may be an Output. */
export const output = <Schema extends z.ZodType>(schema: Schema, type?: string): Schema =>
  stating(schema, { output: true, ...(type !== undefined && { type }) });

/**
 * Sets the type of a value that Kubernetes reads: a type of `@pulumi/kubernetes` or of this project's typed classes.
 */
export const typed = <Schema extends z.ZodType>(
  type: string,
  schema: Schema,
  typeElsewhere?: string,
): Schema => stating(schema, { type, ...(typeElsewhere !== undefined && { typeElsewhere }) });

/** Marks a map whose values may be Outputs, except the values of some keys. */
export const withPlainKeys = <Schema extends z.ZodRecord>(
  plainKeys: (key: string) => boolean,
  schema: Schema,
): Schema => stating(schema, { plainKeys });

/** Marks a value as plain for a given reason. */
export const plainBecause = <Schema extends z.ZodType>(because: string, schema: Schema): Schema =>
  stating(schema, { because });

/** Names the type of an argument: `{name}Args` for an object. */
export const named = <Schema extends z.ZodType>(name: string, schema: Schema): Schema =>
  stating(schema, { name });

/** Returns the schema of a boolean argument whose default is true. */
export const onByDefault = (description: string) => z.boolean().default(true).describe(description);

/** Returns the schema of a boolean argument whose default is false. */
export const offByDefault = (description: string) =>
  z.boolean().default(false).describe(description);

/** Marks an object whose other fields come from a Kubernetes type. */
export const extending = <Schema extends z.ZodType>(type: string, schema: Schema): Schema =>
  stating(schema, { extending: type });

/** Marks a field that the API server validates against a different schema. */
export const storedAs = <Schema extends z.ZodType>(stored: z.ZodType, schema: Schema): Schema =>
  stating(schema, { stored });

/** Marks a field that the plan fills in before this schema is applied, if the program omits it. */
export const planned = <Schema extends z.ZodType>(schema: Schema): Schema =>
  stating(schema, { isPlanned: true });

type Values<Members extends Record<string, readonly [string, string]>> = Members[keyof Members][0];

/** Defines an enumeration from the name, value and description of each member. */
export function words<const Members extends Record<string, readonly [string, string]>>(
  name: string,
  description: string,
  members: Members,
): z.ZodEnum<{ [Value in Values<Members>]: Value }> {
  const entries = Object.entries(members).map(([word, [value, meaning]]) => ({
    name: word,
    value,
    description: meaning,
  }));
  return enumeration(name, description, entries);
}

/** Defines an enumeration from values defined elsewhere. Each member is named after its value. */
export const wordsOf = <Value extends string>(
  name: string,
  description: string,
  values: readonly Value[],
  meaning: (value: Value) => string,
): z.ZodEnum<{ [V in Value]: V }> =>
  enumeration(
    name,
    description,
    values.map((value) => ({ name: pascalCase(value), value, description: meaning(value) })),
  );

const pascalCase = (value: string) =>
  value.replace(/(^|[-.])(\w)/g, (_, _mark, letter: string) => letter.toUpperCase());

function enumeration<Entries extends Record<string, string>>(
  name: string,
  description: string,
  entries: readonly Word[],
): z.ZodEnum<Entries> {
  const schema = z.enum(entries.map(({ value }) => value));
  stated.set(schema, { name, words: entries });
  enumerations.set(name, { description, words: entries });
  return schema as unknown as z.ZodEnum<Entries>;
}

/** Enumerations by name, each with its description and members. */
export const enumerations = new Map<string, { description: string; words: readonly Word[] }>();

/** Returns a schema and the schemas inside its optional and default wrappers, the outermost first. */
export function unwrapped(schema: z.ZodType): z.ZodType[] {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? [schema, ...unwrapped(schema.unwrap() as z.ZodType)] : [schema];
}

/** Reports whether a program may omit an argument. */
export const mayBeLeftOut = (schema: z.ZodType): boolean =>
  unwrapped(schema).length > 1 || factsOf(schema).isPlanned === true;

/** Returns the facts of a schema's argument. */
export const factsOf = (schema: z.ZodType): ArgumentFacts =>
  Object.assign({}, ...unwrapped(schema).map(statedBy).reverse());

/** Returns a schema without its optional and default wrappers. */
export const bare = (schema: z.ZodType): z.ZodType => unwrapped(schema).at(-1) as z.ZodType;

/** Returns the default of a missing value; undefined if it has none or depends on other values. */
const defaultOf = (schema: z.ZodType): unknown =>
  unwrapped(schema)
    .filter((each) => each instanceof z.ZodDefault)
    .map((each) => each.def.defaultValue)[0];

/** Returns the description of a field. */
export const statedDescription = (schema: z.ZodType): string | undefined =>
  unwrapped(schema)
    .map((each) => each.description)
    .find((each) => each !== undefined);

/** Returns the default of a field as text; undefined if it has none or depends on other fields. */
export function defaultInWords(schema: z.ZodType, quote = ""): string | undefined {
  const value = defaultOf(schema);
  return value === undefined ? undefined : inWords(value, quote);
}

/** Returns the description of a field, with its default. */
export function descriptionOf(schema: z.ZodType, quote = ""): string | undefined {
  const text = statedDescription(schema);
  const value = defaultInWords(schema, quote);
  if (value === undefined || text?.includes("Default")) return text;
  return [text, `Default ${value}.`].filter(Boolean).join(" ");
}

function inWords(value: unknown, quote: string): string {
  if (Array.isArray(value))
    return value.length === 0 ? "none" : value.map((each) => inWords(each, quote)).join(", ");
  if (typeof value === "object" && value !== null) return "none";
  return typeof value === "string" ? `${quote}${value}${quote}` : String(value);
}
