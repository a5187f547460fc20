import { z } from "zod";
import {
  bare,
  descriptionOf,
  enumerations,
  factsOf,
  mayBeLeftOut,
  type Word,
} from "../sdk/schemas/argument.ts";
import { componentArguments } from "../sdk/spec/components.ts";
import { ProgramPods } from "../sdk/spec/program-pods.ts";
import { kubernetesTypeNames } from "./kubernetes-types.ts";
import { comment, generatedFile, interfaceText, mentions } from "./type-text.ts";

/**
 * Generates the types of the components' arguments from the schemas of specs: an interface `{name}Args` for each
 * object, and for each enumeration an object and a type of the same name, so that programs may write
 * `ComponentType.Worker` or `"worker"`.
 *
 * Pulumi's analyzer, which describes components for other languages, does not support unions. Types with unions are
 * therefore also in a second file, in a form without unions.
 */

export const argumentTypesFile = "components/generated/args.ts";
export const argumentTypesElsewhereFile = "components/generated/args-of-other-languages.ts";

/** The modules of types that no schema of a spec describes. */
const modules: Readonly<Record<string, string>> = {
  PodTemplateArgs: "../pod-template.ts",
  ResourceRequirementsArgs: "../pod-template.ts",
  ...Object.fromEntries(kubernetesTypeNames.map((name) => [name, "./kubernetes.ts"])),
};

/** Types with a separate form for other languages. */
const modulesElsewhere: Readonly<Record<string, string>> = {
  PodTemplateArgs: "../pod-template-of-other-languages.ts",
};

/** Returns the types of arguments for programs in TypeScript. */
export function argumentTypes(): string {
  const types = typesFor("programs");
  const declared = [...types.values()].join("\n");
  return file(declared, modules);
}

/** Returns the types with a different form for other languages. */
export function argumentTypesElsewhere(): string {
  const types = typesFor("programs");
  const elsewhere = typesFor("other languages");
  const different = new Set(
    [...elsewhere.keys()].filter((name) => elsewhere.get(name) !== types.get(name)),
  );
  for (const name of Object.keys(modulesElsewhere)) different.add(name);
  // A type with a part that differs also differs.
  for (let size = 0; size !== different.size; ) {
    size = different.size;
    for (const [name, text] of elsewhere)
      if ([...different].some((part) => mentions(text, part))) different.add(name);
  }
  const declared = [...elsewhere]
    .filter(([name]) => different.has(name))
    .map(([, text]) => text)
    .join("\n");
  const same = [...types.keys()].filter((name) => !different.has(name));
  const ofArgs = Object.fromEntries(same.map((name) => [name, "./args.ts"]));
  return file(declared, { ...modules, ...modulesElsewhere, ...ofArgs });
}

const file = (declared: string, from: Readonly<Record<string, string>>) =>
  generatedFile("sdk/spec", "scripts/argument-types.ts", declared, Object.entries(from));

type Reader = "programs" | "other languages";

/** Returns declarations by name, in the order in which arguments refer to them. */
function typesFor(reader: Reader): Map<string, string> {
  const types = new Map<string, string>();
  for (const schema of Object.values(componentArguments)) typeOf(schema, reader, types);
  typeOf(ProgramPods, reader, types);
  return types;
}

/** Returns the type of a value, and declares the types that it refers to. */
function typeOf(schema: z.ZodType, reader: Reader, types: Map<string, string>): string {
  const plain = plainTypeOf(schema, reader, types);
  const { output } = factsOf(schema);
  // `pulumi.Inputs` and its contents are already Inputs.
  return output === true && !plain.startsWith("pulumi.Inputs") ? `pulumi.Input<${plain}>` : plain;
}

function plainTypeOf(schema: z.ZodType, reader: Reader, types: Map<string, string>): string {
  const { type, typeElsewhere = type, name, words } = factsOf(schema);
  const known = bare(schema);
  if (name !== undefined && known instanceof z.ZodUnion && type !== undefined)
    declare(types, name, () => alias(name, known));
  if (type !== undefined) return (reader === "programs" ? type : typeElsewhere) as string;
  if (known instanceof z.ZodEnum) {
    if (name === undefined || words === undefined) return "string";
    declare(types, name, () => enumeration(name, words));
    return name;
  }
  if (known instanceof z.ZodString) return "string";
  if (known instanceof z.ZodNumber) return "number";
  if (known instanceof z.ZodBoolean) return "boolean";
  if (known instanceof z.ZodLiteral) return JSON.stringify(known.value);
  if (known instanceof z.ZodArray) {
    const entry = typeOf(known.element as z.ZodType, reader, types);
    return / \| /.test(entry) ? `Array<${entry}>` : `${entry}[]`;
  }
  if (known instanceof z.ZodRecord)
    return `Record<string, ${typeOf(known.valueType as z.ZodType, reader, types)}>`;
  if (known instanceof z.ZodObject) return objectType(known, reader, types);
  if (known instanceof z.ZodDiscriminatedUnion) return variantsType(schema, reader, types);
  if (known instanceof z.ZodUnion) {
    const options = known.options as z.ZodType[];
    if (reader === "programs")
      return options.map((option) => typeOf(option, reader, types)).join(" | ");
    return typeOf(options.find((option) => option instanceof z.ZodObject) ?? known, reader, types);
  }
  throw new Error(`${descriptionOf(schema)}: a schema of type ${known.type} needs a type`);
}

