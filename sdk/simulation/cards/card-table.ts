import type { Division, EngineCard } from "./engine-card.ts";

/** Cards of one type of accelerator, as `npm run tool cards` writes them. */
export interface CardTable {
  readonly accelerator: string;
  readonly source: string;
  readonly prompts: readonly number[];
  readonly batches: readonly number[];
  readonly contexts: readonly number[];
  /** Error of times between the points, in percent of the source's times, which no card contains. */
  readonly error: Readonly<Record<"prompt" | "step", CurveError>>;
  readonly engines: Readonly<Record<string, EngineCards>>;
}

interface CurveError {
  readonly points: number;
  readonly median: number;
  readonly p90: number;
}

interface EngineCards {
  readonly version: string;
  readonly models: Readonly<Record<string, ModelCards>>;
}

interface ModelCards {
  readonly weights: string;
  readonly cache: string;
  /** By division: the times of all prompts, and the times of all steps by batch and then by context. */
  readonly times: Readonly<Record<string, readonly number[]>>;
}

/** Returns the key of a division: the number of devices, with `e` if whole experts are divided. */
export const divisionKey = ({ devices, experts }: Division): string =>
  `${devices}${experts === "expert" ? "e" : ""}`;

/** Returns the cards of a table. */
export function cardsOf({
  accelerator,
  source,
  prompts,
  ...table
}: Omit<CardTable, "error">): EngineCard[] {
  return Object.entries(table.engines).flatMap(([engine, { version, models }]) =>
    Object.entries(models).flatMap(([model, { weights, cache, times }]) =>
      Object.entries(times).map(([key, ms]): EngineCard => {
        const steps = ms.slice(prompts.length);
        const width = table.contexts.length;
        return {
          ...{ model, accelerator, engine, version, weights, cache, source },
          division: divisionOf(key),
          prompt: { tokens: [...prompts], ms: ms.slice(0, prompts.length) },
          step: {
            batches: [...table.batches],
            contexts: [...table.contexts],
            ms: table.batches.map((_, at) => steps.slice(at * width, (at + 1) * width)),
          },
        };
      }),
    ),
  );
}

function divisionOf(key: string): Division {
  const devices = Number.parseInt(key, 10);
  return key.endsWith("e") ? { devices, experts: "expert" } : { devices };
}
