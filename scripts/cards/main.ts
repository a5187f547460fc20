import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Axes, type CardPoints, cardTables, systems, tableText } from "./card-tables.ts";

/**
 * `npm run tool cards`: writes the engine cards of `sdk/simulation/cards/data` from the estimates of aiconfigurator, which it
 * installs from PyPI into `node_modules/.cache`. Takes about five minutes.
 */

const version = "0.12.0";
const source = `aiconfigurator ${version} on PyPI (Apache-2.0), measured and interpolated by NVIDIA`;
const root = join(import.meta.dirname, "../..");
const venv = join(root, "node_modules/.cache/aiconfigurator", version);
const python = join(venv, "bin/python");

if (!existsSync(python)) {
  execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
  const pip = ["-m", "pip", "install", "--quiet", `aiconfigurator==${version}`];
  execFileSync(python, pip, { stdio: "inherit" });
}
const script = join(import.meta.dirname, "points.py");
const output = execFileSync(python, [script, ...Object.keys(systems)], {
  encoding: "utf8",
  maxBuffer: 2 ** 28,
  stdio: ["ignore", "pipe", "ignore"],
});
const [axes, ...cards] = output
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line)) as [Axes, ...CardPoints[]];
const { tables, leftOut } = cardTables(axes, cards, source);
const folder = join(root, "sdk/simulation/cards/data");
mkdirSync(folder, { recursive: true });
for (const table of tables)
  writeFileSync(join(folder, `${table.accelerator}.json`), tableText(table));
console.log(`${cards.length - leftOut.length} cards of ${tables.length} accelerators`);
for (const card of leftOut) console.log(`left out, because interpolation is wrong: ${card}`);
