import { readFileSync } from "node:fs";
import { join } from "node:path";
import { acceleratorResources } from "../kubernetes/values/accelerators.ts";
import { type Constant, constantRows } from "../scheduling/load-constants.ts";
import { acceleratorNames, acceleratorTypes } from "../sdk/accelerators/index.ts";
import { engines } from "../sdk/engines/index.ts";
import type { Executor } from "../sdk/executors/executor.ts";
import { executorNames, executors } from "../sdk/executors/index.ts";
import type { Gateway, PoolSupport } from "../sdk/gateways/gateway.ts";
import { gateways } from "../sdk/gateways/index.ts";
import { servingEngines } from "../sdk/model-pods/serving/index.ts";
import { modelRows } from "../sdk/models/model-rows.ts";
import { startUpRows, wrongProgramRows } from "./start-up-page.ts";

/** Pages that are written by hand but for their tables of variants, each between a pair of markers. */
const pages: Readonly<Record<string, Readonly<Record<string, () => readonly string[]>>>> = {
  "docs/gangs.md": { executors: executorTable },
  "docs/gateways.md": { gateways: gatewayTable },
  "docs/gpu-nodes.md": { accelerators: acceleratorTable },
  "docs/load-prediction.md": { constants: constantTable },
  "docs/models-and-accelerators.md": { models: modelTable, "accelerator types": typeTable },
  "docs/start-up.md": { kinds: startUpRows, "wrong programs": wrongProgramRows },
};

/** Returns the pages with their tables as the code has them, by path from the root. */
export const pagesWithTables = (root: string): Map<string, string> =>
  new Map(
    Object.entries(pages).map(([path, tables]) => {
      const text = readFileSync(join(root, path), "utf8");
      return [
        path,
        Object.entries(tables).reduce((page, [name, rows]) => withTable(page, name, rows()), text),
      ];
    }),
  );

/** @throws Error for a page without the markers of the table */
function withTable(page: string, name: string, rows: readonly string[]): string {
  const start = `<!-- table of ${name}, made by npm run generate -->\n`;
  const end = `\n<!-- end of ${name} -->`;
  const from = page.indexOf(start) + start.length;
  const to = page.indexOf(end);
  if (from < start.length || to < 0) throw new Error(`no markers of the table ${name}`);
  return page.slice(0, from) + rows.join("\n") + page.slice(to);
}

function executorTable(): string[] {
  return [
    "| executor | the plan adds | they meet on |",
    "|---|---|---|",
    ...executorNames.map((name) => {
      const { title, adds, bootstrap }: Executor = executors[name];
      return `| \`${name}\`: ${title} | ${adds} | ${bootstrap?.groupPort.port ?? "a port of its own choice"} |`;
    }),
  ];
}

function acceleratorTable(): string[] {
  return [
    "| maker | resources | one device |",
    "|---|---|---|",
    ...acceleratorResources.map(({ maker, names, perDevice = 1 }) => {
      const units =
        perDevice === "unknown" ? "an unspecified amount, so they are not counted" : perDevice;
      return `| ${maker} | ${names.map((name) => `\`${name}\``).join(", ")} | ${units} |`;
    }),
  ];
}

function modelTable(): string[] {
  return [
    "| model | task | billion parameters | weights, GiB | context, tokens | attention | gated |",
    "|---|---|---|---|---|---|---|",
    ...modelRows().map(
      ({ name, task, parametersBillion, weightsGiB, context, attention, gated }) =>
        `| \`${name}\` | ${task} | ${parametersBillion.toFixed(1)} | ${weightsGiB.toFixed(1)} | ${context.toLocaleString("en-US")} | ${attention} | ${gated ? "yes" : ""} |`,
    ),
  ];
}

function typeTable(): string[] {
  return [
    "| `accelerator` | device | memory, GiB | of a node | resource | engines with a known image |",
    "|---|---|---|---|---|---|",
    ...acceleratorNames.map((name) => {
      const { title, platform, resource, memoryGiB, perNode } = acceleratorTypes[name];
      const known = Object.entries(servingEngines).filter(
        ([, { image }]) => image(platform, undefined) !== undefined,
      );
      const titles = known.map(([engine]) => engines[engine as keyof typeof engines].title);
      const memory = Number.isFinite(memoryGiB) ? memoryGiB.toFixed(1) : "set by the pod";
      return `| \`${name}\` | ${title} | ${memory} | ${perNode} | ${resource ? `\`${resource}\`` : ""} | ${titles.join(", ")} |`;
    }),
  ];
}

function constantTable(): string[] {
  return [
    "| constant | value | unit | shown by | reason |",
    "|---|---|---|---|---|",
    ...Object.entries<Constant>(constantRows).map(
      ([name, { value, unit, shownBy, reason }]) =>
        `| \`${name}\` | ${value.toLocaleString("en-US")} | ${unit} | ${shownBy} | ${reason} |`,
    ),
  ];
}

function cuts(pools: PoolSupport | undefined): string {
  if (pools?.refusesTimeouts)
    return "no; planned routes have no `timeouts`, because it rejects them";
  const seconds = pools?.answerLimitSeconds;
  return seconds === undefined
    ? ""
    : `after ${seconds} s, unless disabled; planned routes set \`timeouts.request: 0s\``;
}

function gatewayTable(): string[] {
  return [
    "| `gateway.type` | default for classes | objects planned with the pool | picker timeout | cuts answers | import as only backend | pool and import, by weight | picker for the import (`picker`) | gateways of other clusters (`parents`) |",
    "|---|---|---|---|---|---|---|---|---|",
    ...Object.entries<Gateway>(gateways).map(([type, { title, pools, imports }]) => {
      const seconds = pools?.pickerTimeoutSeconds ?? Number.POSITIVE_INFINITY;
      const waits = Number.isFinite(seconds) ? `${seconds} s` : "";
      const { alone = "", besidePool = "", picker = "", parents = "" } = imports?.docs ?? {};
      const classes = pools?.classes.map((name) => `\`${name}\``).join(", ");
      return `| \`${type}\`: ${title} | ${classes || (pools === undefined ? "" : "any other")} | ${pools?.planned ?? ""} | ${waits} | ${cuts(pools)} | ${alone} | ${besidePool} | ${picker} | ${parents} |`;
    }),
  ];
}
