import { z } from "zod";

/**
 * What a schema says of an argument beyond its shape. The rule on Outputs, the types of the components' arguments and
 * the reference pages are made from it; what zod itself makes of a schema does not have it.
 */
export interface ArgumentFacts {
  /** Whether the value, and all that is in it, may be a Pulumi Output. Default: it is plain. */
  readonly output?: boolean;
  /** Keys of a map whose values are plain although those of other keys may be Outputs. */
  readonly plainKeys?: (key: string) => boolean;
  /** Why the value is plain. Default: it shapes which objects exist. */
  readonly because?: string;
  /** Name of the type: an enumeration is called so, and an object's interface `{name}Args`. */
  readonly name?: string;
  /** The words of an enumeration. */
  readonly words?: readonly Word[];
  /** TypeScript's type, where the schema leaves it to Kubernetes. */
  readonly type?: string;
  /** The type in packages of other languages. Default: the same. */
  readonly typeElsewhere?: string;
  /** TypeScript's type of the fields beside those of the schema. */
  readonly extending?: string;
  /** The schema that the API server holds the value to. Default: this one, without defaults. */
  readonly stored?: z.ZodType;
  /** Whether programs may leave the value out since the plan writes it before the schema is applied. Default: they may not. */
  readonly isPlanned?: boolean;
}

export interface Word {
  /** The word's name among those of the enumeration. */
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

const stated = new WeakMap<z.core.$ZodType, ArgumentFacts>();

/** A schema that zod makes of another one, by `.describe()` for example, says what that one says. */
const statedBy = (schema: z.core.$ZodType): ArgumentFacts => ({
  ...(schema._zod.parent && statedBy(schema._zod.parent)),
  ...stated.get(schema),
});

/** A copy of a schema that says more of its argument. */
function stating<Schema extends z.ZodType>(schema: Schema, facts: ArgumentFacts): Schema {
  const copy = schema.clone();
  stated.set(copy, facts);
  return copy;
}

/** A value that a plan passes through, so that it may be an Output. */
export const output = <Schema extends z.ZodType>(schema: Schema, type?: string): Schema =>
  stating(schema, { output: true, ...(type !== undefined && { type }) });

/** A value that Kubernetes reads, of a type that `@pulumi/kubernetes` or this project's typed classes have. */
export const typed = <Schema extends z.ZodType>(
  type: string,
  schema: Schema,
  typeElsewhere?: string,
): Schema => stating(schema, { type, ...(typeElsewhere !== undefined && { typeElsewhere }) });

/** A map whose values may be Outputs, except those of some keys. */
export const withPlainKeys = <Schema extends z.ZodRecord>(
  plainKeys: (key: string) => boolean,
  schema: Schema,
): Schema => stating(schema, { plainKeys });

/** A value that is plain for a reason of its own. */
export const plainBecause = <Schema extends z.ZodType>(because: string, schema: Schema): Schema =>
  stating(schema, { because });

/** An object that has a type of its own among the arguments, `{name}Args`. */
export const named = <Schema extends z.ZodType>(name: string, schema: Schema): Schema =>
  stating(schema, { name });

/** An object whose other fields are those of a type of Kubernetes. */
export const extending = <Schema extends z.ZodType>(type: string, schema: Schema): Schema =>
  stating(schema, { extending: type });

/** A field that the API server holds to another schema than this project does. */
export const storedAs = <Schema extends z.ZodType>(stored: z.ZodType, schema: Schema): Schema =>
  stating(schema, { stored });

/** A field that the plan writes if the program leaves it out, before this schema is applied. */
export const planned = <Schema extends z.ZodType>(schema: Schema): Schema =>
  stating(schema, { isPlanned: true });

type Values<Members extends Record<string, readonly [string, string]>> = Members[keyof Members][0];

/** A closed list of words: the name of each, its value and what it means. */
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

/** A closed list of words that others define: each is named as its value is spelled. */
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

/** The enumerations by name: what their words are for, and which there are. */
export const enumerations = new Map<string, { description: string; words: readonly Word[] }>();

/** A schema without what says that a value may be left out, the outermost first. */
export function unwrapped(schema: z.ZodType): z.ZodType[] {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? [schema, ...unwrapped(schema.unwrap() as z.ZodType)] : [schema];
}

/** Whether a program may leave an argument out. */
export const mayBeLeftOut = (schema: z.ZodType): boolean =>
  unwrapped(schema).length > 1 || factsOf(schema).isPlanned === true;

/** What a schema says of its argument. */
export const factsOf = (schema: z.ZodType): ArgumentFacts =>
  Object.assign({}, ...unwrapped(schema).map(statedBy).reverse());

/** The schema of a value that is there. */
export const bare = (schema: z.ZodType): z.ZodType => unwrapped(schema).at(-1) as z.ZodType;

/** What a value that is left out becomes; undefined where it stays away or depends on others. */
const defaultOf = (schema: z.ZodType): unknown =>
  unwrapped(schema)
    .filter((each) => each instanceof z.ZodDefault)
    .map((each) => each.def.defaultValue)[0];

/** What a field is for. */
export const statedDescription = (schema: z.ZodType): string | undefined =>
  unwrapped(schema)
    .map((each) => each.description)
    .find((each) => each !== undefined);

/** The default of a field that is the same whatever else is given. */
export function defaultInWords(schema: z.ZodType, quote = ""): string | undefined {
  const value = defaultOf(schema);
  return value === undefined ? undefined : inWords(value, quote);
}

/** What a field is for, with its default. */
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
