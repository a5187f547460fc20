import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isNotFound } from "../../kubernetes/api/api-error.ts";
import { applyPatchType } from "../../kubernetes/api/patch-types.ts";
import { recordProgram } from "../../recorder/index.ts";
import type { Manifest } from "../../sdk/index.ts";
import type { AttachedCluster } from "../../testing/api/cluster.ts";
import { objectsOf } from "../../testing/clusters/recorded-objects.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { objectPath } from "../../testing/object-path.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { problemsOfPrograms } from "./compile.ts";
import { documentedPrograms } from "./programs.ts";

const run = promisify(execFile);

/** The programs of README and docs, as readers copy them. */

const programs = documentedPrograms();

it("every TypeScript block compiles", () => {
  expect(programs.length).toBeGreaterThan(5);
  expect(problemsOfPrograms(programs)).toEqual([]);
}, 180_000);

describe("every Pulumi program plans objects that an API server accepts", () => {
  // Inside the repository, so that the package finds itself by its name.
  const folder = join(repositoryRoot, "dist", "documented-programs");
  let cluster: AttachedCluster;
  let kubeconfig: string;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    cluster = await sharedCluster();
    kubeconfig = withContexts(cluster.kubeconfig, ["east", "west"]);
    vi.stubEnv("KUBECONFIG", kubeconfig);
  }, 120_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    cluster?.detach();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Outputs of the stack of another team, to which programs of pages refer. */
  const references = { "org/platform/prod": { poolName: "llama" } };

  /** Applies an object in a dry run. Its namespace or its kind may be missing, as in a preview. */
  async function tryOut(manifest: Manifest): Promise<void> {
    const query = "dryRun=All&fieldManager=docs&fieldValidation=Strict&force=true";
    const path = `${objectPath(manifest)}?${query}`;
    try {
      await cluster.request("PATCH", path, manifest, applyPatchType);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Programs of several clusters name contexts; here they all lead to one. */
  function withContexts(path: string, names: readonly string[]): string {
    const config = JSON.parse(readFileSync(path, "utf8")) as {
      contexts: Array<{ name: string; context: unknown }>;
    };
    const context = config.contexts[0]?.context;
    const file = join(folder, "kubeconfig");
    const contexts = [...config.contexts, ...names.map((name) => ({ name, context }))];
    writeFileSync(file, JSON.stringify({ ...config, contexts }));
    return file;
  }

  it.each(programs.filter(({ kind }) => kind === "program"))("$place", async ({ place, text }) => {
    const file = join(folder, `${place.replaceAll(/\W/g, "-")}.mts`);
    writeFileSync(file, text);
    const { diagnostics, resources } = await recordProgram({
      project: "docs",
      stack: "dev",
      program: { run: () => import(/* @vite-ignore */ pathToFileURL(file).href) },
      references,
      secretConfig: { tenantKeys: JSON.stringify({ research: "key-1" }) },
    });
    const isWrong = ({ severity, message }: (typeof diagnostics)[number]) =>
      severity === "error" || message.includes(" unevenly: ");
    expect(diagnostics.filter(isWrong)).toEqual([]);
    const objects = objectsOf(resources);
    expect(objects.length).toBeGreaterThan(0);
    for (const { manifest } of objects) await tryOut(manifest);
  });
});

describe("every test of the pages passes", () => {
  const folder = join(repositoryRoot, "dist", "documented-tests");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(programs.filter(({ kind }) => kind === "test"))(
    "$place",
    async ({ place, text }) => {
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${place.replaceAll(/\W/g, "-")}.test.mts`);
      writeFileSync(file, text);
      const vitest = join(repositoryRoot, "node_modules", "vitest", "vitest.mjs");
      const config = join(import.meta.dirname, "documented-tests.config.ts");
      const { stdout } = await run(process.execPath, [vitest, "run", "--config", config, file], {
        env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "" },
      });
      expect(stdout).toMatch(/Tests\s+\d+ passed/);
    },
    60_000,
  );
});
