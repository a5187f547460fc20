import { z } from "zod";
import {
  bare,
  defaultInWords,
  enumerations,
  factsOf,
  mayBeLeftOut,
  statedDescription,
} from "../sdk/schemas/argument.ts";
import { componentArguments } from "../sdk/spec/components.ts";
import { code, table } from "./doc-tables/table.ts";

/**
 * The reference of all arguments, generated from the schemas of specs: one page for each component, and one for the
 * types that several components share.
 */

const folder = "docs/reference";

/** A component of other components, whose types are on their pages. */
const madeOfOthers = "MultiClusterInferenceService";

export function referencePages(): Map<string, string> {
  const types = Object.entries(componentArguments).map(
    ([component, schema]) => [component, schema, typesIn(schema)] as const,
  );
  /** The page of each type: the page of the only component that uses it, otherwise the page of shared types. */
  const pageOf = new Map<string, string>();
  const found = new Map<string, z.ZodType>();
  for (const [component, , used] of types) {
    for (const [name, type] of used) {
      if (component !== madeOfOthers || !pageOf.has(name))
        pageOf.set(name, pageOf.has(name) ? "types" : component);
      found.set(name, type);
    }
  }
  const sectionsOn = (here: string) => {
    const names = [...found.keys()].filter((name) => pageOf.get(name) === here);
    const sorted = here === "types" ? names.sort() : names;
    return sorted.flatMap((name) => section(name, found.get(name) as z.ZodType, linkFrom(here)));
  };
  const linkFrom = (here: string) => (name: string) =>
    `${pageOf.get(name) === here ? "" : `${pageOf.get(name)}.md`}#${name.toLowerCase()}`;
  return new Map([
    [`${folder}/README.md`, index()],
    ...types.map(([component, schema]): [string, string] => [
      `${folder}/${component}.md`,
      page(component, [
        schema.description ?? "",
        "",
        ...fieldTable(schema, linkFrom(component)),
        ...sectionsOn(component),
      ]),
    ]),
    [
      `${folder}/types.md`,
      page("Types of several components", [
        "Objects and enumerations that the arguments of several components contain.",
        ...sectionsOn("types"),
      ]),
    ],
  ]);
}

const page = (title: string, lines: readonly string[]) =>
  [
    `# ${title}`,
    "",
    ...lines,
    "",
    `Generated from [the schemas](../../sdk/spec) by \`npm run generate\`.`,
    "",
  ].join("\n");

const index = () =>
  page("Reference of all arguments", [
    "The arguments of every component: each key with its type, its default, and whether it may be a Pulumi Output.",
    "[Types of several components](types.md) are on a separate page. Values that decide which objects exist are plain, so that a",
    "preview shows every object.",
    "",
    ...table(
      ["Component", "Description"],
      Object.entries(componentArguments).map(([component, { description }]) => [
        `[\`${component}\`](${component}.md)`,
        paragraphs(description ?? ""),
      ]),
    ),
  ]);

/** Returns the types of a schema's fields by name, in the order of the fields. */
function typesIn(schema: z.ZodType, found = new Map<string, z.ZodType>(), isRoot = true) {
  const known = bare(schema);
  const { name, type } = factsOf(schema);
  const isObject = known instanceof z.ZodObject || known instanceof z.ZodDiscriminatedUnion;
  if (type !== undefined) {
    if (enumerations.has(type)) found.set(type, known);
    return found;
  }
  if (name !== undefined && !isRoot) {
    const key = isObject ? `${name}Args` : name;
    if (found.has(key)) return found;
    found.set(key, schema);
  }
  for (const inner of innerOf(known)) typesIn(inner, found, false);
  return found;
}

function innerOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType];
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType];
  if (schema instanceof z.ZodUnion) return schema.options as z.ZodType[];
  return schema instanceof z.ZodObject ? (Object.values(schema.shape) as z.ZodType[]) : [];
}

type Link = (name: string) => string;

function section(name: string, schema: z.ZodType, link: Link): string[] {
  const known = bare(schema);
  const words = enumerations.get(name);
  if (words !== undefined)
    return [
      "",
      `## ${name}`,
      "",
      words.description,
      "",
      ...table(
        ["Value", "Meaning"],
        words.words.map(({ value, description }) => [code(value), paragraphs(description)]),
      ),
    ];
  if (known instanceof z.ZodObject)
    return ["", `## ${name}`, "", known.description ?? "", "", ...fieldTable(known, link)];
  const options = known instanceof z.ZodUnion ? (known.options as z.ZodType[]) : [];
  const forms = options.map((option) => typeText(option, link)).join(" or ");
  return ["", `## ${name}`, "", `${known.description} It is ${forms}.`];
}

/** Returns the fields of an object, one row each. */
const fieldTable = (schema: z.ZodObject, link: Link): string[] =>
  table(
    ["Key", "Description", "Type", "Default"],
    Object.entries(schema.shape).map(([key, value]) => row(key, value as z.ZodType, link)),
  );

function row(key: string, schema: z.ZodType, link: Link): string[] {
  const fallback = defaultInWords(schema);
  const value = mayBeLeftOut(schema) ? fallback && code(fallback) : "required";
  return [
    code(key),
    paragraphs(statedDescription(schema) ?? ""),
    `${typeText(schema, link)}${outputs(schema)}`,
    value ?? "",
  ];
}

/** Returns the addition to the type of a value that may be an Output, or of one whose entries may be. */
function outputs(schema: z.ZodType): string {
  if (factsOf(schema).output === true) return ", or an Output";
  const known = bare(schema);
  const entry =
    known instanceof z.ZodArray
      ? known.element
      : known instanceof z.ZodRecord
        ? known.valueType
        : undefined;
  return entry !== undefined && factsOf(entry as z.ZodType).output === true
    ? ", or of Outputs"
    : "";
}

function typeText(schema: z.ZodType, link: Link): string {
  const known = bare(schema);
  const { name, type } = factsOf(schema);
  if (type !== undefined) return enumerations.has(type) ? linked(type, link) : kubernetesType(type);
  if (known instanceof z.ZodArray) return `list of ${typeText(known.element as z.ZodType, link)}`;
  if (known instanceof z.ZodRecord) return `map of ${typeText(known.valueType as z.ZodType, link)}`;
  if (name !== undefined) return linked(known instanceof z.ZodEnum ? name : `${name}Args`, link);
  if (known instanceof z.ZodEnum) return known.options.map((word) => `\`${word}\``).join(" or ");
  if (known instanceof z.ZodLiteral) return `\`${JSON.stringify(known.value)}\``;
  if (known instanceof z.ZodNumber) return known.isInt ? "whole number" : "number";
  if (known instanceof z.ZodUnion)
    return (known.options as z.ZodType[]).map((option) => typeText(option, link)).join(" or ");
  return known instanceof z.ZodBoolean ? "boolean" : "string";
}

const linked = (name: string, link: Link) => `[${name}](${link(name)})`;

/** Returns a type of Kubernetes or Pulumi, by its name in their documentation. */
function kubernetesType(type: string): string {
  if (type === "pulumi.Inputs") return "object";
  if (type === "pulumi.Inputs[string]") return "whole number or string";
  if (type === "WaitFor") return '`true`, `false` or `"Available"`';
  const name = type.replace(/^types\.input\./, "").replace(/ \| undefined$/, "");
  return /^[a-z]+$/.test(name) ? name : `\`${name.replace(/Args$/, "").replace("pulumi.", "")}\``;
}

/** Keeps paragraphs apart in a cell of a table. */
const paragraphs = (text: string) => text.replaceAll("\n\n", "<br><br>");
