import type { FitRow } from "../../sdk/capacity/fit-table.ts";
import { engines } from "../../sdk/engines/index.ts";
import type { ModelRow } from "../../sdk/engines/models/model-rows.ts";
import { coloured } from "../output/colours.ts";
import { formatTable } from "../output/table.ts";
import type { Output } from "../terminal.ts";

interface FitAnswer {
  readonly model: ModelRow;
  readonly engine: keyof typeof engines;
  readonly accelerators: readonly FitRow[];
}

/** Returns the model in one line, then a row for each accelerator. */
export function fitText({ model, engine, accelerators }: FitAnswer, out: Output): string {
  const gated = model.gated ? "; gated, so that it needs a Hugging Face token" : "";
  const title = `${model.name} on ${engines[engine].title}: ${model.parametersBillion} billion parameters, ${model.weightsGiB.toFixed(1)} GiB of weights, context ${model.context}${gated}`;
  const header = ["ACCELERATOR", "DEVICES", "WEIGHTS", "KV CACHE", "CONTEXT", "AT 8K", "AT 32K"];
  const table = formatTable([
    [...header, "NOTE"].map((text) => ({ text })),
    ...accelerators.map((row) => [
      ...cellsOf(row).map((text) => ({ text })),
      {
        text: row.note,
        show: (text: string) => coloured(out, row.fits ? "yellow" : "red", text),
      },
    ]),
  ]);
  return `${title}\n\n${table}`;
}

function cellsOf({ accelerator, replica }: FitRow): string[] {
  if (replica === undefined) return [accelerator, "does not fit", "-", "-", "-", "-", "-"];
  const { weightsGiB, kvCacheGiB, longestContext, concurrency8k, concurrency32k } = replica;
  return [
    accelerator,
    devicesOf(replica),
    weightsGiB.toFixed(1),
    kvCacheGiB?.toFixed(1) ?? "-",
    String(longestContext),
    String(concurrency8k ?? "-"),
    String(concurrency32k ?? "-"),
  ];
}

/** Formats devices, and their groups if there are several: `16 (8x2), 2 nodes`. */
function devicesOf({
  devices,
  tensorParallel,
  pipelineParallel,
  nodes,
}: NonNullable<FitRow["replica"]>) {
  const sizes = pipelineParallel > 1 ? ` (${tensorParallel}x${pipelineParallel})` : "";
  return `${devices}${sizes}${nodes > 1 ? `, ${nodes} nodes` : ""}`;
}

/** Returns the known models as a table. */
export function modelsText(rows: readonly ModelRow[]): string {
  const header = ["MODEL", "TASK", "PARAMETERS", "WEIGHTS", "CONTEXT", "ATTENTION"];
  return formatTable(
    [
      header,
      ...rows.map((row) => [
        row.gated ? `${row.name} (gated)` : row.name,
        row.task,
        `${row.parametersBillion.toFixed(1)} billion`,
        `${row.weightsGiB.toFixed(1)} GiB`,
        String(row.context),
        row.attention,
      ]),
    ].map((cells) => cells.map((text) => ({ text }))),
  );
}
