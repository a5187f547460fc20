import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import config from "../vitest.config.ts";

it("a run in CI lists tests that passed only on the second attempt, and retries no property test", () => {
  const repository = join(import.meta.dirname, "..");
  // The test in it imports packages.
  const folder = mkdtempSync(join(repository, "node_modules", ".cache", "tally-"));
  writeFileSync(
    join(folder, "unsteady.test.ts"),
    `import { property, assert, integer } from "fast-check";
    import { expect, it } from "vitest";
    let asked = 0;
    it("comes late", () => expect((asked += 1)).toBe(2));
    let drawn = 0;
    it("finds a case", () => assert(property(integer(), () => (drawn += 1) > 1)));
    it("holds", () => {});`,
  );
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `import config from ${JSON.stringify(join(repository, "vitest.config.ts"))};
    const { reporters, retry } = config.test;
    export default { test: { reporters, retry, include: ["*.test.ts"], exclude: [] } };`,
  );
  try {
    const run = (CI: string) =>
      spawnSync(
        process.execPath,
        [join(repository, "node_modules", "vitest", "vitest.mjs"), "run", "--root", folder],
        { env: { ...process.env, CI, FORCE_COLOR: "0" }, encoding: "utf8" },
      ).stdout;
    const once = run("");
    expect(once).toMatch(/\n1 passed, 2 failed, 0 skipped\n$/);
    const inCi = run("true");
    expect(inCi).toMatch(/\n2 passed, 1 failed, 0 skipped\n$/);
    expect(inCi).toMatch(
      /PASSED ON THE SECOND ATTEMPT ONLY: unsteady\.test\.ts > comes late\nAssertionError: expected 1 to be 2/,
    );
    expect(inCi.match(/PASSED ON THE SECOND/g)).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(config.test?.reporters).toHaveLength(2);
});
