import { z } from "zod";
import { type Guideline, guidelines } from "../../sdk/rules/helpers/guidelines.ts";
import { packNames, packs } from "../../sdk/rules/helpers/packs.ts";
import type { StackRule } from "../../sdk/rules/helpers/stack-rule.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { code, codes, table } from "./table.ts";

export const packsTable = (): string[] =>
  table(
    ["Pack", "Checks", "Rules"],
    packNames.map((name) => [
      `[\`${name}\`](#${name})`,
      packs[name].description,
      rulesOfPack(name).length,
    ]),
  );

export const guidelinesTable = (): string[] =>
  table(
    ["", "Guideline", "Schema", "Policies", "Plan", "Doctor", "Lifecycle tests"],
    guidelines.map(guidelineRow),
  );

/** Returns a section for each pack, with a subsection for each of its rules. */
export const policySections = (): string[] =>
  packNames.flatMap((name) => [
    `## ${name}`,
    "",
    packs[name].description,
    "",
    ...rulesOfPack(name).flatMap(section),
  ]);

const rulesOfPack = (name: string) => stackRules.filter(({ pack }) => pack === name);

const linked = ({ id }: Pick<StackRule, "id">) => `[\`${id}\`](#${id})`;

function guidelineRow({ id, says, schema = [], doctor = [], lifecycle = [] }: Guideline): string[] {
  const rules = stackRules.filter((rule) => rule.guidelines.includes(id));
  return [
    id,
    says,
    codes(schema),
    rules.map(linked).join(", "),
    rules.some(({ level }) => level === "mandatory") ? "yes" : "",
    codes(doctor),
    lifecycle.map(([file, title]) => `[${title}](../${file})`).join(", "),
  ];
}

function section(rule: StackRule): string[] {
  const { id, title, why, fix, source, level, guidelines: of } = rule;
  return [
    `### ${id}`,
    "",
    `${title}. ${why}`,
    "",
    `To fix it: ${fix}`,
    "",
    `${capital(level)}${of.length > 0 ? `, ${of.join(", ")}` : ""}. ${source}.`,
    "",
    ...(rule.remediate === undefined
      ? []
      : ["At level `remediate`, it fixes the violations that it can.", ""]),
    ...parametersOf(rule),
  ];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

interface ParameterSchema {
  readonly description?: string;
  readonly default?: unknown;
}

function parametersOf({ parameters }: StackRule): string[] {
  const { properties = {} } = z.toJSONSchema(parameters, { io: "input" });
  const rows = Object.entries(properties as Record<string, ParameterSchema>).map(
    ([name, { description = "", default: preset }]) => [
      code(name),
      preset === undefined ? "" : code(JSON.stringify(preset)),
      description,
    ],
  );
  return rows.length === 0 ? [] : [...table(["Parameter", "Default", ""], rows), ""];
}
