import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readProgram } from "../../cli/input/program.ts";
import { renderProgram } from "../../cli/render/render-program.ts";
import { run as runCli } from "../../cli/sample.fixture.ts";
import type { Manifest } from "../../sdk/index.ts";
import { withoutScaledReplicas } from "../../sdk/plan/workloads/autoscalers.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { crdsWithOwn } from "../../testing/api/install-crds.ts";
import { environmentOf, pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import {
  findPulumiWithLanguages,
  type PulumiPrograms,
} from "../../testing/programs/pulumi-programs.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { type PackedProject, packedProject } from "../packaging/packed-project.ts";
import { resourcesOf } from "./exported-resources.ts";
import { build, generateSdk, type Language, languageProject } from "./language-project.ts";

/**
 * The programs of examples/languages, run by the Pulumi CLI with the packed package as a plugin. Each creates the objects of the
 * program in TypeScript, byte for byte.
 */

let packed: PackedProject;
let folder: string;
let programs: PulumiPrograms;
let expected: string;

beforeAll(async () => {
  programs = await findPulumiWithLanguages();
  packed = await packedProject();
  folder = mkdtempSync(join(tmpdir(), "languages-"));
  expected = await deployed("typescript", join(repositoryRoot, "examples/languages/typescript"));
}, 1_800_000);

afterAll(async () => {
  packed?.remove();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const settings = { "pulumi-inference:image": "registry.example.com/team/epp:v1" };
const silent = { err: { write: () => {}, colour: false, isTerminal: false } };

/** The CLI creates resources in the order in which their components register them. */
const inOrder = (manifests: readonly Manifest[]) =>
  manifests.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
const nameOf = ({ kind, metadata }: Manifest) =>
  `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

/** Deploys a program to a cluster of its own, holds that nothing is left to do, and returns the resources of its state. */
async function deployed(name: string, project: string): Promise<string> {
  const state = join(folder, name);
  mkdirSync(state);
  const cluster = await startCluster({ crds: await crdsWithOwn() });
  try {
    const { kubeconfig } = cluster;
    const run = await pulumiStack({
      ...{ project, stack: "lane", folder: state, kubeconfig, programs },
      config: settings,
    });
    await run("preview");
    await run("up", "--yes", "--skip-preview");
    const resources = resourcesOf(JSON.parse(await run("stack", "export")), "lane");
    await run("up", "--yes", "--skip-preview", "--expect-no-changes");
    return JSON.stringify(resources, null, 1);
  } finally {
    await cluster.stop();
  }
}

describe.each<Language>(["python", "go", "yaml", "java"])("%s", (language) => {
  let project: string;
  beforeAll(() => {
    project = languageProject(packed, language);
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("builds and passes the type check", async () => {
    await build[language](packed, project);
  });

  it("renders the same manifests as the TypeScript program, and can be checked and placed", async () => {
    const typescript = join(repositoryRoot, "examples/languages/typescript");
    const local = await readProgram(typescript, "lane");
    const config = { ...local.config, ...settings };
    const { manifests } = await renderProgram({ ...local, config }, silent);
    const state = join(folder, `${language}-render`);
    mkdirSync(state);
    const stack = { project, stack: "lane", folder: state, kubeconfig: "/nowhere", programs };
    await pulumiStack({ ...stack, config: settings });
    cpSync(
      join(state, `${project.replaceAll(/\W+/g, "-")}.Pulumi.lane.yaml`),
      join(project, "Pulumi.lane.yaml"),
    );
    for (const [name, value] of Object.entries(environmentOf(stack))) vi.stubEnv(name, value);
    const ours = (...args: string[]) => runCli([...args, "--stack", "lane"]);
    const rendered = await ours("render", project, "--format", "json");
    expect(rendered.code, rendered.err).toBe(0);
    expect(rendered.err.replaceAll(/^warning: .* depends on shared; .*\n/gm, "")).toBe("");
    expect(inOrder(JSON.parse(rendered.out))).toEqual(inOrder(withoutScaledReplicas(manifests)));
    expect(await ours("capacity", project, "--gpus", "512", "--require", "full")).toMatchObject({
      code: 0,
    });
    expect((await ours("check", project)).code).toBe(0);
    vi.unstubAllEnvs();
    rmSync(join(project, "Pulumi.lane.yaml"));
  });

  it("creates the same objects as the TypeScript program", async () => {
    expect(await deployed(language, project)).toBe(expected);
  });
});

it("C#: Pulumi's generator writes the package", async () => {
  const project = mkdtempSync(join(tmpdir(), "csharp-"));
  await generateSdk(packed, "csharp", join(project, "sdk"));
  expect(existsSync(join(project, "sdk/InferenceService.cs"))).toBe(true);
  rmSync(project, { recursive: true });
});
