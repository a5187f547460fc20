import { execFile } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAnalyzer } from "../../cli/analyzer/analyzer-process.ts";
import { loadProject, recordProgram } from "../../recorder/index.ts";
import type { AttachedCluster } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { readDocuments, repositoryRoot } from "../../testing/repository.ts";
import { installed, nodeBinary } from "./node-versions.ts";
import { ownProblems } from "./own-problems.ts";
import { type PackedProject, packedProject, strictProject } from "./packed-project.ts";
import { model, type Quickstart, readmeCommand, startQuickstart } from "./quickstart.ts";

const run = promisify(execFile);
const subpaths = [
  "pulumi-inference",
  "pulumi-inference/sdk",
  "pulumi-inference/kubernetes",
  "pulumi-inference/testing",
];

let packed: PackedProject;
let project: string;

beforeAll(async () => {
  packed = await packedProject();
  project = packed.folder;
}, 300_000);
afterAll(() => packed?.remove());

const execute = async (node: string, file: string, text: string) => {
  writeFileSync(join(project, file), text);
  return (await run(node, [file], { cwd: project })).stdout.trim();
};

describe.each(["22.12.0", "24.21.0"])("on Node %s", (version) => {
  let node: string;
  beforeAll(async () => {
    node = version === "24.21.0" ? process.execPath : await nodeBinary(version);
  }, 120_000);

  it.each(subpaths)(
    "%s can be imported and required, and both return the same classes",
    async (name) => {
      const text = `
      import { createRequire } from "node:module";
      const imported = await import(${JSON.stringify(name)});
      const required = createRequire(import.meta.url)(${JSON.stringify(name)});
      const names = Object.keys(imported).filter((key) => key !== "module.exports" && key !== "default");
      console.log(names.length > 0 && names.every((key) => imported[key] === required[key]));
    `;
      expect(await execute(node, "load.mjs", text)).toBe("true");
    },
  );

  it("plans a service from a CommonJS program", async () => {
    const text = `
      const { planInferenceService } = require("pulumi-inference/sdk");
      const template = { spec: { containers: [{ name: "vllm" }] } };
      const spec = { roles: [{ name: "inference", componentType: "worker", template }] };
      console.log(planInferenceService({ metadata: { name: "svc" }, spec })[0].metadata.name);
    `;
    expect(await execute(node, "plan.cjs", text)).toBe("svc-inference");
  });

  it("runs the command pulumi-inference", async () => {
    const { stdout } = await run(
      node,
      [join("node_modules", "pulumi-inference", "dist", "cli", "main.js"), "--version"],
      { cwd: project },
    );
    const { version: ours } = JSON.parse(
      readFileSync(join(repositoryRoot, "package.json"), "utf8"),
    );
    expect(stdout.trim()).toBe(ours);
  });
});

it("the installed package has the files that npm publish would upload", async () => {
  const { stdout } = await run(
    "npm",
    ["publish", "--dry-run", "--json", "--access", "public", "--ignore-scripts"],
    { cwd: repositoryRoot },
  );
  const report = JSON.parse(stdout) as Record<string, { files: Array<{ path: string }> }>;
  const published = report["pulumi-inference"]?.files.map(({ path }) => path).sort();
  const own = join(project, "node_modules", "pulumi-inference");
  const packed = globSync("**/*", { cwd: own }).filter((file) =>
    statSync(join(own, file)).isFile(),
  );
  expect(published).toEqual(packed.sort());
});

