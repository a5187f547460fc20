import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ZodError, z } from "zod";
import { addModels } from "./add-models.ts";

/**
 * `npm run tool model-catalog -- NAME=path/to/config.json --source TEXT`: adds models to `sdk/engines/models/catalog.json`, or
 * replaces the fields, source and date of their rows. `--gated`, `--task TASK` and `--note TEXT` set further parts.
 * Without a model, it checks, sorts and formats the file, for example after an edit of a row with a base.
 */
const file = join(import.meta.dirname, "../../sdk/engines/models/catalog.json");
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: "string" },
    note: { type: "string" },
    gated: { type: "boolean" },
    task: { type: "string" },
  },
});
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

try {
  if (positionals.length > 0 && values.source === undefined)
    throw new Error(
      "--source is missing; allowed: a key of sources in catalog.json, or a description.",
    );
  const configs = positionals.map((model) => {
    const [name = "", path] = model.split("=", 2);
    if (path === undefined)
      throw new Error(`${name} has no file; allowed: NAME=path/to/config.json.`);
    return [name, readJson(path)] as const;
  });
  const date = new Date().toISOString().slice(0, 10);
  const parts = { ...values, date } as Parameters<typeof addModels>[2];
  const catalog = addModels(readJson(file), Object.fromEntries(configs), parts);
  writeFileSync(file, JSON.stringify(catalog));
  execFileSync("biome", ["format", "--write", file], { stdio: ["ignore", "ignore", "inherit"] });
  console.log(`wrote ${Object.keys(catalog.models).length} models`);
} catch (error) {
  console.error(error instanceof ZodError ? z.prettifyError(error) : (error as Error).message);
  process.exitCode = 1;
}
