import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { loadProject, memoryState, openStack } from "../engine/index.ts";
import type { Manifest } from "../sdk/index.ts";
import { importedProgram } from "./imported-program.ts";
import { repositoryRoot } from "./repository.ts";

/** Folders of the programs in `examples`, from the root of the repository. */
export const examplePrograms: readonly string[] = globSync("examples/**/Pulumi.yaml", {
  cwd: repositoryRoot,
  exclude: (name) => basename(name) === "node_modules",
})
  .map(dirname)
  .sort();

/** Configuration that an example cannot run without. */
const needed: Readonly<Record<string, string>> = { kubeconfig: "{}" };

/** What an example's program plans, without a cluster: its Kubernetes objects and what the preview reports. */
export async function planExample(folder: string, config: Readonly<Record<string, string>> = {}) {
  const loaded = await loadProject(join(repositoryRoot, folder), "test");
  const settings = Object.entries({ ...needed, ...config });
  const objects: Manifest[] = [];
  const stack = openStack({
    ...loaded,
    program: importedProgram(join(repositoryRoot, folder)),
    config: {
      ...loaded.config,
      ...Object.fromEntries(settings.map(([key, value]) => [`${loaded.project}:${key}`, value])),
    },
    state: memoryState(),
    offline: true,
    analyzer: {
      remediate: async () => undefined,
      analyze: async ({ type, properties }) => {
        if (type.startsWith("kubernetes:")) objects.push(properties as unknown as Manifest);
        return [];
      },
      analyzeStack: async () => [],
    },
  });
  const { diagnostics } = await stack.preview();
  return { objects, diagnostics };
}
