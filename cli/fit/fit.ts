import { fitTable } from "../../sdk/capacity/fit-table.ts";
import {
  type AcceleratorName,
  acceleratorNames,
  isSlice,
} from "../../sdk/engines/accelerators/index.ts";
import { modelRow, modelRows } from "../../sdk/engines/models/model-rows.ts";
import { AcceleratorNames } from "../../sdk/engines/spec/accelerator-names.ts";
import { EngineSettings, type EngineSettingsInput } from "../../sdk/engines/spec/engine.ts";
import { formatProblem } from "../../sdk/errors.ts";
import { shapeProblems } from "../../sdk/schemas/shape-problems.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { formatReading, type ReadingFormat } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { fitText, modelsText } from "./fit-text.ts";
import { readModel } from "./read-model.ts";

export interface FitOptions {
  accelerator?: string[];
  all: boolean;
  gpus?: number;
  engine: "vllm" | "sglang";
  maxModelLen?: number;
  kvCacheDtype?: "auto" | "fp8";
  quantization?: "fp8";
  /** Path of a config.json. */
  config?: string;
  format: ReadingFormat;
}

/** Prints the accelerators on which a model fits; without a model, the known models. */
export async function printFit(
  written: string | undefined,
  options: FitOptions,
  terminal: Terminal,
): Promise<number> {
  const { config: path, gpus: devices, format, engine } = options;
  if (written === undefined && path === undefined) {
    const rows = modelRows();
    terminal.out.write(formatReading(format, rows, () => modelsText(rows)));
    return exitCode.ok;
  }
  const accelerators = acceleratorsOf(options);
  const model = await readModel(written, path, terminal);
  const settings = settingsOf(options);
  const rows = fitTable({ ...model, accelerators, settings, ...(devices && { devices }) });
  const answer = { model: modelRow(model.name, model.facts), engine, accelerators: rows };
  terminal.out.write(formatReading(format, answer, () => fitText(answer, terminal.out)));
  return rows.some(({ fits }) => fits) ? exitCode.ok : exitCode.problems;
}

function settingsOf({ engine: name, maxModelLen, kvCacheDtype, quantization }: FitOptions) {
  const written: EngineSettingsInput = {
    name,
    ...(maxModelLen && { maxModelLen }),
    ...(kvCacheDtype && { kvCacheDtype }),
    ...(quantization && { quantization }),
  };
  return EngineSettings.parse(written);
}

/** @throws UsageError for an unknown accelerator */
function acceleratorsOf({ accelerator, all }: FitOptions): AcceleratorName[] {
  if (accelerator === undefined)
    return acceleratorNames.filter((name) => all || !(isSlice(name) || name === "cpu"));
  const [problem] = accelerator.flatMap((name) => shapeProblems(AcceleratorNames, name));
  if (problem !== undefined) throw new UsageError(`--accelerator: ${formatProblem(problem)}`);
  return accelerator as AcceleratorName[];
}
