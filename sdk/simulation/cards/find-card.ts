import { type ModelFacts, modelFacts } from "../../engines/models/model-facts.ts";
import type { Division, EngineCard } from "./engine-card.ts";

/** The engine that a card must describe. */
export interface WantedCard {
  readonly model: string;
  readonly accelerator: string;
  readonly engine: string;
  readonly division: Division;
}

/** No card describes an engine. */
export class NoCardError extends Error {
  override readonly name = "NoCardError";
}

/**
 * Returns the card of an engine: of its model, or of a model of the catalog with the same layers and data types, for
 * example the base of a fine-tuned model. A card of another accelerator, engine or division is never used instead.
 *
 * @throws NoCardError that names the nearest cards
 */
export function findCard(cards: readonly EngineCard[], wanted: WantedCard): EngineCard {
  const found =
    cards.find((card) => distance(card, wanted) === 0) ??
    cards.find(
      (card) =>
        distance({ ...card, model: wanted.model }, wanted) === 0 && isSameWork(card, wanted),
    );
  if (found !== undefined) return found;
  const ranked = cards
    .map((card) => ({ text: describe(card), distance: distance(card, wanted) }))
    .toSorted((a, b) => a.distance - b.distance || (a.text < b.text ? -1 : 1));
  const least = ranked[0]?.distance;
  const nearest = ranked.filter((each) => each.distance === least).slice(0, 3);
  const names = nearest.map(({ text }) => text).join("; ");
  throw new NoCardError(
    `no engine card: ${describe(wanted)}; ${
      names === "" ? "no cards are given" : `nearest: ${names}`
    }. Use one of these, or give a card of your own.`,
  );
}

function isSameWork(card: WantedCard, wanted: WantedCard): boolean {
  const [one, other] = [modelFacts(card.model), modelFacts(wanted.model)];
  return one !== undefined && other !== undefined && workOf(one) === workOf(other);
}

/** Returns the facts of a model that determine how long an engine computes a token. */
const workOf = ({ architecture, hidden, vocabulary, weights, stack }: ModelFacts): string =>
  JSON.stringify([architecture, hidden, vocabulary, weights, stack]);

/** Returns how much a card differs from the wanted one, 0 if it is the wanted one: the model counts the most. */
function distance(card: WantedCard, wanted: WantedCard): number {
  const devices = Math.abs(Math.log2(card.division.devices / wanted.division.devices));
  const sameExperts =
    card.division.devices === 1 ||
    (card.division.experts === "expert") === (wanted.division.experts === "expert");
  return (
    (card.model === wanted.model ? 0 : 1_000) +
    (card.accelerator === wanted.accelerator ? 0 : 100) +
    (card.engine === wanted.engine ? 0 : 50) +
    devices +
    (sameExperts ? 0 : 0.5)
  );
}

const describe = ({ model, accelerator, engine, division }: WantedCard): string => {
  const { devices, experts } = division;
  const whole = experts === "expert" ? " with whole experts" : "";
  return `${model} with ${engine} on ${devices} ${accelerator}${whole}`;
};