function objectType(schema: z.ZodObject, reader: Reader, types: Map<string, string>): string {
  const { name, extending } = factsOf(schema);
  if (name === undefined)
    throw new Error(`an object of ${Object.keys(schema.shape).join(", ")} needs a name`);
  const declaration = `${name}Args`;
  declare(types, declaration, () => {
    const fields = Object.entries(schema.shape).map(([field, value]) =>
      fieldText(field, value as z.ZodType, reader, types),
    );
    return interfaceText(declaration, schema.description, extending, fields);
  });
  return declaration;
}

/** Returns the type of objects with a discriminator: a union for programs, one interface for other languages. */
function variantsType(schema: z.ZodType, reader: Reader, types: Map<string, string>): string {
  const union = bare(schema) as z.ZodDiscriminatedUnion;
  const options = union.options as z.ZodObject[];
  const declaration = `${factsOf(schema).name}Args`;
  const tags = tagsType(union, types);
  declare(types, declaration, () => {
    if (reader === "programs") {
      const variants = options.map((option) => typeOf(option, reader, types));
      return `${comment(union.description)}export type ${declaration} = ${variants.join(" | ")};\n`;
    }
    const fields = new Map<string, string>();
    const key = union.def.discriminator;
    for (const { shape } of options) {
      for (const [field, value] of Object.entries(shape)) {
        if (fields.has(field)) continue;
        const isCommon = options.every((option) => field in option.shape);
        const type = field === key ? tags : undefined;
        fields.set(
          field,
          fieldText(field, isCommon ? value : (value as z.ZodType).optional(), reader, types, type),
        );
      }
    }
    return interfaceText(declaration, union.description, undefined, [...fields.values()]);
  });
  return declaration;
}

/** Returns the enumeration with the values of all variants. */
function tagsType(union: z.ZodDiscriminatedUnion, types: Map<string, string>): string {
  const tags = (union.options as z.ZodObject[]).flatMap((option) => {
    const tag = bare(option.shape[union.def.discriminator] as z.ZodType);
    return tag instanceof z.ZodEnum ? tag.options : [...(tag as z.ZodLiteral).values];
  });
  const [name, { words }] = [...enumerations].find(
    ([, each]) => String(each.words.map(({ value }) => value)) === String(tags),
  ) ?? [String(tags), { words: [] }];
  declare(types, name, () => enumeration(name, words));
  return name;
}

/** Declares a type once. A type may refer to itself in its declaration. */
function declare(types: Map<string, string>, name: string, text: () => string): void {
  if (types.has(name)) return;
  types.set(name, "");
  const declared = text();
  if (!declared.startsWith("/**")) throw new Error(`${name} needs a description`);
  types.set(name, declared);
}

function fieldText(
  field: string,
  schema: z.ZodType,
  reader: Reader,
  types: Map<string, string>,
  type = typeOf(schema, reader, types),
): string {
  const description = descriptionOf(schema, "`");
  if (description === undefined) throw new Error(`${field} needs a description`);
  const isOptional = mayBeLeftOut(schema);
  return `${comment(description, "  ")}  ${field}${isOptional ? "?" : ""}: ${type};`;
}

function enumeration(name: string, words: readonly Word[]): string {
  const members = words.map(
    ({ name: word, value, description }) =>
      `${comment(description, "  ")}  ${word}: ${JSON.stringify(value)},`,
  );
  const { description } = enumerations.get(name) ?? { description: undefined };
  const type = `export type ${name} = (typeof ${name})[keyof typeof ${name}];`;
  const lines = type.length <= 100 ? type : type.replace(" = ", " =\n  ");
  return `${comment(description)}export const ${name} = {\n${members.join("\n")}\n} as const;\n${lines}\n`;
}

const alias = (name: string, union: z.ZodUnion) => {
  const options = (union.options as z.ZodType[]).map((option) =>
    typeOf(option, "programs", new Map()),
  );
  return `${comment(union.description)}export type ${name} = ${options.join(" | ")};\n`;
};
