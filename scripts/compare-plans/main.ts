import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { stringify } from "yaml";
import { arbitraryService } from "../../testing/arbitrary-service.ts";

/**
 * `npm run compare-plans -- COMMIT`: compares the plans of this checkout with the plans of COMMIT. It compares the
 * objects of 500 arbitrary services, the stories and every program of the examples, prints the differences, and exits
 * with 1 if there are any. An edit without differences restarts no pod of a user who upgrades. Services that COMMIT
 * refuses, because they have newer fields, are skipped and counted.
 */
const root = join(import.meta.dirname, "..", "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    services: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
  },
});
const [commit] = positionals;
if (commit === undefined) {
  console.error("usage: npm run compare-plans -- COMMIT [--services 500] [--seed 1]");
  process.exit(2);
}

type Objects = Record<string, unknown>;

const folder = mkdtempSync(join(tmpdir(), "compare-plans-"));
const before = join(folder, "before");
const specs = join(folder, "services.json");

function plannedIn(checkout: string): Objects {
  const printer = join(import.meta.dirname, "print-plans.ts");
  const printed = execFileSync(
    process.execPath,
    ["--conditions=source", printer, checkout, specs],
    { cwd: checkout, maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "inherit"] },
  );
  const objects = JSON.parse(printed.toString("utf8")) as Objects;
  if (Object.keys(objects).length === 0) throw new Error(`${checkout}: printed no plans`);
  return objects;
}

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });

/** Returns the lines in the YAML of one object that are not in the other. */
function difference(was: unknown, is: unknown): string[] {
  const lines = (value: unknown) => (value === undefined ? [] : stringify(value).split("\n"));
  const [old, now] = [lines(was), lines(is)];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `  - ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `  + ${line}`),
  ];
}

try {
  git("worktree", "add", "--quiet", "--detach", before, commit);
  symlinkSync(join(root, "node_modules"), join(before, "node_modules"));
  const services = fc.sample(arbitraryService, {
    numRuns: Number(values.services),
    seed: Number(values.seed),
  });
  writeFileSync(specs, JSON.stringify(services));
  const [was, is] = [plannedIn(before), plannedIn(root)];
  const refused = Object.keys(was).filter((key) => /^service \d+: refused$/.test(key));
  const isLeftOut = (key: string) =>
    refused.includes(key.replace(/(?<=^service \d+): .*/, ": refused"));
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (key) => !isLeftOut(key),
  );
  const text = (objects: Objects, key: string) => JSON.stringify(objects[key]);
  const differing = keys.filter((key) => text(was, key) !== text(is, key));
  for (const key of differing) console.log([key, ...difference(was[key], is[key])].join("\n"));
  if (refused.length > 0) console.log(`${refused.length} services are refused by ${commit}`);
  console.log(`${keys.length} objects, ${differing.length} differ from ${commit}`);
  process.exitCode = differing.length > 0 ? 1 : 0;
} finally {
  git("worktree", "remove", "--force", before);
  rmSync(folder, { recursive: true, force: true });
}
