import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { bundlePacks } from "../../policies/bundle.ts";
import { folderOf, run as runAlone, sampleManifest } from "../sample.fixture.ts";
import { keptPacks } from "./kept-packs.fixture.ts";

beforeAll(bundlePacks);
const packs = keptPacks();
afterAll(() => packs[Symbol.asyncDispose]());

const run = (args: readonly string[], stdin = "") =>
  runAlone(args, stdin, false, { startPack: packs.start });

it("the process of a pack ends with the command", async () => {
  const { code, out } = await runAlone(["check", "-"], deployment("0.5"));
  expect(code).toBe(1);
  expect(out).toMatch(/\n1 object, 1 error, 0 warnings, 1 not checked\n$/);
  await expect.poll(packProcesses).toEqual([]);
});

const uncheckedEngine = (object: string) =>
  `not checked: the start of registry.example/engine:2.1.0: neither image nor command names a known engine\n  ${object}\n\n`;

/** Returns the processes of packs that this process started. */
const packProcesses = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [, parent] =
          /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return Number(parent) === process.pid && command.includes("run-policy-pack");
      } catch {
        return false;
      }
    });

/** A Deployment whose pods request accelerators. */
const deployment = (gpus: string, name = "chat") => `\
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: ml }
spec:
  replicas: 2
  selector: { matchLabels: { app: chat } }
  template:
    metadata: { labels: { app: chat } }
    spec:
      terminationGracePeriodSeconds: 30
      securityContext: { runAsNonRoot: true }
      containers:
        - name: engine
          image: registry.example/engine:2.1.0
          resources: { limits: { nvidia.com/gpu: "${gpus}" } }
          securityContext: { allowPrivilegeEscalation: false }
`;

const waiting = `${deployment("1").replace(
  "labels: { app: chat } }\n",
  "labels: { app: chat }, annotations: { scheduling.k8s.io/group-name: chat } }\n",
)}`;

describe("manifests", () => {
  it("manifests without violations end with 0", async () => {
    // A slow machine also prints its progress.
    expect(await run(["check", "-"], deployment("1"))).toMatchObject({
      code: 0,
      out: `${uncheckedEngine("Deployment ml/chat")}1 object, 0 errors, 0 warnings, 1 not checked\n`,
    });
  });

  it("a violation ends with 1, its location and a fix", async () => {
    using folder = folderOf({
      "a.yaml": `---\n${deployment("1")}---\n${deployment("0.5", "bad")}`,
    });
    const { code, out } = await run(["check", join(folder.path, "a.yaml")]);
    expect(code).toBe(1);
    expect(out).toContain("error gpu-limits-are-whole: ");
    expect(out).toContain("To fix it: Set resources.limits to the number of devices");
    expect(out).toContain(
      'a.yaml, document 2: Deployment ml/bad: spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]: is "0.5"',
    );
    expect(out).toMatch(/\n2 objects, 1 error, 0 warnings, 1 not checked\n$/);
  });

  it("manifests of several files and folders are one stack", async () => {
    using folder = folderOf({
      "pods.yaml": waiting,
      "values.yaml": "replicas: 2\n",
      "gang.json": JSON.stringify({
        apiVersion: "scheduling.volcano.sh/v1beta1",
        kind: "PodGroup",
        metadata: { name: "chat", namespace: "ml" },
        spec: { minMember: 1 },
      }),
    });
    const alone = await run(["check", join(folder.path, "pods.yaml"), "--pack", "inference-gang"]);
    expect(alone.out).toContain("error gang-pods-name-their-pod-group");
    const whole = await run(["check", folder.path, "--pack", "inference-gpu", "inference-gang"]);
    expect(whole.out).not.toContain("gang-pods-name-their-pod-group");
    expect(whole.err).toContain(
      `${join(folder.path, "values.yaml")}: not a Kubernetes object, skipped\n`,
    );
  });

  it("documents that are not objects are refused in named files", async () => {
    const { code, err } = await run(["check", "-"], "replicas: 2\n");
    expect(code).toBe(1);
    expect(err).toContain("standard input:1: apiVersion: is missing");
  });

  it("empty manifests are misuse, unless --allow-empty is set", async () => {
    expect(await run(["check", "-"])).toEqual({
      code: 2,
      out: "",
      err: "-: no Kubernetes objects found\n",
    });
    expect(await run(["check", "--allow-empty", "-"])).toMatchObject({
      code: 0,
      out: "0 objects, 0 errors, 0 warnings\n",
    });
  });

  it("manifests of this project's kinds are planned, and the plan is checked next to refused documents", async () => {
    using folder = folderOf({
      "good.yaml": sampleManifest("a")
        .replaceAll("v0.11.0", "latest")
        .replaceAll("multinode: {", "multinode: { executor: mp,"),
      "wrong.yaml": sampleManifest("b").replace("replicas: 2", "replicas: -3"),
    });
    const { code, out } = await run(["check", folder.path]);
    expect(code).toBe(1);
    expect(out).toContain("error spec-is-valid: ");
    expect(out).toContain("wrong.yaml:20: spec.roles[1].replicas: is -3");
    expect(out).toContain("warning image-tag-is-fixed");
    expect(out).toContain("The same applies to LeaderWorkerSet default/a-decode-1.");
    expect(out).toMatch(/\n7 objects, 1 error, \d+ warnings, \d+ not checked\n$/);
  });
});