describe("the tarball", () => {
  const listed = () =>
    globSync("**/*", { cwd: join(project, "node_modules", "pulumi-inference") }).filter((file) =>
      statSync(join(project, "node_modules", "pulumi-inference", file)).isFile(),
    );

  it("contains the files that a user reads and runs", () => {
    expect(listed()).toEqual(
      expect.arrayContaining([
        ...["README.md", "LICENSE", "CHANGELOG.md", "package.json"],
        ...["dist/components/index.js", "dist/components/index.d.ts", "dist/cli/main.js"],
        ...["dist/runtime/main.cjs", "dist/runtime/health-thread.cjs", "dist/runtime/LICENSES"],
        ...["docs/architecture.md", "docs/policies.md"],
        ...["examples/README.md", "examples/monolithic/index.ts"],
        ...["policies/PulumiPolicy.yaml", "policies/inference-gpu/index.cjs"],
      ]),
    );
    expect(listed().filter((file) => file.startsWith("crds/")).length).toBeGreaterThan(3);
  });

  it("contains no file that only this repository needs, and the rules of the packs only once", () => {
    const folders = new Set(listed().map((file) => file.split("/", 2).join("/")));
    const built = [...folders].filter((folder) => folder.startsWith("dist/"));
    expect(built.sort()).toEqual(
      [
        "chunks",
        "cli",
        "client-library",
        "components",
        "kubernetes",
        "program-tests",
        "recorder",
        "runtime",
        "sdk",
      ].map(inDist),
    );
    const unwanted = /\.(test|soak|fixture)\.|fixtures\/|\.map$|\.tar$|\/Pulumi\.\w+\.yaml$/;
    expect(listed().filter((file) => unwanted.test(file))).toEqual([]);
    const bundles = listed().filter((file) => file.startsWith("policies/") && sizeOf(file) > 4096);
    expect(bundles).toEqual(["policies/serve-pack.cjs"]);
  });

  // 0.2 MB are manifests of prerequisites and the schema of other languages; 0.2 MB are the options of engines by version
  // and the schemas of kinds.
  it("is at most 3.5 MB packed and 15 MB unpacked", () => {
    const packed = readdirSync(project).find((file) => file.endsWith(".tgz")) ?? "";
    expect(statSync(join(project, packed)).size).toBeLessThan(3.5e6);
    expect(listed().reduce((sum, file) => sum + sizeOf(file), 0)).toBeLessThan(15e6);
  });

  it("links only to existing files; npm shows relative links as links into the repository", () => {
    const { repository } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
    expect(repository.url).toBe("git+https://github.com/pulumi-inference/pulumi-inference.git");
    const pages = listed().filter((file) => /^(README|docs\/[^/]+)\.md$/.test(file));
    expect(pages.length).toBeGreaterThan(10);
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(repositoryRoot, page), "utf8").matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(repositoryRoot, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  const inDist = (folder: string) => `dist/${folder}`;
  const sizeOf = (file: string) =>
    statSync(join(project, "node_modules", "pulumi-inference", file)).size;
});

describe("a policy pack that is published alone", () => {
  it.each(["", "inference-gpu"])("holds what it needs: policies/%s", async (pack) => {
    const policies = join(project, "node_modules", "pulumi-inference", "policies");
    const alone = join(project, `alone-${pack}`);
    mkdirSync(alone);
    await run("npm", ["pack", "--pack-destination", alone], { cwd: join(policies, pack) });
    const [archive = ""] = readdirSync(alone);
    await run("tar", ["-xzf", archive], { cwd: alone });
    expect(existsSync(join(policies, "inference-gpu", "serve-pack.cjs"))).toBe(false);
    await using analyzer = await startAnalyzer({
      folder: join(alone, "package"),
      ...{ project: "project", stack: "dev", organization: "acme", preview: true },
    });
    const ids = analyzer.policies.map(({ name }) => name);
    expect(ids).toContain("gpu-limits-are-whole");
    expect(ids.includes("sub-groups-are-disjoint")).toBe(pack === "");
  });
});

describe("examples, now that the library is built", () => {
  it.each(["monolithic", "disaggregated-multi-node"])(
    "%s runs as it did before the build",
    async (example) => {
      const { diagnostics, resources } = await recordProgram(
        await loadProject(join(repositoryRoot, "examples", example), "test"),
      );
      const wrong = diagnostics.filter(
        ({ severity, message }) =>
          severity !== "info" && !message.includes("which is not published yet"),
      );
      expect(wrong).toEqual([]);
      const planned = resources.filter(({ type }) => type.startsWith("kubernetes:"));
      const expected = readDocuments(`examples/${example}/expected.yaml`);
      expect(planned.length).toBe(expected.length);
    },
  );
});

describe("the quickstart, from the tarball to an answered request", () => {
  let cluster: AttachedCluster;
  let quickstart: Quickstart;
  beforeAll(async () => {
    await findEnvoy();
    cluster = await sharedCluster();
    quickstart = await startQuickstart(project, cluster);
  }, 180_000);
  afterAll(async () => {
    await quickstart?.[Symbol.asyncDispose]();
    cluster?.detach();
  });

  const request = (...args: string[]) =>
    quickstart.run(process.execPath, [
      join(project, "node_modules", "pulumi-inference", "dist", "cli", "main.js"),
      ...["request", "quickstart", ...args],
      ...["-n", quickstart.namespace, "--kubeconfig", cluster.kubeconfig],
    ]);

  it("reports that the Gateway has no address yet, in the outputs and for a request", async () => {
    const { url, urlStatus } = await quickstart.outputs();
    expect(url).toBeUndefined();
    expect(urlStatus).toContain("waits for an address of Gateway");
    const { code, out, err } = await request("Hello");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^Gateway \S+\/quickstart-gateway has no address and no pod .*--url .*\n$/);
  });

  it("serves the README's curl and pulumi-inference request at its URL", async () => {
    await quickstart.giveAddress();
    const { url, urlStatus } = await quickstart.outputs();
    expect(url).toBe(`${quickstart.traffic.envoy.url}/v1`);
    expect(urlStatus).toBe(`served by Gateway ${quickstart.namespace}/quickstart-gateway`);

    const curl = await quickstart.run("bash", ["-c", readmeCommand("curl ")], { URL: String(url) });
    expect(JSON.parse(curl.out)).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { content: expect.stringMatching(/^the quick brown/) } }],
    });

    const plain = await request("Hello", "--max-tokens", "3");
    expect(plain).toMatchObject({ code: 0, out: "the quick brown \n" });
    expect(plain.err).toMatch(/^POD +quickstart-inference-0 \(127\.[\d.]+:8000\)$/m);
    expect(plain.err).toMatch(/^TOKENS +\d+ in, 3 out$/m);
    const streamed = await request("Hello", "--max-tokens", "3", "--stream", "--format", "json");
    expect(JSON.parse(streamed.out)).toMatchObject({
      answer: "the quick brown ",
      model,
      url,
      pod: "quickstart-inference-0",
      firstTokenSeconds: expect.any(Number),
      usage: { completionTokens: 3 },
    });
    expect(await request("Hello", "--completion", "--max-tokens", "2")).toMatchObject({
      code: 0,
      out: "the quick \n",
    });
  });

  it("explains a failed request in one line with the next step", async () => {
    const wrong = await request("Hello", "--model", "nobody");
    expect(wrong).toMatchObject({ code: 1, out: "" });
    expect(wrong.err).toMatch(
      /chat\/completions: 404: .*; npx pulumi-inference explain "nobody" --pool quickstart-pool .*\n$/,
    );
    const refused = await request("Hello", "--url", "http://127.0.0.1:1/v1");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(
      /^http:\/\/127\.0\.0\.1:1\/v1 \(--url\): connection refused; .*\n$/,
    );
    expect(await request("Hello", "--url", "nonsense")).toMatchObject({ code: 2, out: "" });
  });
}, 120_000);

