import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { loadProject, recordProgram } from "../../recorder/index.ts";
import type { Manifest } from "../../sdk/index.ts";
import { repositoryRoot } from "../repository.ts";
import { importedProgram } from "./imported-program.ts";

/**
 * Folders whose programs other tests run: test/languages runs the programs of `examples/languages`, and test/clouds plans
 * `examples/clouds`, which need packages of their own.
 */
const without = ["node_modules", "languages", "clouds"];

/** Folders of the programs in `examples`, from the root of the repository. */
export const examplePrograms: readonly string[] = globSync("examples/**/Pulumi.yaml", {
  cwd: repositoryRoot,
  exclude: (name) => without.includes(basename(name)),
})
  .map(dirname)
  .sort();

/** Configuration that an example cannot run without. */
const needed: Readonly<Record<string, string>> = { kubeconfig: "{}" };

/** Plans an example's program without a cluster: returns its Kubernetes objects and the diagnostics of the preview. */
export const planExample = (folder: string, config: Readonly<Record<string, string>> = {}) =>
  planProject(join(repositoryRoot, folder), { ...needed, ...config });

/** Plans the project of a directory without a cluster. */
export async function planProject(
  directory: string,
  config: Readonly<Record<string, string>> = {},
) {
  const loaded = await loadProject(directory, "test");
  const settings = Object.entries(config);
  const { resources, diagnostics } = await recordProgram({
    ...loaded,
    program: importedProgram(directory),
    config: {
      ...loaded.config,
      ...Object.fromEntries(settings.map(([key, value]) => [`${loaded.project}:${key}`, value])),
    },
  });
  const objects = resources
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map(({ properties }) => properties as unknown as Manifest);
  return { objects, diagnostics };
}
