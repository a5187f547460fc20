import { join } from "node:path";
import { expect, it } from "vitest";
import type { LocatedProblem } from "../exit-code.ts";
import { readDocuments } from "../input/input.ts";
import { folderOf, sampleManifest } from "../sample.fixture.ts";
import { checkManifests, manifestsToCheck } from "./check-manifests.ts";
import { sarifReport } from "./reports/sarif.ts";
import { textReport } from "./reports/text.ts";

/** Reading and planning, before any pack runs. */

const nobody = { write: () => {}, colour: false };

const noPacks = { policies: [], analyze: async () => [], analyzeStack: async () => [] };

const read = async (stdin: string, paths = ["-"], allowEmpty = false) => {
  const broken: LocatedProblem[] = [];
  const onBroken = (problem: LocatedProblem) => void broken.push(problem);
  const terminal = { err: nobody, readStdin: async () => stdin };
  return manifestsToCheck(await readDocuments(paths, terminal, { allowEmpty, onBroken }), broken);
};

const invalid = sampleManifest("Bad_Name")
  .replace("replicas: 2", "replicas: -3")
  .replace('nvidia.com/gpu: "8"', "nvidia.com/gpu: 1.5");

it("check reports every problem of a document at its line", async () => {
  const report = textReport(await checkManifests(await read(invalid), noPacks), nobody);
  expect(report).toContain("error spec-is-valid: ");
  expect(report).toMatch(/- standard input:4: metadata\.name: is "Bad_Name"/);
  expect(report).toMatch(/- standard input:20: spec\.roles\[1\]\.replicas: is -3/);
  expect(report).toMatch(/- standard input:17: spec\.roles\[0\]\.template\.spec\.containers\[0\]/);
  expect(report).toMatch(/\n0 objects, \d errors, 0 warnings\n$/);
});

it("check continues after a refused document, and reports its problems at their lines", async () => {
  using folder = folderOf({ "a.yaml": `${invalid}---\n${sampleManifest("b")}` });
  const file = join(folder.path, "a.yaml");
  const { objects, refused } = await read("", [file]);
  expect(objects.map(({ object }) => object.kind)).toEqual([
    "PodGroup",
    "LeaderWorkerSet",
    "LeaderWorkerSet",
    "LeaderWorkerSet",
    "PodDisruptionBudget",
    "PodDisruptionBudget",
    "NetworkPolicy",
  ]);
  expect(refused[0]?.location).toEqual({ name: `${file}:4`, file, line: 4 });
  const sarif = JSON.parse(
    sarifReport(await checkManifests({ advice: [], objects, refused }, noPacks)),
  );
  const [{ results, tool }] = sarif.runs;
  expect(results[0].locations[0].physicalLocation.region.startLine).toBe(4);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
});

it.each([
  ["fusioninfer.io/v1alpha1", "InferenceService"],
  ["inference.x-k8s.io/v1alpha1", "LLMServerPool"],
  ["inference.x-k8s.io/v1alpha1", "LLMService"],
  ["llm-d.ai/v1alpha2", "InferenceModelRewrite"],
  ["workload.kthena.io/v1alpha1", "ModelServing"],
])("check includes %s %s", async (apiVersion, kind) => {
  const document = { apiVersion, kind, metadata: { name: "a" }, spec: { nothing: 1 } };
  const { objects, refused } = await read(JSON.stringify(document));
  expect(objects).toEqual([]);
  expect(refused.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('spec.nothing: unknown field "nothing"'),
  );
});

it("check does not change objects of other kinds, even with the same kind name", async () => {
  const kserve = { apiVersion: "serving.kserve.io/v1beta1", kind: "InferenceService", spec: {} };
  const { objects, refused } = await read(JSON.stringify(kserve));
  expect(refused).toEqual([]);
  expect(objects.map(({ object }) => object)).toEqual([kserve]);
});

it("check refuses empty files, folders and pipes, unless allowEmpty is set", async () => {
  using folder = folderOf({ "empty.yaml": "# nothing\n", "notes.txt": "hello" });
  const inputs = [join(folder.path, "empty.yaml"), folder.path, "-"];
  for (const input of inputs)
    await expect(read("", [input])).rejects.toThrow(`${input}: no Kubernetes objects found`);
  expect((await read("", inputs, true)).objects).toEqual([]);
});
