import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { folderOf } from "../sample.fixture.ts";
import { ensureOwnPacks } from "./own-packs.ts";

/** A stand-in of a checkout, whose script of the packs is given. */
function checkout(folder: string, script: string): string {
  const files = { "cli/main.ts": "", "sdk/rule.ts": "", "policies/bundle.ts": script };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return join(folder, "policies", "serve-pack.cjs");
}

const build = `import { writeFileSync } from "node:fs";
writeFileSync(import.meta.dirname + "/serve-pack.cjs", "built");
`;

it("the packs of a checkout are built if they are missing or older than a source", () => {
  using folder = folderOf({});
  const file = checkout(folder.path, build);
  ensureOwnPacks(folder.path);
  expect(readFileSync(file, "utf8")).toBe("built");
  writeFileSync(file, "before a rule was edited");
  const { mtimeMs } = statSync(file);
  utimesSync(join(folder.path, "sdk/rule.ts"), mtimeMs / 1_000 - 60, mtimeMs / 1_000 - 60);
  ensureOwnPacks(folder.path);
  expect(readFileSync(file, "utf8")).toBe("before a rule was edited");
  utimesSync(file, mtimeMs / 1_000 - 90, mtimeMs / 1_000 - 90);
  ensureOwnPacks(folder.path);
  expect(readFileSync(file, "utf8")).toBe("built");
});

it.each(["process.exit(0);", "process.exit(3);", 'throw new Error("no esbuild");'])(
  "packs that %s does not build are refused",
  (script) => {
    using folder = folderOf({});
    checkout(folder.path, script);
    expect(() => ensureOwnPacks(folder.path)).toThrow("is older than its sources");
  },
);

it("an installed package without its packs is refused", () => {
  using folder = folderOf({});
  expect(() => ensureOwnPacks(folder.path)).toThrow("install the package again");
  expect(existsSync(join(folder.path, "policies"))).toBe(false);
});
