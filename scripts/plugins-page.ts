import { z } from "zod";
import type { PluginKind } from "../scheduling/plugin.ts";
import { pluginsOfKind } from "../scheduling/plugins/index.ts";
import { parserNames } from "../scheduling/plugins/parsers.ts";
import {
  dataPlugins,
  type UnscheduledType,
  unscheduledOf,
} from "../scheduling/plugins/unscheduled.ts";
import { parserPaths } from "../sdk/routing/api-paths.ts";

const kinds: Record<PluginKind, readonly [title: string, does: string]> = {
  filter: ["Filters", "Remove endpoints, in the order of the profile."],
  scorer: [
    "Scorers",
    "Give each endpoint a score from 0 to 1. A profile adds the scores, each times its weight (default 1). Scorers that read metrics give 0 if these are stale.",
  ],
  picker: ["Pickers", "Select among the scored endpoints. A profile has one."],
  profileHandler: [
    "Profile handlers",
    "Select the profiles that run for a request. A configuration has one.",
  ],
  decider: ["Deciders", "Decide whether another endpoint than the decoder prefills a request."],
  detector: ["Saturation detectors", "Measure how full the pool is. 1 or more is full."],
  fairness: ["Fairness policies", "Select the next flow of a band in flow control."],
  ordering: ["Ordering policies", "Select the next request of a flow."],
  ceilings: [
    "Usage limit policies",
    "Set the ceiling of each band: the saturation up to which flow control dispatches its requests.",
  ],
};

/** The reference page of the endpoint picker's plugins, from the plugins themselves. */
export function pluginsPage(): string {
  const kindNames = Object.keys(kinds) as PluginKind[];
  return [
    "# Plugins of the endpoint picker",
    "",
    "All plugins that an EndpointPickerConfig can use, for authors of one. `npm run generate` creates this page from the code.",
    "Types, parameters and defaults are the same as in llm-d-router. The picker refuses a parameter that is not listed.",
    "",
    ...kindNames.flatMap((kind) => section(...kinds[kind], pluginTable(pluginsOfKind(kind)))),
    ...section("Data", "Provide the data that plugins read.", pluginTable(dataPlugins)),
    ...section(
      "Parsers",
      "Read request bodies. The end of the path selects the parser.",
      parserTable(),
    ),
    ...section("Simplified", "The picker ignores their parameters.", reasons("simplified")),
    ...section(
      "Accepted without effect",
      "The picker ignores their parameters.",
      reasons("ignored"),
    ),
    ...section(
      "Ignored with a warning",
      "Upstream plugins that this picker does not have. It serves requests without them.",
      reasons("lost", "Effect"),
    ),
    ...section(
      "Refused",
      "Upstream plugins that this picker does not have. Without them it would send requests to wrong endpoints.",
      reasons("unsupported", "Why"),
    ),
  ].join("\n");
}

const section = (title: string, does: string, table: readonly string[]) => [
  `## ${title}`,
  "",
  does,
  "",
  ...table,
  "",
];

interface Described {
  readonly type: string;
  readonly summary: string;
  readonly parameters: z.ZodType;
}

const pluginTable = (plugins: readonly Described[]) =>
  table(
    ["Type", "Does", "Parameters"],
    plugins.map(({ type, summary, parameters }) => [
      code(type),
      summary,
      parameterCell(parameters),
    ]),
  );

const parserTable = () =>
  table(
    ["Type", "Paths"],
    [
      ...parserNames.map((type) => [
        code(type),
        parserPaths[type].map(({ suffix }) => code(suffix)).join(", ") ||
          "every other path, unread",
      ]),
    ],
  );

const reasons = (part: UnscheduledType["part"], title = "Instead") =>
  table(
    ["Type", title],
    unscheduledOf(part).map(({ type, instead = "" }) => [code(type), instead]),
  );

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

/** The part of JSON Schema that parameters use. */
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

/** One line a parameter; those within another one have a path, and lists' end in `[]`. */
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

const code = (text: string) => `\`${text}\``;
