import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { memoryState, openStack } from "../../engine/index.ts";
import type { AttachedCluster } from "../../testing/api/cluster.ts";
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

describe("every Pulumi program previews", () => {
  // Inside the repository, so that the package finds itself by its name.
  const folder = join(repositoryRoot, "dist", "documented-programs");
  let cluster: AttachedCluster;
  let kubeconfig: string;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    cluster = await sharedCluster();
    kubeconfig = withContexts(cluster.kubeconfig, ["east", "west"]);
    vi.stubEnv("KUBECONFIG", kubeconfig);
    const { diagnostics } = await platform().up();
    expect(diagnostics).toEqual([]);
    await makeSharedGateway();
  }, 120_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    cluster?.detach();
    rmSync(folder, { recursive: true, force: true });
  });

  const state = memoryState();
  /** The stack of another team, whose outputs programs of pages refer to. */
  const platform = () =>
    openStack({
      project: "platform",
      stack: "prod",
      program: { run: async () => ({ poolName: "llama" }) },
      state,
      kubernetes: { kubeconfig },
    });

  /** A Gateway that programs of pages refer to and do not make. */
  async function makeSharedGateway(): Promise<void> {
    const gateway = {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { name: "shared", namespace: "infra" },
      spec: {
        gatewayClassName: "istio",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "infra" } };
    await cluster.request("POST", "/api/v1/namespaces", namespace);
    await cluster.request("POST", objectPath(gateway).replace(/\/shared$/, ""), gateway);
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
    const stack = openStack({
      project: "docs",
      stack: "dev",
      program: { run: () => import(/* @vite-ignore */ pathToFileURL(file).href) },
      state,
      kubernetes: { kubeconfig },
      secretConfig: { tenantKeys: JSON.stringify({ research: "key-1" }) },
    });
    const { diagnostics, steps } = await stack.preview();
    const isWrong = ({ severity, message }: (typeof diagnostics)[number]) =>
      severity === "error" || message.includes(" unevenly: ");
    expect(diagnostics.filter(isWrong)).toEqual([]);
    expect(steps.length).toBeGreaterThan(1);
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
