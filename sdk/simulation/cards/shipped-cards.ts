import { type CardTable, cardsOf } from "./card-table.ts";
import type { EngineCard } from "./engine-card.ts";

/** Loads the tables that `npm run tool cards` writes, so that programs without a forecast do not read them. */
const tables: Readonly<Record<string, () => Promise<{ readonly default: CardTable }>>> = {
  "a100-sxm-80gb": () => import("./data/a100-sxm-80gb.json", { with: { type: "json" } }),
  "b200-sxm": () => import("./data/b200-sxm.json", { with: { type: "json" } }),
  "b300-sxm": () => import("./data/b300-sxm.json", { with: { type: "json" } }),
  gb200: () => import("./data/gb200.json", { with: { type: "json" } }),
  gb300: () => import("./data/gb300.json", { with: { type: "json" } }),
  "h100-sxm": () => import("./data/h100-sxm.json", { with: { type: "json" } }),
  "h200-sxm": () => import("./data/h200-sxm.json", { with: { type: "json" } }),
  l40s: () => import("./data/l40s.json", { with: { type: "json" } }),
};

/** Types of accelerators with cards. */
export const cardAccelerators: readonly string[] = Object.keys(tables);

/** Returns the cards of a type of accelerator; empty for a type without cards. */
export async function shippedCards(accelerator: string): Promise<readonly EngineCard[]> {
  const load = Object.hasOwn(tables, accelerator) ? tables[accelerator] : undefined;
  return load === undefined ? [] : cardsOf((await load()).default);
}
