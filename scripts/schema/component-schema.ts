import { createRequire } from "node:module";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { componentArguments } from "../../sdk/spec/components.ts";
import type {
  PackageSchema,
  PropertySchema,
  ResourceSchema,
  TypeSchema,
} from "./package-schema.ts";
import { specTypes } from "./spec-types.ts";

/**
 * Generates the schema of the package that other languages use. Pulumi's analyzer reads the components from TypeScript.
 * This file then gives the types shorter names, because generators append `Args` to the names of inputs, and it adds
 * integers and descriptions, which the analyzer does not read.
 */
const packageName = "inference";

/** Names of all components. InferenceCrds and InferencePlatform have no spec. */
export const componentNames: readonly string[] = [
  ...Object.keys(componentArguments),
  "InferenceCrds",
  "InferencePlatform",
];

interface Analysis {
  readonly components: Readonly<Record<string, object>>;
  readonly typeDefinitions: Readonly<Record<string, object>>;
}

// The package does not export these modules to TypeScript.
const load = createRequire(import.meta.url);
const { Analyzer } = load("@pulumi/pulumi/provider/experimental/analyzer") as {
  Analyzer: new (
    folder: string,
    name: string,
    manifest: object,
    components: ReadonlySet<string>,
  ) => { analyze(): Analysis };
};
const { generateSchema } = load("@pulumi/pulumi/provider/experimental/schema") as {
  generateSchema(
    name: string,
    version: string,
    description: string,
    ...of: object[]
  ): PackageSchema;
};

/** Folder whose index.ts has the components in the form that the analyzer reads. */
const analyzed = join(import.meta.dirname, "../../components/other-languages");

/** Returns the text of the schema. */
export function componentSchema(): string {
  const analyzer = new Analyzer(analyzed, packageName, {}, new Set(componentNames));
  const { components, typeDefinitions } = analyzer.analyze();
  const { version, homepage, license, keywords, repository } = manifest;
  const { resources, types, language, ...others } = generateSchema(
    packageName,
    version,
    "",
    components,
    typeDefinitions,
    [],
  );
  const schema = {
    ...others,
    // The schema has this description in every language.
    description:
      "Run large language models on Kubernetes: components for inference services, pools, models and routes",
    displayName: "Pulumi Inference",
    homepage,
    license,
    keywords,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    publisher: manifest.name,
    language: { ...language, go: goSettings, python: pythonSettings },
    resources: inOrder(mapValues(resources, resourceOf)),
    types: inOrder(renamed(types)),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Without extra types, the generator of Go omits `Args` types that only lists of plain values contain. */
const goSettings = { respectSchemaVersion: true, generateExtraInputTypes: true };

/** Programs in Python may write arguments as classes or as typed dictionaries. */
const pythonSettings = {
  respectSchemaVersion: true,
  pyproject: { enabled: true },
  inputTypes: "classes-and-dicts",
};

const { descriptions, fractions } = specTypes();

const resourceOf = (
  { description, ...resource }: ResourceSchema,
  token: string,
): ResourceSchema => ({
  ...(description !== undefined && { description: withoutExamples(description) }),
  ...resource,
  inputProperties: propertiesOf(resource.inputProperties, nameOf(token)),
  properties: propertiesOf(resource.properties, nameOf(token)),
});

/** Returns a description without its examples, which are in TypeScript. */
const withoutExamples = (description: string) =>
  description.replaceAll(/\n*```ts\n[\s\S]*?```/g, "").trim();

function renamed(types: Readonly<Record<string, TypeSchema>>): Record<string, TypeSchema> {
  const entries = Object.entries(types).map(([token, type]): [string, TypeSchema] => {
    const name = shortName(token);
    const description = descriptions.get(nameOf(name));
    const { properties } = type;
    return [
      name,
      {
        ...(description !== undefined && { description }),
        ...type,
        ...(properties !== undefined && { properties: propertiesOf(properties, nameOf(name)) }),
      },
    ];
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Error(`two types have the name ${twice} without the ending Args; rename one of them`);
  return Object.fromEntries(entries);
}

const nameOf = (token: string) => token.slice(token.lastIndexOf(":") + 1);
const shortName = (token: string) => token.replace(/Args$/, "");

const propertiesOf = (properties: Readonly<Record<string, PropertySchema>>, owner: string) =>
  mapValues(properties, (property, name) =>
    propertyOf(property, fractions.has(`${owner}.${name}`) ? "number" : "integer"),
  );

function propertyOf(property: PropertySchema, number: string): PropertySchema {
  const {
    optional: _,
    type,
    $ref,
    items,
    additionalProperties,
    ...others
  } = property as PropertySchema & { optional?: boolean };
  return {
    ...(type !== undefined && { type: type === "number" ? number : type }),
    ...($ref !== undefined && { $ref: shortName($ref) }),
    ...(items && { items: propertyOf(items, number) }),
    ...(additionalProperties && {
      additionalProperties: propertyOf(additionalProperties, number),
    }),
    ...others,
  };
}

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));

const inOrder = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
