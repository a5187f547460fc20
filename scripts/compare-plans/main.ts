import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { stringify } from "yaml";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import { arbitraryTypedService } from "../../testing/samples/arbitrary-typed-service.ts";
import { corpusServices } from "./corpus-services.ts";

/**
 * `npm run tool compare-plans -- COMMIT`: compares this checkout with COMMIT. It compares the objects and the errors of 500
 * arbitrary services, 2,000 services with typed models, the corpus of public configurations, the stories and every program
 * of the examples, and the findings of `check` on the corpus and on the folders of `--inputs`. It prints the differences,
 * and exits with 1 if there are any. An edit without differences restarts no pod of a user who upgrades. Services that
 * COMMIT alone refuses, because they have newer fields, are skipped and counted.
 */
const root = join(import.meta.dirname, "..", "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    services: { type: "string", default: "500" },
    typed: { type: "string", default: "2000" },
    inputs: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
  },
});
const [commit] = positionals;
if (commit === undefined) {
  console.error(
    "usage: npm run tool compare-plans -- COMMIT [--services 500] [--typed 2000] [--inputs FOLDER]... [--seed 1]",
  );
  process.exit(2);
}

type Objects = Record<string, unknown>;

const folder = mkdtempSync(join(tmpdir(), "compare-plans-"));
const before = join(folder, "before");
const specs = join(folder, "services.json");

function plannedIn(checkout: string): Objects {
  // The code of each checkout prints its plans.
  const printer = join(checkout, "scripts", "compare-plans", "print-plans.ts");
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

/** Gives a checkout the dependencies of this one. The packages of the repository are its own. */
function linkDependencies(checkout: string): void {
  const from = join(root, "node_modules");
  const to = join(checkout, "node_modules");
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === ".cache") continue;
    const path = join(from, name);
    const isOwn = lstatSync(path).isSymbolicLink();
    symlinkSync(isOwn ? readlinkSync(path) : path, join(to, name));
  }
}

/** Returns the findings of a checkout's `check` in a folder. */
function findingsIn(checkout: string, inputs: string): Objects {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=source", "cli/main.ts", "check", inputs, "--allow-empty", "--format", "json"],
    { cwd: checkout, maxBuffer: 2 ** 30, encoding: "utf8" },
  );
  if (status === null || status > 1) throw new Error(`${checkout}: check ${inputs}: ${stderr}`);
  const report = JSON.parse(stdout) as Record<string, unknown>;
  const findings = Object.values(report).filter(Array.isArray).flat();
  return Object.fromEntries(findings.map((each) => [`${inputs}: ${JSON.stringify(each)}`, each]));
}

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
  linkDependencies(before);
  const sample = <Service>(services: fc.Arbitrary<Service>, runs: string) =>
    fc.sample(services, { numRuns: Number(runs), seed: Number(values.seed) });
  const services = [
    ...sample(arbitraryService, values.services),
    ...sample(arbitraryTypedService, values.typed),
    ...corpusServices,
  ];
  writeFileSync(specs, JSON.stringify(services));
  const corpus = join(folder, "corpus");
  mkdirSync(corpus);
  writeFileSync(
    join(corpus, "services.yaml"),
    corpusServices.map((each) => stringify(each)).join("---\n"),
  );
  const folders = [corpus, ...values.inputs.map((each) => resolve(each))];
  const objectsOf = (checkout: string): Objects =>
    Object.assign(plannedIn(checkout), ...folders.map((each) => findingsIn(checkout, each)));
  const [was, is] = [objectsOf(before), objectsOf(root)];
  const refused = Object.keys(was).filter(
    (key) => /^service \d+: refused$/.test(key) && is[key] === undefined,
  );
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
