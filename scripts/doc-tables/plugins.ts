import { z } from "zod";
import { pluginsOfKind } from "../../scheduling/plugins/index.ts";
import { parserNames } from "../../scheduling/plugins/parsers.ts";
import {
  dataPlugins,
  type UnscheduledType,
  unscheduledOf,
} from "../../scheduling/plugins/unscheduled.ts";
import type { PluginKind } from "../../scheduling/profiles/plugin.ts";
import { parserPaths } from "../../sdk/routing/api-paths.ts";
import { code, table } from "./table.ts";

/** Tables of the plugins that an EndpointPickerConfig can use, by the name of the table. */
export const pluginTables: Readonly<Record<string, () => string[]>> = {
  ...ofKinds({
    filters: "filter",
    scorers: "scorer",
    pickers: "picker",
    "profile handlers": "profileHandler",
    deciders: "decider",
    "saturation detectors": "detector",
    "fairness policies": "fairness",
    "ordering policies": "ordering",
    "usage limit policies": "ceilings",
  }),
  data: () => pluginTable(dataPlugins),
  parsers: parserTable,
  simplified: () => reasons("simplified"),
  ignored: () => reasons("ignored"),
  lost: () => reasons("lost", "Effect"),
  refused: () => reasons("unsupported", "Why"),
};

function ofKinds(kinds: Readonly<Record<string, PluginKind>>): Record<string, () => string[]> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, () => pluginTable(pluginsOfKind(kind))]),
  );
}

interface Described {
  readonly type: string;
  readonly summary: string;
  readonly parameters: z.ZodType;
}

function pluginTable(plugins: readonly Described[]): string[] {
  return table(
    ["Type", "Does", "Parameters"],
    plugins.map(({ type, summary, parameters }) => [
      code(type),
      summary,
      parameterCell(parameters),
    ]),
  );
}

function parserTable(): string[] {
  return table(
    ["Type", "Paths"],
    [
      ...parserNames.map((type) => [
        code(type),
        parserPaths[type].map(({ suffix }) => code(suffix)).join(", ") ||
          "every other path, unread",
      ]),
    ],
  );
}

const reasons = (part: UnscheduledType["part"], title = "Instead") =>
  table(
    ["Type", title],
    unscheduledOf(part).map(({ type, instead = "" }) => [code(type), instead]),
  );

/** The subset of JSON Schema that parameters use. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

function parameterCell(parameters: z.ZodType): string {
  const schema = z.toJSONSchema(parameters, { io: "input", unrepresentable: "any" }) as Schema;
  const lines = parameterLines(schema, "");
  if (lines.length > 0) return lines.join("<br>");
  return schema.additionalProperties === false ? "none" : "any, not read";
}

/** Returns one line per parameter. Nested parameters have a path, in which `[]` marks a list. */
function parameterLines({ properties = {}, required = [] }: Schema, path: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const within = schema.items?.properties === undefined ? schema : schema.items;
    if (within.properties !== undefined && Object.keys(within.properties).length > 0) {
      const below = `${path}${name}${within === schema ? "" : "[]"}.`;
      return [
        ...(schema.description === undefined ? [] : [line(path + name, schema, false)]),
        ...parameterLines(within, below),
      ];
    }
    return [line(path + name, schema, required.includes(name))];
  });
}

function line(name: string, schema: Schema, isRequired: boolean): string {
  const { default: byDefault, description } = schema;
  const shown =
    byDefault === undefined || byDefault === ""
      ? []
      : [`default ${code(JSON.stringify(byDefault))}`];
  const facts = [...allowed(schema), ...(isRequired ? ["required"] : shown)].join(", ");
  return `${code(name)}: ${facts}.${description === undefined ? "" : ` ${description}`}`;
}

function allowed(schema: Schema): string[] {
  if (schema.const !== undefined) return [`only ${code(String(schema.const))}`];
  if (schema.enum !== undefined)
    return [schema.enum.map((each) => code(String(each))).join(" or ")];
  const { type = "any", minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const noun = type === "array" ? "list" : type === "object" ? "map" : type;
  return [
    noun,
    ...(minimum === undefined ? [] : [`≥ ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`> ${exclusiveMinimum}`]),
    ...(maximum === Number.MAX_SAFE_INTEGER ? [] : [`≤ ${maximum}`]),
  ];
}
