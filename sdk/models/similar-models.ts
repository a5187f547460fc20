import { editDistance } from "../../scheduling/config/spelling.ts";
import { knownModels } from "./model-facts.ts";

/** Names of one message. */
const most = 4;

/** Returns the models of the catalog that a name which is not in it may mean, the most similar first. */
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

/** Returns the letters that differ, of the whole name or of the model's part; longer names count after slips. */
function rankOf(written: string, model: string, known: string): number | undefined {
  const full = comparable(known);
  const own = full.slice(full.indexOf("/") + 1);
  const distance = Math.min(editDistance(written, full), editDistance(model, own));
  if (distance <= Math.max(1, Math.floor(model.length / 8))) return distance;
  return model.length > 3 && own.includes(model) ? model.length : undefined;
}

/** Names without case and signs, as `Qwen3 32b` for `Qwen3-32B`. */
const comparable = (name: string) => name.toLowerCase().replace(/[\s._-]+/g, "");