describe("--config", () => {
  const checked = async (config: unknown) => {
    using folder = folderOf({ "config.json": JSON.stringify(config) });
    return await run(
      ["check", "-", "--config", join(folder.path, "config.json")],
      deployment("0.5"),
    );
  };

  it("changes levels", async () => {
    const { code, out } = await checked({ "gpu-limits-are-whole": "advisory" });
    expect(code).toBe(0);
    expect(out).toContain("warning gpu-limits-are-whole");
    expect((await checked({ all: "disabled" })).out).toBe(
      `${uncheckedEngine("Deployment ml/chat")}1 object, 0 errors, 0 warnings, 1 not checked\n`,
    );
    const both = await checked({ all: "disabled", "gpu-limits-are-whole": "mandatory" });
    expect(both.code).toBe(1);
  });

  it("changes parameters", async () => {
    const { out } = await checked({
      all: "disabled",
      "loading-has-time": { enforcementLevel: "mandatory", drainSeconds: 31 },
    });
    expect(out).toContain("is 30 s; allowed: at least 31 s");
  });

  it.each([
    [{ "no-such-policy": "advisory" }, "no-such-policy: no such policy"],
    [{ "gpu-limits-are-whole": "loud" }, "gpu-limits-are-whole"],
    [{ "host-is-not-shared": { gpusPerNode: "many" } }, "host-is-not-shared: gpusPerNode: "],
    [{ "host-is-not-shared": { gpus: 8 } }, 'host-is-not-shared: Unrecognized key: "gpus"'],
  ])("is refused: %j", async (config, message) => {
    const { code, err } = await checked(config);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

it("a policy pack without policies is refused, because it checks nothing", async () => {
  using folder = folderOf({
    "PulumiPolicy.yaml": "runtime: nodejs\n",
    "package.json": '{"name": "empty", "version": "1.0.0"}',
    "index.js": `const { PolicyPack } = require(${JSON.stringify(createRequire(import.meta.url).resolve("@pulumi/policy"))});
new PolicyPack("empty", { policies: [] });`,
  });
  const { code, err } = await run(["check", "-", "--pack", folder.path], deployment("1"));
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("has no policies") });
});

describe("misuse ends with 2:", () => {
  it.each([
    [["check"], "no input; name files, folders, or -"],
    [["check", "/nowhere.yaml"], "/nowhere.yaml: no such file"],
    [
      ["check", "-", "--pack", "inference-cpu"],
      "neither a folder with PulumiPolicy.yaml nor one of",
    ],
    [["check", "-", "--config", "/nowhere.json"], "/nowhere.json: no such file\n"],
    [["check", "examples/monolithic", "-"], "is a Pulumi program; check it alone"],
  ])("%j", async (args, message) => {
    const { code, err } = await run(args, deployment("1"));
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe("reports", () => {
  const stack = `${deployment("0.5")}---\n${deployment("1", "other").replace("2.1.0", "latest")}`;
  const report = async (format: string) => {
    using folder = folderOf({ "a b.yaml": stack });
    const { code, out } = await run(["check", join(folder.path, "a b.yaml"), "--format", format]);
    expect(code).toBe(1);
    return out;
  };

  it("JSON", async () => {
    const { objects, findings, errors } = JSON.parse(await report("json"));
    expect({ objects, errors }).toEqual({ objects: 2, errors: [] });
    expect(findings).toMatchObject([
      { policy: "gpu-limits-are-whole", weight: "error", place: { line: 1 } },
      { policy: "image-tag-is-fixed", weight: "warning", place: { line: 18 } },
    ]);
  });

  it("SARIF, valid by its schema", async () => {
    const log = JSON.parse(await report("sarif"));
    const file = createRequire(import.meta.url).resolve("@microsoft/jest-sarif/package.json");
    const schema = JSON.parse(
      readFileSync(join(file, "..", "lib", "schemas", "sarif-2.1.0-rtm.5.json"), "utf8"),
    );
    const { error } = z.fromJSONSchema(schema).safeParse(log);
    expect(error?.issues ?? []).toEqual([]);
    const [{ results, tool }] = log.runs;
    expect(results).toMatchObject([
      { ruleId: "gpu-limits-are-whole", level: "error" },
      { ruleId: "image-tag-is-fixed", level: "warning" },
    ]);
    for (const { ruleId, ruleIndex, locations } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/a%20b\.yaml$/);
    }
  });

  it("JUnit", async () => {
    const xml = await report("junit");
    expect(xml).toMatch(
      /<testsuite name="pulumi-inference check" tests="\d+" failures="1" errors="0">/,
    );
    expect(xml).toMatch(
      /<testcase classname="inference" name="gpu-limits-are-whole">\s*<failure message="[^"<>]*">[^<>]*is &quot;0.5&quot;/,
    );
    expect(xml).toMatch(/name="image-tag-is-fixed">\s*<system-out>warning: [^<>]*latest/);
  });
});

describe("a Pulumi program", () => {
  function project(program: string): Disposable & { path: string } {
    const folder = folderOf({});
    for (const [file, text] of Object.entries({
      "Pulumi.yaml":
        "name: bad\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.mjs\n",
      "Pulumi.prod.yaml": 'config: { "bad:gpus": "0.25" }\n',
      "package.json": '{ "type": "module" }',
      "index.mjs": program,
    }))
      writeFileSync(join(folder.path, file), text);
    return folder;
  }

  const imports = ["@pulumi/pulumi", "@pulumi/kubernetes"].map((name) =>
    createRequire(import.meta.url).resolve(name),
  );
  const head = `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const [pulumi, k8s] = ${JSON.stringify(imports)}.map((file) => require(file));
    const config = new pulumi.Config();
    const pods = (fields) => ({ spec: { containers: [{ name: "engine", image: "registry.example/engine:2.1.0", ...fields }] } });
  `;

  it("is checked resource by resource, with the stack's configuration", async () => {
    using folder = project(`${head}
      new k8s.core.v1.Pod("bad", pods({ resources: { limits: { "nvidia.com/gpu": config.get("gpus") ?? "1" } } }));
    `);
    expect((await run(["check", folder.path])).code).toBe(0);
    const { code, out } = await run(["check", folder.path, "--stack", "prod"]);
    expect(code).toBe(1);
    expect(out).toContain("error gpu-limits-are-whole");
    expect(out).toMatch(/- bad: Pod .*is "0.25"/);
  });

  it("is checked to the end despite violations, without printing a secret", async () => {
    using folder = project(`${head}
      const token = pulumi.secret('{"token":"hunter22"}');
      const first = new k8s.core.v1.Pod("first", pods({
        command: ["sh", "-c"], args: [pulumi.interpolate\`serve --auth \${token}\`],
      }));
      new k8s.core.v1.Pod("second", pods({ resources: { limits: { "nvidia.com/gpu": "1.5" } } }), { dependsOn: first });
    `);
    const { code, out } = await run(["check", folder.path]);
    expect(code).toBe(1);
    expect(out).toContain("error shell-changes-no-argument");
    expect(out).toContain("error gpu-limits-are-whole");
    expect(out).not.toContain("hunter22");
  });

  it("may contain unknown values, which neither pass nor fail", async () => {
    using folder = project(`${head}
      const first = new k8s.core.v1.Pod("first", pods({}));
      new k8s.core.v1.Pod("second", pods({ image: first.status.hostIP, resources: { limits: { "nvidia.com/gpu": "1" } } }));
    `);
    const { code, out } = await run(["check", folder.path]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /not known yet: second: .*containers\.0\.image.*\n {2}.*image-tag-is-fixed/,
    );
    expect(out).toMatch(/not known yet\n$/);
  });

  it("is remediated by a policy with the level remediate", async () => {
    using folder = project(`${head}
      new k8s.core.v1.Pod("bad", pods({ resources: { requests: { "nvidia.com/gpu": "1" } } }));
    `);
    const config = join(folder.path, "config.json");
    writeFileSync(config, JSON.stringify({ "gpu-limits-are-whole": "remediate" }));
    expect((await run(["check", folder.path])).code).toBe(1);
    expect((await run(["check", folder.path, "--config", config])).code).toBe(0);
  });

  it("may use several clusters, in which objects of the same name do not collide", async () => {
    using folder = project(`${head}
      for (const name of ["east", "west"]) {
        const kubeconfig = JSON.stringify({ clusters: [{ name, cluster: { server: "https://127.0.0.1:1" } }] });
        const provider = new k8s.Provider(name, { kubeconfig });
        new k8s.core.v1.Pod(name, { metadata: { name: "pod" }, ...pods({}) }, { provider });
      }
      new k8s.core.v1.Pod("first", { metadata: { name: "pod" }, ...pods({}) });
      if (config.get("gpus")) new k8s.core.v1.Pod("second", { metadata: { name: "pod" }, ...pods({}) });
    `);
    expect(await run(["check", folder.path])).toMatchObject({ code: 0 });
    const { code, out } = await run(["check", folder.path, "--stack", "prod"]);
    expect(code).toBe(1);
    expect(out).toContain("error generated-names-do-not-collide");
  });

  it("a Pulumi program that fails is an error", async () => {
    using folder = project(`${head} throw new Error("no such region");`);
    const { code, out } = await run(["check", folder.path]);
    expect(code).toBe(1);
    expect(out).toContain("no such region");
  });
});

describe("nodes of a file", () => {
  const node = (gpus: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "a" },
      status: {
        allocatable: { cpu: "64", "nvidia.com/gpu": gpus },
        conditions: [{ type: "Ready", status: "True" }],
      },
    });

  it("check compares the input with them", async () => {
    using folder = folderOf({ "two.json": node("2"), "one.json": node("1") });
    const checked = (name: string) =>
      run(["check", "-", "--nodes", join(folder.path, name)], deployment("1"));
    const full = await checked("two.json");
    expect(full.out).not.toContain("stack-fits-the-cluster");
    expect(full.out).toContain("warning update-fits-the-cluster");
    expect((await checked("one.json")).out).toContain("can start only 1 of 2 pods");
  });

  it("refuses a file without nodes, and a cluster as well", async () => {
    using folder = folderOf({ "a.yaml": deployment("1"), "one.json": node("1") });
    const other = await run(
      ["check", "-", "--nodes", join(folder.path, "a.yaml")],
      deployment("1"),
    );
    expect(other.code).toBe(2);
    expect(other.err).toContain("is a Deployment (apps/v1)");
    const both = ["--nodes", join(folder.path, "one.json"), "--cluster-nodes"];
    const { code, err } = await run(["check", "-", ...both], deployment("1"));
    expect(code).toBe(2);
    expect(err).toContain("--cluster-nodes");
  });

  it("accepts the GPUs of each node, as capacity does", async () => {
    const { out } = await run(["check", "-", "--nodes", "1"], deployment("1"));
    expect(out).toContain("can start only 1 of 2 pods");
    expect((await run(["check", "-", "--nodes", "1,1,1"], deployment("1"))).out).not.toContain(
      "-the-cluster",
    );
  });

  it("refuses nodes among the objects, which would be ignored", async () => {
    using folder = folderOf({ "a.yaml": deployment("1"), "one.json": node("1") });
    const { code, err } = await run(["check", folder.path, "--cluster-nodes"]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("Name the file of the nodes with --nodes"),
    ]);
  });
});
