import { describe, expect, it } from "vitest";
import { folderCycles, forbiddenImports } from "./imports.ts";
import { readsOutside } from "./reads-outside.ts";
import { engineComparisons, roomProblems } from "./rooms.ts";
import { unitTests } from "./unit-tests.ts";

const importing = (...pairs: ReadonlyArray<readonly [string, string]>) =>
  new Map(pairs.map(([path, target]) => [path, [target]]));

describe("imports between folders", () => {
  it("a folder imports only what its row of the table allows", () => {
    expect(forbiddenImports(importing(["components/a.ts", "sdk/b.ts"]))).toEqual([]);
  });

  it("an import that is not allowed is refused, with the allowed folders", () => {
    expect(forbiddenImports(importing(["sdk/a.ts", "components/b.ts"]))).toEqual([
      expect.stringMatching(
        /^sdk\/a\.ts imports components\/b\.ts: `sdk` may import kubernetes\/kinds, /,
      ),
    ]);
  });

  it("only the parts of a folder that are in the table may be imported", () => {
    expect(forbiddenImports(importing(["sdk/a.ts", "kubernetes/values/b.ts"]))).toEqual([]);
    expect(forbiddenImports(importing(["sdk/a.ts", "kubernetes/api/b.ts"]))).toHaveLength(1);
  });

  it("a test may import `testing`, but product code may not", () => {
    expect(forbiddenImports(importing(["sdk/a.test.ts", "testing/b.ts"]))).toEqual([]);
    expect(forbiddenImports(importing(["sdk/a.ts", "testing/b.ts"]))).toHaveLength(1);
  });

  it("other folders may import only the entry of the engine", () => {
    expect(forbiddenImports(importing(["cli/a.test.ts", "recorder/index.ts"]))).toEqual([]);
    expect(forbiddenImports(importing(["cli/a.test.ts", "recorder/urn.ts"]))).toEqual([
      "cli/a.test.ts imports recorder/urn.ts: other folders may import only recorder/index.ts (scripts/walls/folders.ts).",
    ]);
    expect(forbiddenImports(importing(["recorder/a.test.ts", "recorder/urn.ts"]))).toEqual([]);
  });

  it("an import from outside the repository is refused", () => {
    expect(forbiddenImports(importing(["sdk/a.test.ts", "../shared/b.ts"]))).toEqual([
      "sdk/a.test.ts imports ../shared/b.ts, which is outside the repository.",
    ]);
  });
});

describe("cycles of folders", () => {
  it("two folders that import each other are reported from both sides", () => {
    const cycle = importing(
      ["recorder/a/x.ts", "recorder/b/y.ts"],
      ["recorder/b/z.ts", "recorder/a/w.ts"],
    );
    expect(folderCycles(cycle)).toHaveLength(2);
  });

  it("a cycle through a third folder is reported", () => {
    const cycle = importing(
      ["recorder/a/x.ts", "recorder/b/y.ts"],
      ["recorder/b/y.ts", "recorder/c/z.ts"],
      ["recorder/c/z.ts", "recorder/a/x.ts"],
    );
    expect(folderCycles(cycle)).toHaveLength(3);
  });

  it("folders that import in one direction, and files that import each other, are not reported", () => {
    const order = importing(
      ["recorder/a/x.ts", "recorder/b/y.ts"],
      ["recorder/b/y.ts", "recorder/c/z.ts"],
    );
    const files = importing(
      ["recorder/a/x.ts", "recorder/a/y.ts"],
      ["recorder/a/y.ts", "recorder/a/x.ts"],
    );
    expect([...folderCycles(order), ...folderCycles(files)]).toEqual([]);
  });

  it("a test may close a cycle", () => {
    const imports = importing(
      ["recorder/a/x.ts", "recorder/b/y.ts"],
      ["recorder/b/y.test.ts", "recorder/a/x.ts"],
    );
    expect(folderCycles(imports)).toEqual([]);
  });
});

it("readsOutside reports a path with more steps than the file has parent folders", () => {
  const text = (steps: string) => `join(import.meta.dirname, ${steps}, "crds")`;
  expect(readsOutside("sdk/a/b.ts", text('"..", ".."'))).toEqual([]);
  expect(readsOutside("sdk/a/b.ts", text('"..", "..", ".."'))).toEqual([
    "sdk/a/b.ts reads 3 folders above its own, which is outside the repository.",
  ]);
});

it("unitTests excludes a test that starts processes through another file", () => {
  const imports = importing(
    ["sdk/pure.test.ts", "sdk/pure.ts"],
    ["sdk/process.test.ts", "sdk/start.fixture.ts"],
    ["sdk/start.fixture.ts", "node:child_process"],
    ["sdk/address.test.ts", "sdk/spec/reachable-address.ts"],
    ["sdk/spec/reachable-address.ts", "node:net"],
  );
  expect(unitTests(imports)).toEqual(["sdk/pure.test.ts", "sdk/address.test.ts"]);
});

describe("rooms of sdk", () => {
  it("a room imports only rooms above it", () => {
    expect(roomProblems(importing(["sdk/plan/a.ts", "sdk/spec/b.ts"]))).toEqual([]);
    expect(roomProblems(importing(["sdk/spec/b.ts", "sdk/plan/a.ts"]))).toEqual([
      "sdk/spec/b.ts imports sdk/plan/a.ts, but `sdk/plan` is below `sdk/spec` (scripts/walls/rooms.ts).",
    ]);
    const registry = importing(["sdk/engines/vllm/engine.ts", "sdk/engines/index.ts"]);
    expect(roomProblems(registry)).toHaveLength(1);
  });

  it("a folder without a room is refused", () => {
    expect(roomProblems(importing(["sdk/attic/a.ts", "sdk/names.ts"]))).toEqual([
      "sdk/attic/a.ts is in no room: add its folder to scripts/walls/rooms.ts.",
    ]);
  });

  it("a comparison with an engine's name is refused outside the room of engines", () => {
    const text = 'if (name === "vllm") return;';
    expect(engineComparisons(new Map([["sdk/engines/vllm/engine.ts", text]]))).toEqual([]);
    expect(engineComparisons(new Map([["sdk/plan/a.ts", text]]))).toEqual([
      'sdk/plan/a.ts compares with an engine: === "vllm". Add a field to Engine in sdk/engines/interface.',
    ]);
  });
});
