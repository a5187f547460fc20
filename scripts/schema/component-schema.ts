import { createRequire } from "node:module";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { componentArguments } from "../../sdk/spec/components.ts";
import { kubernetesField, kubernetesType, typeComments } from "./kubernetes-descriptions.ts";
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

/** Text of the README.md of the generated package. */
const readme = `# pulumi_inference

Typed arguments of the components of \`${manifest.name}\`, a package of npm that the folder of \`Pulumi.yaml\` must contain.
\`pulumi package add ./node_modules/${manifest.name}/plugin\` generates this package again after an update.

- Arguments are in snake case: \`max_model_len\`. Descriptions and messages contain the names of the schema, in camel case:
  \`engine.maxModelLen\` is the argument \`max_model_len\` of \`EngineSettingsArgs\`.
- Fields that Kubernetes defines keep its names in dictionaries: \`{"mountPath": "/models"}\`.
- Pages in \`node_modules/${manifest.name}/docs\`: languages/python.md contains an example, and reference/README.md lists every
  argument.
`;

/** Without extra types, the generator of Go omits `Args` types that only lists of plain values contain. */
const goSettings = { respectSchemaVersion: true, generateExtraInputTypes: true };

/** Programs in Python may write arguments as classes or as typed dictionaries. */
const pythonSettings = {
  respectSchemaVersion: true,
  pyproject: { enabled: true },
  inputTypes: "classes-and-dicts",
  readme,
};

const { descriptions, fractions } = specTypes();
const comments = typeComments();

const resourceOf = (
  { description, ...resource }: ResourceSchema,
  token: string,
): ResourceSchema => ({
  ...(description !== undefined && {
    description: withInstalledPages(withoutExamples(description)),
  }),
  ...resource,
  inputProperties: propertiesOf(resource.inputProperties, nameOf(token)),
  properties: propertiesOf(resource.properties, nameOf(token)),
});

/** Names pages by their paths in the project, which contains the npm package: a generated package has no pages. */
const withInstalledPages = (text: string) =>
  text.replaceAll(/(?<![\w/])(?=docs\/[\w/-]+\.md)/g, `node_modules/${manifest.name}/`);

/** Returns a description without its examples, which are in TypeScript. */
const withoutExamples = (description: string) =>
  description.replaceAll(/\n*```ts\n[\s\S]*?```/g, "").trim();

function renamed(types: Readonly<Record<string, TypeSchema>>): Record<string, TypeSchema> {
  const entries = Object.entries(types).map(([token, type]): [string, TypeSchema] => {
    const name = shortName(token);
    const own = nameOf(name);
    const description = descriptions.get(own) ?? comments.get(own) ?? kubernetesType(own);
    const { properties } = type;
    return [
      name,
      {
        description: withInstalledPages(description),
        ...type,
        ...(properties !== undefined && { properties: propertiesOf(properties, own) }),
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
  mapValues(properties, (property, name) => {
    const { description = kubernetesField(owner, name) } = property;
    return {
      ...propertyOf(property, fractions.has(`${owner}.${name}`) ? "number" : "integer"),
      description: withInstalledPages(description),
    };
  });

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
