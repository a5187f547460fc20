import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { loadProject, memoryState, openStack } from "../../engine/index.ts";
import type { ApiError } from "../../kubernetes/api/api-error.ts";
import type { Manifest } from "../../sdk/index.ts";
import type { ApiClient } from "../../testing/api/api-client.ts";
import { objectPath } from "../../testing/object-path.ts";
import { pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import { readDocuments, repositoryRoot } from "../../testing/repository.ts";
import { type Exported, resourcesOf } from "./exported-resources.ts";

/** An example as a user of the Pulumi CLI has it. */
export interface Walk {
  /** Previews, deploys, and holds that nothing is left to do: by `up`, and by `refresh` once all pods are ready. */
  up(): Promise<void>;
  /** URN and inputs of every Kubernetes resource of its state. */
  resources(): Promise<object[]>;
  /** The same of the local engine, which deploys and destroys it once. */
  resourcesOfLocalEngine(): Promise<object[]>;
  /** Destroys it, and holds that its objects are gone. */
  down(): Promise<void>;
}

export interface WalkOptions {
  /** Folder below `examples`. */
  readonly example: string;
  /** State of all stacks, so that one can refer to another. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** The client of the cluster whose objects `expected.yaml` is compared with. */
  readonly request: ApiClient["request"];
  /** Waits until the controllers have nothing left to do. Default: they are not waited for. */
  readonly atRest?: () => Promise<unknown>;
  readonly config?: Record<string, string>;
}

const stackName = "lane";

export async function walkOf({
  example,
  folder,
  kubeconfig,
  request,
  atRest,
  config = {},
}: WalkOptions): Promise<Walk> {
  const project = join(repositoryRoot, "examples", example);
  const run = await pulumiStack({ project, stack: stackName, folder, kubeconfig, config });
  const expectedFile = `examples/${example}/expected.yaml`;
  const expected = existsSync(join(repositoryRoot, expectedFile))
    ? readDocuments<Manifest>(expectedFile)
    : [];
  const exported = async () => JSON.parse(await run("stack", "export")) as Exported;
  return {
    async up() {
      await run("preview");
      await run("up", "--yes", "--skip-preview");
      for (const manifest of expected)
        expect(await request("GET", objectPath(manifest))).toMatchObject(manifest);
      await run("up", "--yes", "--skip-preview", "--expect-no-changes");
      await atRest?.();
      await run("preview", "--expect-no-changes");
      await run("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    },
    resources: async () => resourcesOf(await exported(), stackName),
    async resourcesOfLocalEngine() {
      const ours = openStack({
        ...(await loadProject(project, stackName)),
        state: memoryState(),
        kubernetes: { kubeconfig },
        config,
      });
      const failed = ({ severity }: { severity: string }) => severity === "error";
      expect((await ours.up()).diagnostics.filter(failed)).toEqual([]);
      const resources = resourcesOf((await ours.export()) as unknown as Exported, stackName);
      expect((await ours.destroy()).diagnostics.filter(failed)).toEqual([]);
      return resources;
    },
    async down() {
      await run("destroy", "--yes", "--skip-preview");
      for (const manifest of expected)
        await expect(request("GET", objectPath(manifest))).rejects.toThrow(
          expect.objectContaining({ status: 404 }) as ApiError,
        );
    },
  };
}
