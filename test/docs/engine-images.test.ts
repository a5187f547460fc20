import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { engineImages } from "../../sdk/engines/models/engine-images.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { vllmVersion } from "../engines/install-vllm.ts";

/** Programs and manifests that users copy use the engine images of one table. */

/** Records of measurements and decisions, with the images of their date. */
const records = /^(CHANGELOG\.md|docs\/(decisions\/|benchmarks\.md))/;

const files = globSync(
  ["*.md", "{docs,examples,demo}/**/*.{md,ts,yaml}", "components/**/*.ts", "cli/commands/*.ts"],
  { cwd: repositoryRoot, exclude: (path) => path.includes("node_modules") },
).filter((path) => !records.test(path) && !path.endsWith(".test.ts"));

const repositories = [...new Set(Object.values(engineImages).map((image) => image.split(":")[0]))];

it("every engine image in examples, pages and TSDoc is in the table of engine images", () => {
  const image = new RegExp(`\\b(?:${repositories.join("|")}):[\\w.-]+`, "g");
  const current: readonly string[] = Object.values(engineImages);
  const found = files.flatMap((path) =>
    [...readFileSync(join(repositoryRoot, path), "utf8").matchAll(image)].map(([text]) => ({
      path,
      text,
    })),
  );
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ text }) => !current.includes(text))).toEqual([]);
});

it("vLLM is the version that `npm test engines` runs", () => {
  for (const image of [engineImages.vllm, engineImages.vllmOnCpu, engineImages.vllmOnAmd])
    expect(image).toMatch(new RegExp(`:v${vllmVersion}$`));
});
