import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../testing/repository.ts";
import { elementsOf } from "../../testing/xml-elements.ts";
import { folderOf, run } from "../sample.fixture.ts";

const quickstart = join(repositoryRoot, "examples/quickstart");

it("the objects of a Pulumi program are drawn without a cluster", async () => {
  const { code, out } = await run(["graph", quickstart]);
  expect(code).toBe(0);
  for (const text of [
    "Gateway<br/>quickstart-gateway",
    "LeaderWorkerSet<br/>quickstart-inference",
    '-.->|"ext_proc"|',
  ])
    expect(out).toContain(text);
});

it("the picture of the quickstart in the documentation has the objects of its program", async () => {
  const { out } = await run(["graph", quickstart]);
  const printed = [...out.matchAll(/"([^"]+)"/g)].flatMap(([, label = ""]) => label.split("<br/>"));
  const picture = readFileSync(join(repositoryRoot, "docs/images/quickstart.svg"), "utf8");
  const drawn = elementsOf(picture)
    .filter(({ attributes }) => /strong|muted/.test(attributes.class ?? ""))
    .map(({ text }) => text);
  expect(drawn.sort()).toEqual(printed.sort());
});

it("a program with other paths is refused, and a program that fails is an error", async () => {
  const both = await run(["graph", quickstart, "-"]);
  expect(both).toMatchObject({ code: 2, out: "" });
  expect(both.err).toContain("is a Pulumi program; draw it alone");
  using folder = folderOf({
    "Pulumi.yaml": "name: bad\nruntime: { name: nodejs, options: { typescript: false } }\n",
    "package.json": '{ "type": "module", "main": "index.mjs" }',
    "index.mjs": 'throw new Error("no such region");',
  });
  const failed = await run(["graph", folder.path]);
  expect(failed).toMatchObject({ code: 2, out: "" });
  expect(failed.err).toContain("no such region");
});
