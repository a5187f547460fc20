import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ApiError } from "../../kubernetes/api/api-error.ts";
import type { Manifest } from "../../sdk/index.ts";
import type { ApiClient } from "../../testing/api/api-client.ts";
import { objectPath } from "../../testing/object-path.ts";
import { pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import { readDocuments, repositoryRoot } from "../../testing/repository.ts";

/** An example as a user of the Pulumi CLI runs it. */
export interface Walk {
  /** Previews, deploys, and holds that nothing is left to do: by `up`, and by `refresh` once all pods are ready. */
  up(): Promise<void>;
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
    async down() {
      await run("destroy", "--yes", "--skip-preview");
      for (const manifest of expected)
        await expect(request("GET", objectPath(manifest))).rejects.toThrow(
          expect.objectContaining({ status: 404 }) as ApiError,
        );
    },
  };
}
