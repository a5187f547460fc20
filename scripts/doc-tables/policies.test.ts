import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { guidelines } from "../../sdk/rules/helpers/guidelines.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { inferenceServiceRules } from "../../sdk/rules/spec/index.ts";
import { repositoryRoot } from "../../testing/repository.ts";

const page = () => read("docs/policies.md");

const read = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");

describe("guidelines", () => {
  it("guidelines are numbered from G01 to G42", () => {
    const ids = Array.from({ length: 42 }, (_, at) => `G${String(at + 1).padStart(2, "0")}`);
    expect(guidelines.map(({ id }) => id)).toEqual(ids);
  });

  it("each guideline has a rule, a schema, a doctor check or a lifecycle test", () => {
    const homeless = guidelines.filter(
      ({ id, schema = [], doctor = [], lifecycle = [] }) =>
        schema.length + doctor.length + lifecycle.length === 0 &&
        stackRules.every((rule) => !rule.guidelines.includes(id)),
    );
    expect(homeless.map(({ id }) => id)).toEqual([]);
  });

  it("guidelines include every id that rules refer to", () => {
    const known = new Set(guidelines.map(({ id }) => id));
    const named = stackRules.flatMap((rule) => [...rule.guidelines]);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  it("guidelines refer to existing rules, checks and tests", () => {
    const rules = new Set(inferenceServiceRules.map(({ id }) => id));
    const doctor = globSync("cli/doctor/check-*.ts", { cwd: repositoryRoot }).map(read).join("");
    for (const { schema = [], doctor: checks = [], lifecycle = [] } of guidelines) {
      expect(schema.filter((id) => !rules.has(id))).toEqual([]);
      for (const check of checks) expect(doctor).toContain(stemOf(check));
      for (const [file, title] of lifecycle) expect(read(file)).toContain(`it("${title}"`);
    }
  });
});

/** Doctor checks whose names contain a component or a kind build their names from parts. */
const stemOf = (check: string) =>
  check === "volcano-scheduler-version"
    ? "-version`"
    : check.startsWith("crd-")
      ? "`crd-"
      : `"${check}"`;

describe("docs/policies.md", () => {
  it("has a heading for every rule, as a target of links", () => {
    const headings = [...page().matchAll(/^### (.*)$/gm)].map(([, id]) => id);
    expect(headings.toSorted()).toEqual(stackRules.map(({ id }) => id).toSorted());
  });

  it("has valid snippets", () => {
    const snippets = [...page().matchAll(/```(json|yaml)\n([^`]*)```/g)];
    expect(snippets.length).toBe(3);
    for (const [, , text = ""] of snippets) expect(typeof parse(text)).toBe("object");
  });
});
