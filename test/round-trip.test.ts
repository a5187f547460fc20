import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KeptPacks, keptPacks } from "../cli/check/kept-packs.fixture.ts";
import { readProgram } from "../cli/input/program.ts";
import { formatYamlStream } from "../cli/output/yaml.ts";
import { filesOf } from "../cli/render/render.ts";
import { renderProgram } from "../cli/render/render-program.ts";
import { run } from "../cli/sample.fixture.ts";
import { bundlePacks } from "../policies/bundle.ts";
import { type Manifest, planInferenceService } from "../sdk/index.ts";
import { label } from "../sdk/names.ts";
import { planStatusObject } from "../sdk/plan/status-object.ts";
import { withoutScaledReplicas } from "../sdk/plan/workloads/autoscalers.ts";
import { parseInferenceService } from "../sdk/validate/inference-service.ts";
import { examplePrograms } from "../testing/programs/example-programs.ts";
import { importedProgram } from "../testing/programs/imported-program.ts";
import { readStory, repositoryRoot } from "../testing/repository.ts";

/** The output of `render` is valid input of every command: as a stream, a file, a folder and a kustomization. */

let folder: string;
let packs: KeptPacks;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-inference-round-trip-"));
  packs = keptPacks();
  await bundlePacks();
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await packs[Symbol.asyncDispose]();
});

interface Written {
  readonly paths: readonly string[];
  readonly stdin: string;
}

/** The forms in which objects are kept. */
function written(objects: readonly Manifest[], name: string): Record<string, Written> {
  const at = (file: string) => join(folder, `${name.replaceAll(/\W/g, "-")}-${file}`);
  const stream = formatYamlStream(objects);
  writeFileSync(at("all.yaml"), stream);
  const folderOf = (kustomization: boolean) => {
    const path = mkdtempSync(at("folder-"));
    for (const [file, text] of filesOf(objects, { format: "yaml", kustomization }))
      writeFileSync(join(path, file), text);
    return path;
  };
  const kustomized = folderOf(true);
  return {
    stream: { paths: ["-"], stdin: stream },
    file: { paths: [at("all.yaml")], stdin: "" },
    folder: { paths: [folderOf(false)], stdin: "" },
    "folder of a kustomization": { paths: [kustomized], stdin: "" },
    kustomization: { paths: [join(kustomized, "kustomization.yaml")], stdin: "" },
  };
}

async function expectRoundTrip(objects: readonly Manifest[], name: string): Promise<void> {
  const stream = formatYamlStream(objects);
  const hasEngines = objects.some(({ kind }) => kind === "LeaderWorkerSet");
  const outs = new Map<string, Set<string>>();
  const commands = [
    ["render"],
    ["graph"],
    ["check"],
    ...(hasEngines ? [["capacity", "--gpus", "256,16", "--format", "json"]] : []),
  ];
  for (const [form, { paths, stdin }] of Object.entries(written(objects, name)))
    for (const [command = "", ...args] of commands) {
      const world = { startPack: packs.start };
      const { code, out, err } = await run([command, ...paths, ...args], stdin, false, world);
      expect({ form, command, code, err: withoutProgress(err) }).toEqual({
        ...{ form, command, code: 0, err: "" },
      });
      if (command === "check") expect(out).toMatch(/ 0 errors, /);
      else outs.set(command, (outs.get(command) ?? new Set()).add(out));
    }
  expect([...(outs.get("render") ?? [])]).toEqual([stream]);
  for (const [command, different] of outs) expect([command, different.size]).toEqual([command, 1]);
}

/** Advice about images that stacks have by default is not about the input. */
const withoutProgress = (err: string) =>
  err.replaceAll(/^warning: .*pulumi-inference:image.*\n/gm, "");

/** Adds the objects that hold the statuses, as `statusObject: true` does. */
function withStatusObjects(objects: readonly Manifest[]): Manifest[] {
  const services = new Map(
    objects.flatMap(({ kind, metadata }) => {
      const name = metadata.labels?.[label.service];
      return kind === "LeaderWorkerSet" && name !== undefined
        ? [[`${metadata.namespace}/${name}`, { name, namespace: metadata.namespace }] as const]
        : [];
    }),
  );
  const story = parseInferenceService(readStory(1));
  const statusObjects = [...services.values()].map(({ name, namespace = "default" }) =>
    planStatusObject({ ...story, metadata: { ...story.metadata, name, namespace } }, "full"),
  );
  return [...objects, ...statusObjects];
}

describe.each([...examplePrograms])("%s", (example) => {
  it("every form of its rendered objects is read as the same input, with and without status objects", async () => {
    const loaded = await readProgram(join(repositoryRoot, example), "test");
    const config = { ...loaded.config, [`${loaded.project}:kubeconfig`]: "{}" };
    const program = importedProgram(join(repositoryRoot, example));
    const silent = { err: { write: () => {}, colour: false, isTerminal: false } };
    const rendered = await renderProgram({ ...loaded, config, program }, silent).catch(
      (error: Error) => error.message,
    );
    if (typeof rendered === "string") {
      // A program for several clusters, or with values of another stack, has no manifests.
      expect(rendered).toMatch(/manifests are for one cluster|is known only after a deployment/);
      return;
    }
    const objects = withoutScaledReplicas(rendered.manifests);
    await expectRoundTrip(objects, example);
    await expectRoundTrip(withStatusObjects(objects), `${example}-status`);
  }, 120_000);
});

describe.each([1, 2, 3, 4])("story %i", (number) => {
  it.each(["full", "extensions"] as const)(
    "with a status object, %s",
    async (statusObject) => {
      const service = readStory(number);
      const objects = withoutScaledReplicas(planInferenceService(service, { statusObject }));
      await expectRoundTrip(objects, `story-${number}-${statusObject}`);
      // Alone, as `kubectl get inferenceservices` prints it, it is planned.
      const alone = formatYamlStream(objects.filter(({ kind }) => kind === "InferenceService"));
      const { code, out } = await run(["render", "-"], alone);
      expect(code).toBe(0);
      expect(out).toBe(formatYamlStream(withoutScaledReplicas(planInferenceService(service))));
    },
    60_000,
  );
});
