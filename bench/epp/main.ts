/**
 * Compares the endpoint picker with others, in turns on one machine:
 * `npm run bench epp -- [case ...] [--rounds N] [--json FILE]`.
 *
 * The echo (`echo/`) answers as a picker does and decides nothing: the fixed point by which machines are compared.
 * The Go picker takes part where EPP_GO names its executable, built from a checkout of
 * https://github.com/llm-d/llm-d-router with Go 1.26:
 *
 *     CGO_ENABLED=0 go build -o epp ./cmd/epp
 *
 * Our picker of another state takes part if EPP_BEFORE names the `main.cjs` of its bundle.
 * Both run with the NODE_OPTIONS that the plan sets by default; EPP_NODE_OPTIONS replaces them.
 *
 * CPU is the CPU of the process of the picker. Each picker runs alone, freshly started; figures are medians of the rounds.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Case, cases, type Measurement, startPods } from "./cases.ts";
import { type ContenderName, contenders } from "./contenders.ts";
import { cleanUp } from "./processes.ts";
import { tableOf } from "./table.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    /** Names of contenders, separated by commas. */
    only: { type: "string" },
    /** Also writes every measurement there. */
    json: { type: "string" },
  },
});

function chosenCases(): readonly Case[] {
  const names = cases.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`no case ${unknown}; there are ${names.join(", ")}`);
  return cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

export type Results = Map<ContenderName, Measurement[]>;

async function runCase(benchCase: Case, rounds: number): Promise<Results> {
  const results: Results = new Map();
  const present = [...contenders()].filter(
    ([name]) =>
      benchCase.contenders.includes(name) && (values.only?.split(",").includes(name) ?? true),
  );
  const pods = await startPods(benchCase);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, start] of present) {
        const picker = await start(benchCase.pods, { config: benchCase.config });
        try {
          const measured = await benchCase.run(picker, name);
          results.set(name, [...(results.get(name) ?? []), measured]);
        } finally {
          await picker.stop();
        }
      }
    }
  } finally {
    await pods.stop();
  }
  return results;
}

if (!contenders().has("go")) {
  console.log("EPP_GO is not set: without the Go picker, ratios are to the echo only.");
}
const all: Record<string, Record<string, Measurement[]>> = {};
for (const benchCase of chosenCases()) {
  const results = await runCase(benchCase, Number(values.rounds ?? benchCase.rounds));
  console.log(tableOf(benchCase, results));
  all[benchCase.name] = Object.fromEntries(results);
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(all, null, 2));
await cleanUp();
