import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  startWorkingCluster,
  type WorkingCluster,
} from "../../testing/clusters/working-cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { StepTimes } from "../../testing/step-times.ts";
import type { LiveTraffic } from "../../testing/traffic/live-traffic.ts";
import { serveQuickstart } from "../../testing/traffic/quickstart-traffic.ts";

/**
 * docs/first-hour.md, walked: the packed package installed from the registry's side into an empty project, the Pulumi CLI, the
 * real controllers, Envoy and the picker as deployed. Played are the kubelet and, at the pod's address, the model server.
 */

const model = "Qwen/Qwen2.5-0.5B-Instruct";
const times = new StepTimes();
let folder: string;
let working: WorkingCluster;
let traffic: LiveTraffic | undefined;

beforeAll(async () => {
  await findEnvoy();
  folder = mkdtempSync(join(tmpdir(), "first-hour-"));
  working = await startWorkingCluster({ nodes: 1 });
}, 1_800_000);
afterAll(async () => {
  console.log(times.text());
  await traffic?.stop();
  await working?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Output of a command, and its exit code. */
interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const run = (cwd: string, command: string, args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, KUBECONFIG: working.cluster.kubeconfig };
    execFile(command, args, { cwd, env, maxBuffer: 1e8 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
    );
  });

const written = (text: object) => JSON.stringify(text, null, 2);

/** Writes the files of `pulumi new kubernetes-typescript`, whose template is on GitHub. */
function newProject(): string {
  const project = join(folder, "quickstart");
  mkdirSync(project);
  const files = {
    "Pulumi.yaml":
      "name: quickstart\nruntime:\n  name: nodejs\n  options:\n    packagemanager: npm\n",
    "package.json": written({
      name: "quickstart",
      main: "index.ts",
      devDependencies: { "@types/node": "^24", typescript: "^6.0.0" },
      dependencies: { "@pulumi/kubernetes": "^4.34.0", "@pulumi/pulumi": "^3.270.0" },
    }),
    "tsconfig.json": written({
      compilerOptions: {
        ...{ strict: true, outDir: "bin", target: "es2020", sourceMap: true },
        ...{ module: "nodenext", moduleResolution: "nodenext", experimentalDecorators: true },
        ...{ noFallthroughCasesInSwitch: true, noImplicitReturns: true },
        ...{ forceConsistentCasingInFileNames: true, types: ["node"] },
      },
      files: ["index.ts"],
    }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  return project;
}

it("a project installs the packed package, serves a request and is destroyed", async () => {
  await times.timed("npm run build && npm pack", async () => {
    expect(await run(repositoryRoot, "npm", ["run", "--silent", "build"])).toMatchObject({
      code: 0,
    });
    const packed = await run(repositoryRoot, "npm", ["pack", "--pack-destination", folder]);
    expect(packed).toMatchObject({ code: 0 });
  });
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  const project = newProject();
  await times.timed("npm install", async () => {
    const installed = await run(project, "npm", ["install", `../${tarball}`, "--no-fund"]);
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.err).not.toMatch(/EBADENGINE|ERESOLVE/);
  });
  copyFileSync(join(repositoryRoot, "examples/quickstart/index.ts"), join(project, "index.ts"));
  await times.timed("npx tsc --noEmit, without skipLibCheck", async () => {
    expect(await run(project, "npx", ["tsc", "--noEmit"])).toMatchObject({ code: 0, out: "" });
  });

  const cli = (...args: string[]) => run(project, "npx", ["pulumi-inference", ...args]);
  await times.timed("pulumi-inference doctor", async () => {
    const { code, out } = await cli("doctor");
    console.log(out);
    expect([0, 1]).toContain(code);
  });

  const [gatewayPort = 0] = await freePorts(1);
  const { kubeconfig } = working.cluster;
  const stateless = { project, stack: "dev", folder: join(folder, "state"), kubeconfig };
  mkdirSync(stateless.folder);
  const config = { gatewayPort: String(gatewayPort) };
  const pulumi = await times.timed("pulumi stack init, config set", () =>
    pulumiStack({ ...stateless, config }),
  );
  const preview = await times.timed("pulumi preview", () => pulumi("preview"));
  expect(preview).toContain("pulumi config set pulumi-inference:image");
  await pulumi("config", "set", "pulumi-inference:image", "registry.example.com/team/epp:v1");
  const up = await times.timed("pulumi up", () => pulumi("up", "--yes", "--skip-preview"));
  expect(up).toContain("urlStatus");
  await times.timed("pods run and are ready (played kubelet)", () => working.atRest());
  await times.timed("pulumi-inference status quickstart", async () => {
    const { out, err } = await cli("status", "quickstart");
    console.log(out, err);
  });

  await times.timed("Envoy, picker and model server start", async () => {
    traffic = await serveQuickstart(working, { folder, port: gatewayPort, model });
  });
  await times.timed("pulumi up --refresh", () =>
    pulumi("up", "--yes", "--skip-preview", "--refresh"),
  );
  const url = (await pulumi("stack", "output", "url")).trim();
  expect(url).toBe(`http://127.0.0.1:${gatewayPort}/v1`);
  await times.timed("pulumi-inference request", async () => {
    const answered = await cli("request", "quickstart", "Why is the sky blue?");
    console.log(answered.out, answered.err);
    expect(answered).toMatchObject({ code: 0, out: expect.stringMatching(/^the quick brown/) });
    expect(answered.err).toContain("quickstart-inference-0");
  });
  await times.timed("curl", async () => {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Why?" }] });
    const header = ["-H", "Content-Type: application/json"];
    const { out } = await run(project, "curl", [
      ...["-sS", `${url}/chat/completions`, ...header, "-d", body],
    ]);
    expect(JSON.parse(out)).toMatchObject({ object: "chat.completion", model });
  });
  await times.timed("pulumi destroy", () => pulumi("destroy", "--yes", "--skip-preview"));
  expect(await working.atRest()).toEqual([]);
});
