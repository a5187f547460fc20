import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  startWorkingCluster,
  type WorkingCluster,
} from "../../testing/clusters/working-cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { pulumi as cli, pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import {
  findPulumiWithLanguages,
  type PulumiPrograms,
} from "../../testing/programs/pulumi-programs.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { StepTimes } from "../../testing/step-times.ts";
import type { LiveTraffic } from "../../testing/traffic/live-traffic.ts";
import { serveQuickstart } from "../../testing/traffic/quickstart-traffic.ts";
import { run } from "./language-project.ts";

/**
 * docs/languages/python.md, from `npm pack` to an answered request: the packed package in a project in Python, the Pulumi CLI, the
 * real controllers, Envoy and the picker as deployed. The kubelet and the model server are STAND-INS.
 */

const model = "Qwen/Qwen2.5-0.5B-Instruct";
const times = new StepTimes();
let folder: string;
let working: WorkingCluster;
let programs: PulumiPrograms;
let traffic: LiveTraffic | undefined;

beforeAll(async () => {
  programs = await findPulumiWithLanguages();
  await findEnvoy();
  folder = mkdtempSync(join(tmpdir(), "first-hour-python-"));
  working = await startWorkingCluster({ nodes: 1 });
}, 1_800_000);
afterAll(async () => {
  console.log(times.text());
  await traffic?.stop();
  await working?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Writes the files that `pulumi new python` writes, whose template is on GitHub. */
function newProject(): string {
  const project = join(folder, "quickstart");
  mkdirSync(project);
  const options = "    toolchain: pip\n    virtualenv: venv\n";
  const settings = `name: quickstart\nruntime:\n  name: python\n  options:\n${options}`;
  writeFileSync(join(project, "Pulumi.yaml"), settings);
  writeFileSync(join(project, "requirements.txt"), "pulumi>=3.0.0,<4.0.0\n");
  return project;
}

/** Returns the program of the page, with the port of the test's gateway. */
function program(port: number): string {
  const page = readFileSync(join(repositoryRoot, "docs/languages/python.md"), "utf8");
  const [, block = ""] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
  const lines = [
    "import pulumi\nimport pulumi_inference as inference\n",
    block.replace('"port": 80', `"port": ${port}`),
    'pulumi.export("url", quickstart.url)',
    'pulumi.export("urlStatus", quickstart.url_status)\n',
  ];
  return lines.join("\n");
}

it("a Python project installs the packed package, serves a request and is destroyed", async () => {
  await times.timed("npm pack, with the build", () =>
    run(repositoryRoot, "npm", "pack", "--pack-destination", folder),
  );
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  const project = newProject();
  await times.timed("python3 -m venv, pip install", async () => {
    await run(project, "python3", "-m", "venv", "venv");
    await run(project, "venv/bin/python", "-m", "pip", "install", "-q", "-r", "requirements.txt");
  });
  await times.timed("npm install", () =>
    run(project, "npm", "install", `../${tarball}`, "@pulumi/pulumi", "@pulumi/kubernetes"),
  );
  const { kubeconfig } = working.cluster;
  const state = join(folder, "state");
  mkdirSync(state);
  const options = { project, folder: state, kubeconfig, programs };
  await times.timed("pulumi package add", () =>
    cli(options, "package", "add", "./node_modules/pulumi-inference/plugin"),
  );
  expect(readFileSync(join(project, "Pulumi.yaml"), "utf8")).toMatch(/packages:\n +inference: /);
  const [gatewayPort = 0] = await freePorts(1);
  writeFileSync(join(project, "__main__.py"), program(gatewayPort));

  const config = { "pulumi-inference:image": "registry.example.com/team/epp:v1" };
  const pulumi = await times.timed("pulumi stack init, config set", () =>
    pulumiStack({ ...options, stack: "dev", config }),
  );
  await times.timed("pulumi preview", () => pulumi("preview"));
  const up = await times.timed("pulumi up", () => pulumi("up", "--yes", "--skip-preview"));
  expect(up).toContain("urlStatus");
  await times.timed("pods run and are ready (stand-in of the kubelet)", () => working.atRest());
  await times.timed("Envoy, picker and model server start", async () => {
    traffic = await serveQuickstart(working, { folder, port: gatewayPort, model });
  });
  await times.timed("pulumi up --refresh", () =>
    pulumi("up", "--yes", "--skip-preview", "--refresh"),
  );
  const url = (await pulumi("stack", "output", "url")).trim();
  expect(url).toBe(`http://127.0.0.1:${gatewayPort}/v1`);
  await times.timed("curl", async () => {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Why?" }] });
    const header = ["-H", "Content-Type: application/json"];
    const out = await run(project, "curl", "-sS", `${url}/chat/completions`, ...header, "-d", body);
    expect(JSON.parse(out)).toMatchObject({ object: "chat.completion", model });
  });
  await times.timed("pulumi destroy", () => pulumi("destroy", "--yes", "--skip-preview"));
  expect(await working.atRest()).toEqual([]);
});