describe("a unit test with jest, in a project as strict as with pnpm", () => {
  const program = `
    import * as pulumi from "@pulumi/pulumi";
    import { InferenceService } from "pulumi-inference";
    test("a service is registered", async () => {
      const types = [];
      await pulumi.runtime.setMocks({
        newResource({ type, name, inputs }) {
          types.push(type);
          return { id: name, state: inputs };
        },
        call: () => ({}),
      });
      const template = { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.11.0" }] } };
      const roles = [{ name: "inference", componentType: "worker", template }];
      const { urn } = new InferenceService("svc", { roles });
      await new Promise((resolve) => urn.apply(resolve));
      expect(types[0]).toContain("InferenceService");
    });
  `;

  it("runs with --experimental-vm-modules", async () => {
    const jest = await installed("jest", "30.2.0");
    const strict = strictProject(packed, ["@pulumi/pulumi", "@pulumi/kubernetes"]);
    try {
      writeFileSync(join(strict.folder, "package.json"), '{ "type": "module" }');
      writeFileSync(join(strict.folder, "service.test.js"), program);
      const args = ["--experimental-vm-modules", join(jest, "bin", "jest.js"), "--ci"];
      const { stderr } = await run(process.execPath, [...args, "--rootDir", strict.folder], {
        cwd: strict.folder,
      });
      expect(stderr).toMatch(/Tests: +1 passed, 1 total/);
    } finally {
      strict.remove();
    }
  }, 240_000);
});

