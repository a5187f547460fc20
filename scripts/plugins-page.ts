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
  filter: ["Filters", "Leave out endpoints, in the order of the profile."],
  scorer: [
    "Scorers",
    "Give each endpoint 0 to 1; a profile adds them up by weight, which is 1 unless it says otherwise. Those that go by metrics give 0 where these are old.",
  ],
  picker: ["Pickers", "Choose among the scored endpoints; one a profile."],
  profileHandler: [
    "Profile handlers",
    "Say which profiles run for a request; one a configuration.",
  ],
  decider: ["Deciders", "Say whether a request is prefilled elsewhere than it is decoded."],
  detector: ["Saturation detectors", "Say how full the pool is; 1 and more is full."],
  fairness: ["Fairness policies", "Say which flow of a band of flow control goes next."],
  ordering: ["Ordering policies", "Say which request of a flow goes next."],
  ceilings: [
    "Usage limit policies",
    "Say up to which saturation each band of flow control may dispatch.",
  ],
};

/** The reference page of the endpoint picker's plugins, from the plugins themselves. */
export function pluginsPage(): string {
  const kindNames = Object.keys(kinds) as PluginKind[];
  return [
    "# Plugins of the endpoint picker",
    "",
    "What an EndpointPickerConfig may name, made from the plugins themselves by `npm run generate`. Types, parameters and",
    "defaults are those of llm-d-router. A parameter that is not listed is refused.",
    "",
    ...kindNames.flatMap((kind) => section(...kinds[kind], pluginTable(pluginsOfKind(kind)))),
    ...section("Data", "Set up what plugins read.", pluginTable(dataPlugins)),
    ...section("Parsers", "Read requests, by the end of their path.", parserTable()),
    ...section("Taken as something simpler", "Parameters are not read.", reasons("simplified")),
    ...section("Read and without effect", "Parameters are not read.", reasons("ignored")),
    ...section(
      "Left out with a warning",
      "Plugins of upstream that this picker does not have. Requests are served without them.",
      reasons("lost", "Lost"),
    ),
    ...section(
      "Refused",
      "Plugins of upstream that this picker does not have. Requests would go where they must not.",
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
        parserPaths[type].map(({ suffix }) => code(suffix)).join(", ") || "every other, unread",
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
