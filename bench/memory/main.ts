/** Compares our memory arithmetic with aiconfigurator's estimates and with memory that engines printed in public threads. */

import { readFileSync } from "node:fs";
import {
  keyValueBytesPerSequence,
  keyValueBytesPerToken,
} from "../../sdk/engines/memory/kv-cache.ts";
import type { EngineMemory } from "../../sdk/engines/memory/memory.ts";
import { weightBytesPerDevice } from "../../sdk/engines/memory/weights.ts";
import { knownModels, modelFacts } from "../../sdk/engines/models/model-facts.ts";
import { sglangMemory } from "../../sdk/engines/sglang/memory.ts";
import { vllmMemory } from "../../sdk/engines/vllm/memory.ts";
import { type EngineLog, engineLogs, poolLogs } from "./engine-logs.ts";

const gib = 1024 ** 3;
const percent = (ours: number, theirs: number) => (ours / theirs - 1) * 100;
const signed = (value: number | undefined) =>
  value === undefined ? "-" : `${value > 0 ? "+" : ""}${value.toFixed(1)} %`;

/** Tokens for whose keys and values both programs count memory. */
const tokens = 65_536;

function compareWithAiconfigurator(): void {
  const file = new URL("aiconfigurator.csv", import.meta.url);
  const [, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const unknown = new Set<string>();
  const rows = lines.flatMap((line) => {
    const [name = "", tensor, whole, weights, perToken] = line.split(",");
    const model = modelFacts(name);
    if (model === undefined) {
      unknown.add(name);
      return [];
    }
    const layout = { tensor: Number(tensor), expertParallel: whole === "yes" };
    const ours = weightBytesPerDevice(model, layout);
    const key = keyValueBytesPerToken(model, layout);
    const { attention } = model;
    const [theirs, theirKey] = [Number(weights), Number(perToken)];
    return [
      {
        name,
        tensor,
        weights: percent(ours, theirs),
        key: theirKey > 0 ? percent(key, theirKey) : 0,
        total: percent(ours + key * tokens, theirs + theirKey * tokens),
        isCopied: attention.kind === "grouped" && attention.keyValueHeads < layout.tensor,
      },
    ];
  });
  const far = rows.filter(({ total }) => Math.abs(total) > 8);
  console.log(
    `aiconfigurator 0.12.0: ${rows.length} rows of ${new Set(rows.map(({ name }) => name)).size} models;`,
    `within 8 %: ${rows.length - far.length} (weights and ${tokens} tokens),`,
    `${rows.filter(({ weights }) => Math.abs(weights) <= 8).length} (weights alone)`,
  );
  // Engines copy key and value heads that are fewer than the ranks; aiconfigurator divides them.
  const whole = rows.filter(({ isCopied }) => !isCopied);
  console.log(
    `  without rows of fewer key-value heads than ranks: ${whole.length - whole.filter((row) => far.includes(row)).length} of ${whole.length}`,
  );
  const worst = new Map<string, (typeof far)[number]>();
  for (const row of far.filter(({ isCopied }) => !isCopied)) {
    const known = worst.get(row.name);
    if (known === undefined || Math.abs(known.total) < Math.abs(row.total))
      worst.set(row.name, row);
  }
  for (const { name, tensor, weights, key, total } of worst.values())
    console.log(
      `  ${name} at ${tensor}: ${signed(total)}, weights ${signed(weights)}, a token ${signed(key)}`,
    );
  console.log(`  not in the catalog: ${[...unknown].join(", ")}`);
}

function memoryOf(log: EngineLog): EngineMemory {
  const model = modelFacts(log.model);
  if (model === undefined) throw new Error(`${log.model} is not in the catalog`);
  const {
    tensor,
    pipeline,
    data,
    expertParallel,
    deviceGib,
    linked,
    capability,
    fraction,
    ...rest
  } = log;
  const request = {
    ...rest,
    layout: { tensor, pipeline, data, expertParallel },
    device: { bytes: deviceGib * gib, linked, capability },
  };
  return log.engine === "sglang"
    ? sglangMemory(model, { ...request, memoryFraction: fraction })
    : vllmMemory(model, { ...request, utilization: fraction });
}

function compareWithEngines(): void {
  let [checked, within, weighed, near] = [0, 0, 0, 0];
  for (const log of engineLogs) {
    const memory = memoryOf(log);
    const weights = log.weightsGib && percent(memory.weights / gib, log.weightsGib);
    const printed = log.tokens ?? log.availableGib;
    const ours = log.tokens === undefined ? memory.available / gib : memory.tokens;
    const cache = printed && percent(ours, printed);
    if (weights !== undefined) {
      weighed++;
      if (Math.abs(weights) <= 5) near++;
    }
    if (cache !== undefined) {
      checked++;
      if (Math.abs(cache) <= 10) within++;
    }
    console.log(
      `  ${log.source
        .replace(/ docs.*\//, " ")
        .slice(0, 62)
        .padEnd(62)} ${log.model.replace(/.*\//, "").slice(0, 28).padEnd(28)}`,
      `${log.engine} ${log.version}`.padEnd(14),
      `weights ${signed(weights)}`.padEnd(17),
      `KV ${signed(cache)}`,
    );
  }
  console.log(
    `engines: weights within 5 %: ${near} of ${weighed}; keys and values within 10 %: ${within} of ${checked}`,
  );
}

function comparePools(): void {
  const errors = poolLogs.map(
    ({ source, model: name, tensor, context, keyValueType, availableGib, tokens: printed }) => {
      const model = modelFacts(name);
      if (model === undefined) throw new Error(`${name} is not in the catalog`);
      const length = context ?? printed;
      const options = { type: keyValueType ?? "auto", stateCopies: 2 } as const;
      const bytes = keyValueBytesPerSequence(model, { tensor }, length, options);
      const error = percent((availableGib * gib * length) / bytes, printed);
      console.log(`  ${source.padEnd(62)} ${name.replace(/.*\//, "").padEnd(28)} ${signed(error)}`);
      return error;
    },
  );
  const near = errors.filter((error) => Math.abs(error) <= 10).length;
  console.log(`tokens of a known pool within 10 %: ${near} of ${errors.length}`);
}

console.log(`${knownModels().length} models in the catalog`);
compareWithAiconfigurator();
compareWithEngines();
comparePools();