describe("types, in a project as strict as with pnpm and without skipLibCheck", () => {
  const program = `
    import { definePodPlugin, InferenceService, readCrds } from "pulumi-inference";
    import { LeaderWorkerSet } from "pulumi-inference/kubernetes";
    import { planInferenceService, type InferenceServiceSpecInput, type Manifest } from "pulumi-inference/sdk";
    import * as testing from "pulumi-inference/testing";
    const spec: InferenceServiceSpecInput = { roles: [] };
    export const plan: Manifest[] = planInferenceService({ metadata: { name: "a" }, spec });
    export const all = [InferenceService, LeaderWorkerSet, testing, definePodPlugin, readCrds] as const;
    // @ts-expect-error A service has roles.
    new InferenceService("a", {});
    // @ts-expect-error So has its spec, for plans.
    export const none: InferenceServiceSpecInput = {};
    // The plan writes the template of a worker.
    export const worker: InferenceServiceSpecInput = { roles: [{ name: "a", componentType: "worker" }] };
  `;
  // The compiler options of Pulumi's template for Kubernetes: of 2024, as it is now, and stricter than either.
  const template = {
    ...{ strict: true, noEmit: true, sourceMap: true, experimentalDecorators: true },
    ...{ noFallthroughCasesInSwitch: true, noImplicitReturns: true },
    ...{ forceConsistentCasingInFileNames: true, target: "es2020", types: ["node"] },
  };
  const strictest = {
    ...{ target: "es2023", exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ verbatimModuleSyntax: true, isolatedModules: true, erasableSyntaxOnly: true },
  };
  let strict: PackedProject;
  beforeAll(() => {
    strict = strictProject(packed, ["@pulumi/pulumi", "@pulumi/kubernetes", "@types/node"]);
  });
  afterAll(() => strict?.remove());

  it("A project that init writes compiles and previews", async () => {
    const folder = join(strict.folder, "chat");
    const main = join(strict.folder, "node_modules/pulumi-inference/dist/cli/main.js");
    const named = ["--model", "Qwen/Qwen3-32B", "--accelerator", "h100-sxm"];
    await run(process.execPath, [main, "init", folder, ...named]);
    const compiler = join(repositoryRoot, "node_modules", "typescript");
    expect(ownProblems(compiler, folder)).toEqual([]);
    const { diagnostics, resources } = await recordProgram(await loadProject(folder, "test"));
    const warnings = diagnostics.filter(({ severity }) => severity !== "info");
    expect(
      warnings.filter(({ message }) => !message.includes("which is not published yet")),
    ).toEqual([]);
    expect(resources.some(({ type }) => type.includes("LeaderWorkerSet"))).toBe(true);
  }, 240_000);

  // Today's template is checked as a whole, by `tsc` itself.
  const whole = "6.0.3 nodenext ts";

  it.each([
    ["5.4.5", "commonjs", "node", "ts", {}],
    ["6.0.3", "nodenext", "nodenext", "ts", {}],
    ["6.0.3", "nodenext", "nodenext", "mts", strictest],
  ])(
    "TypeScript %s, module %s, moduleResolution %s, in .%s",
    async (version, module, moduleResolution, extension, more) => {
      writeFileSync(join(strict.folder, `index.${extension}`), program);
      const compilerOptions = { ...template, module, moduleResolution, ...more };
      const files = [`index.${extension}`];
      writeFileSync(
        join(strict.folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files }),
      );
      const compiler =
        version === "6.0.3"
          ? join(repositoryRoot, "node_modules", "typescript")
          : await installed("typescript", version);
      if (`${version} ${module} ${extension}` !== whole) {
        expect(ownProblems(compiler, strict.folder)).toEqual([]);
        return;
      }
      const output = await run(process.execPath, [join(compiler, "bin", "tsc")], {
        cwd: strict.folder,
      }).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
      expect(output).toBe("");
    },
    240_000,
  );
});
