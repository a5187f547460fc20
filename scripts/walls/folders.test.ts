import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

const foldersIn = (path: string) =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

it.each(foldersIn("sdk"))("docs/architecture.md lists sdk/%s", (name) => {
  expect(page).toContain(`(../sdk/${name}`);
});

it.each(foldersIn("runtime/epp"))("docs/architecture.md lists %s of runtime/epp", (name) => {
  expect(page).toMatch(new RegExp(`^\\| (\`[a-z-]+\`, )*\`${name}\`(, \`[a-z-]+\`)* \\|`, "m"));
});

it.each(foldersIn("runtime"))("docs/architecture.md lists runtime/%s", (name) => {
  expect(page).toContain(`(../runtime/${name})`);
});
