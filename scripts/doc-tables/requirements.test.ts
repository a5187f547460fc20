import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeVersions, requirementsTable } from "./requirements.ts";

const root = join(import.meta.dirname, "..", "..");
const pages = globSync(["README.md", "docs/**/*.md", "{examples,engine}/**/README.md"], {
  cwd: root,
  exclude: (name) => name.includes("node_modules"),
});

it("every page names the versions of Node.js in requirements.ts", () => {
  const allowed: readonly string[] = Object.values(nodeVersions);
  const wrong = pages.flatMap((page) =>
    [
      ...readFileSync(join(root, page), "utf8").matchAll(
        /Node(?:\.js)? (\d+(?:\.\d+)*) (?:and|or) (?:later|newer)/g,
      ),
    ].flatMap(([text, version = ""]) => (allowed.includes(version) ? [] : [`${page}: ${text}`])),
  );
  expect(wrong).toEqual([]);
});

it("the message of the Kubernetes client library has its version of Node.js", () => {
  const text = readFileSync(join(root, "kubernetes/api/client-library.ts"), "utf8");
  expect(text).toContain(`Node.js ${nodeVersions.clusters} or later`);
});

it("the quickstart needs the sum of its pods' requests", () => {
  expect(requirementsTable().at(-1)).toContain("2.25 free CPUs and 5.25 GiB of free memory");
});
