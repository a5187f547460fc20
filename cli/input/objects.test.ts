import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LocatedProblem, UsageError } from "../exit-code.ts";
import { readObjects } from "./objects.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-inference-objects-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const files = (texts: Record<string, string>) => {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
};

const terminal = {
  readStdin: async () => "",
  err: { write: () => {}, colour: false },
};

const pod = "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n";
const broken = "kind: Pod\nspec: [1,\nother: }\n";

describe("a broken file", () => {
  it("a broken file of a folder is one problem, and the other files are read", async () => {
    files({ "a.yaml": pod, "b.yaml": broken, "c.json": "{", "d.yaml": pod });
    const problems: LocatedProblem[] = [];
    const onBroken = (problem: LocatedProblem) => void problems.push(problem);
    const objects = await readObjects([folder], terminal, { onBroken });
    expect(objects.map(({ file }) => file)).toEqual([
      join(folder, "a.yaml"),
      join(folder, "d.yaml"),
    ]);
    expect(problems).toMatchObject([
      { location: `${join(folder, "b.yaml")}:3`, problem: { path: [] } },
      { location: expect.stringMatching(/c\.json:\d+$/) },
    ]);
    expect(problems[0]?.problem.given).toMatch(/^is not valid YAML \(/);
  });

  it("a folder that contains only a broken file is not a usage error", async () => {
    files({ "b.yaml": broken });
    const problems: LocatedProblem[] = [];
    const onBroken = (problem: LocatedProblem) => void problems.push(problem);
    expect(await readObjects([folder], terminal, { onBroken })).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  it("a broken file is misuse if it is named itself", async () => {
    files({ "b.yaml": broken });
    const read = readObjects([join(folder, "b.yaml")], terminal, { onBroken: () => {} });
    await expect(read).rejects.toThrow(UsageError);
  });

  it("a broken file of a folder is misuse for a command that needs all files", async () => {
    files({ "a.yaml": pod, "b.yaml": broken });
    await expect(readObjects([folder], terminal)).rejects.toThrow(UsageError);
  });
});

it("a named file without an object is refused with the allowed content", async () => {
  files({ "a.yaml": "hello", "b.yaml": "spec: {}\n" });
  const read = readObjects([join(folder, "a.yaml"), join(folder, "b.yaml")], terminal);
  await expect(read).rejects.toThrow(
    [
      `${join(folder, "a.yaml")}:1: is a string; allowed: a Kubernetes object with apiVersion and kind. Correct the file, or leave it out.`,
      `${join(folder, "b.yaml")}:1: apiVersion: is missing; allowed: an API version such as v1 or apps/v1. Add apiVersion.`,
      `${join(folder, "b.yaml")}:1: kind: is missing; allowed: a kind such as Pod or InferenceService. Add kind.`,
    ].join("\n"),
  );
});
