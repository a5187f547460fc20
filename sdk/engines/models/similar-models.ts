import { editDistance } from "../../../scheduling/config/spelling.ts";
import { knownModels } from "./model-facts.ts";

/** Maximum number of names in a message. */
const most = 4;

/** Returns the models of the catalog that a misspelled name may mean, the most similar first. */
export function similarModels(name: string): string[] {
  const written = comparable(name);
  const model = written.slice(written.indexOf("/") + 1);
  if (model === "") return [];
  const ranked = knownModels().map((known) => ({ known, rank: rankOf(written, model, known) }));
  return ranked
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => Number(a.rank) - Number(b.rank) || a.known.length - b.known.length)
    .slice(0, most)
    .map(({ known }) => known);
}

/**
 * Returns the number of differing letters, in the whole name or in the part after the slash. For a longer name that
 * contains the written name, returns the length of the written name, so that the longer name ranks after misspellings.
 */
function rankOf(written: string, model: string, known: string): number | undefined {
  const full = comparable(known);
  const own = full.slice(full.indexOf("/") + 1);
  const distance = Math.min(editDistance(written, full), editDistance(model, own));
  if (distance <= Math.max(1, Math.floor(model.length / 8))) return distance;
  return model.length > 3 && own.includes(model) ? model.length : undefined;
}

/** Returns a name without case and punctuation, so that `Qwen3 32b` equals `Qwen3-32B`. */
const comparable = (name: string) => name.toLowerCase().replace(/[\s._-]+/g, "");
