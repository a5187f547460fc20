import { acceleratorNames } from "../../sdk/engines/accelerators/index.ts";
import { type CardTable, cardsOf, divisionKey } from "../../sdk/simulation/cards/card-table.ts";
import { EngineCard, promptMs, stepMs } from "../../sdk/simulation/cards/engine-card.ts";

/** The axes that `points.py` prints first. */
export interface Axes {
  readonly prompts: readonly number[];
  readonly batches: readonly number[];
  readonly contexts: readonly number[];
}

/** A line of `points.py`: times of one card, and times between its points. */
export interface CardPoints {
  readonly model: string;
  readonly system: string;
  readonly engine: string;
  readonly version: string;
  readonly devices: number;
  readonly experts: "tensor" | "expert" | null;
  readonly weights: string;
  readonly cache: string;
  readonly prompts: readonly number[];
  readonly steps: ReadonlyArray<readonly number[]>;
  readonly between: {
    readonly prompts: ReadonlyArray<readonly [tokens: number, ms: number]>;
    readonly steps: ReadonlyArray<readonly [batch: number, context: number, ms: number]>;
  };
}

/** Names of accelerators by the names of aiconfigurator. */
export const systems: Readonly<Record<string, (typeof acceleratorNames)[number]>> = {
  a100_sxm: "a100-sxm-80gb",
  b200_sxm: "b200-sxm",
  b300_sxm: "b300-sxm",
  gb200: "gb200",
  gb300: "gb300",
  h100_sxm: "h100-sxm",
  h200_sxm: "h200-sxm",
  l40s: "l40s",
};

/** Largest error of a card, in percent at the median of its points between: a card above it is not written. */
const mostError = 15;

/** Returns a table for each accelerator, and the cards that are left out because interpolation is wrong for them. */
export function cardTables(
  axes: Axes,
  cards: readonly CardPoints[],
  source: string,
): { tables: CardTable[]; leftOut: string[] } {
  const leftOut: string[] = [];
  const tables = [...Map.groupBy(cards, ({ system }) => system)].map(([system, its]) => {
    const accelerator = systems[system];
    if (accelerator === undefined || !acceleratorNames.includes(accelerator))
      throw new Error(`no accelerator is named for the system ${system}`);
    const judged = its.map((card) => ({ card, ...errorsOf(axes, card, accelerator, source) }));
    const isRight = ({ prompt, step }: CardErrors) =>
      [prompt, step].every((each) => quantile(each, 0.5) <= mostError);
    const [kept, wrong] = [judged.filter(isRight), judged.filter((each) => !isRight(each))];
    for (const { card } of wrong)
      leftOut.push(`${card.model} ${card.engine} ${keyOf(card)} ${accelerator}`);
    const keptCards = kept.map(({ card }) => card);
    const engines = [...Map.groupBy(keptCards, ({ engine }) => engine)].map(
      ([engine, ofEngine]) => [
        engine,
        { version: ofEngine[0]?.version, models: modelsOf(ofEngine) },
      ],
    );
    return {
      ...{ accelerator, source, ...axes },
      error: {
        prompt: summary(kept.flatMap(({ prompt }) => prompt)),
        step: summary(kept.flatMap(({ step }) => step)),
      },
      engines: Object.fromEntries(engines),
    };
  });
  return { tables, leftOut };
}

function modelsOf(cards: readonly CardPoints[]) {
  const models = [...Map.groupBy(cards, ({ model }) => model)].map(([model, its]) => {
    const [{ weights, cache }] = its as [CardPoints];
    const times = its.map((card) => [
      keyOf(card),
      [...card.prompts, ...card.steps.flat()].map(rounded),
    ]);
    return [model, { weights, cache, times: Object.fromEntries(times) }];
  });
  return Object.fromEntries(models);
}

/** Four digits are more precise than the interpolation. */
const rounded = (ms: number) => Number(ms.toPrecision(4));

const keyOf = ({ devices, experts }: CardPoints) =>
  divisionKey({ devices, ...(experts !== null && { experts }) });

interface CardErrors {
  readonly prompt: readonly number[];
  readonly step: readonly number[];
}

/** Returns the errors of a card between its points, in percent of the times there. */
function errorsOf(axes: Axes, points: CardPoints, accelerator: string, source: string): CardErrors {
  const { engine, version } = points;
  const engines = { [engine]: { version, models: modelsOf([points]) } };
  const [written] = cardsOf({ accelerator, source, ...axes, engines });
  const card = EngineCard.parse(written);
  const percent = (is: number, shouldBe: number) => 100 * Math.abs(is / shouldBe - 1);
  return {
    prompt: points.between.prompts.map(([tokens, ms]) => percent(promptMs(card, tokens), ms)),
    step: points.between.steps.map(([batch, context, ms]) =>
      percent(stepMs(card, batch, context), ms),
    ),
  };
}

const summary = (errors: readonly number[]) => ({
  points: errors.length,
  median: Number(quantile(errors, 0.5).toFixed(1)),
  p90: Number(quantile(errors, 0.9).toFixed(1)),
});

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

/** Returns a table as JSON, with the times of a card on one line. */
export function tableText(table: CardTable): string {
  const text = JSON.stringify(table, (_, value) => (isTimes(value) ? `[${value}]` : value), 1);
  return `${text.replaceAll(/"\[(.*?)\]"/g, "[$1]")}\n`;
}

const isTimes = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => typeof each === "number");
