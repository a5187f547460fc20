import { registerHooks } from "node:module";
import { constants } from "../../../scheduling/load-constants.ts";
import { type RemovedRule, removals } from "./ablations.ts";

/**
 * Imported before `play.ts`: removes the rules that `ABLATE` names, separated by commas. Constants get their neutral values
 * before any module reads them; the other rules are removed from the scheduler's source as it is loaded.
 */
const removed = removals(process.env.ABLATE ?? "");
const unused = new Set(removed.rules);
for (const { constant, value } of removed.constants)
  Object.assign(constants, { [constant]: value });

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    let source: string | undefined;
    for (const ablation of unused) {
      if (!url.endsWith(`/scheduling/${ablation.file}`)) continue;
      source = without(ablation, source ?? String(loaded.source));
      unused.delete(ablation);
    }
    return source === undefined ? loaded : { ...loaded, source };
  },
});

process.on("exit", () => {
  for (const { term, file } of unused) {
    console.error(`${term}: scheduling/${file} was not loaded`);
    process.exitCode = 1;
  }
});

function without({ term, file, from, to }: RemovedRule, source: string): string {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(
      `${term}: scheduling/${file} has this ${parts.length - 1} times, not once: ${from}`,
    );
  return parts.join(to);
}
