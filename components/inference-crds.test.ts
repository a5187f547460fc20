import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mergePatchType } from "../kubernetes/api/patch-types.ts";
import { ownCrds } from "../sdk/crds/own-kinds.ts";
import { connect } from "../testing/api/api-client.ts";
import { type Cluster, startCluster } from "../testing/api/api-server.ts";
import { installCrds } from "../testing/api/install-crds.ts";
import { isUnchanged, type OperationResult } from "../testing/programs/operation-result.ts";
import { openStack, stateFolder } from "../testing/programs/pulumi-stack.ts";
import { vllmTemplate } from "../testing/samples/sample-service.ts";
import { startGarbageCollector } from "../testing/stand-ins/garbage-collector.ts";
import { succeeded } from "../testing/succeeded.ts";
import { readCrds } from "./crds/existing-crds.ts";
import { InferenceCrds, type InferenceCrdsArgs } from "./inference-crds.ts";
import { InferenceService } from "./inference-service.ts";
import { LLMService } from "./models/llm-service.ts";
import { InferenceModelRewrite } from "./models/model-rewrite.ts";
import { InferenceObjective } from "./models/objective.ts";
import type { PodTemplateArgs } from "./pod-template.ts";
import { LLMServerPool } from "./pools/llm-server-pool.ts";

/** The definitions from the first `up` to `destroy` and back, on a separate API server. */

let cluster: Cluster;
let collector: Awaited<ReturnType<typeof startGarbageCollector>>;
beforeAll(async () => {
  cluster = await startCluster();
  // Without it, a foreground deletion never ends.
  collector = await startGarbageCollector(connect(cluster), {
    onError: (error) => console.error(error),
  });
}, 120_000);
afterAll(async () => {
  await collector?.stop();
  await cluster?.stop();
});

const names = ownCrds().map(({ metadata }) => metadata.name);
const crdPath = (name: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
const rolePath = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const crd = (name: string) =>
  cluster.request<{ metadata: { uid: string; labels?: Record<string, string> }; spec: object }>(
    "GET",
    crdPath(name),
  );
const read = () => readCrds({ kubeconfig: cluster.kubeconfig });

/** Without `existing`, the program does not read from the cluster. */
function stack(args: InferenceCrdsArgs | "read", stackName: string, state = stateFolder()) {
  return openStack({
    project: "p",
    stack: stackName,
    program: {
      run: async () => {
        const crds = new InferenceCrds("crds", args === "read" ? { existing: await read() } : args);
        return { installed: crds.installed, skipped: crds.skipped };
      },
    },
    state,
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });
}

const warnings = ({ diagnostics }: OperationResult) =>
  diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message);

describe("InferenceCrds", () => {
  const state = stateFolder();

  it("installs missing definitions, and a second up changes nothing", async () => {
    expect(await read()).toEqual([]);
    expect(succeeded(await stack("read", "first", state).up()).outputs).toMatchObject({
      installed: { value: names },
      skipped: { value: [] },
    });
    for (const name of names) {
      const { metadata } = await crd(name);
      expect(metadata.labels).toEqual({ "app.kubernetes.io/managed-by": "pulumi-inference" });
    }
    const existing = await read();
    expect(existing.map(({ name, servedVersions }) => [name, servedVersions])).toEqual([
      ["inferenceservices.fusioninfer.io", ["v1alpha1"]],
      ["llmserverpools.inference.x-k8s.io", ["v1alpha1"]],
      ["llmservices.inference.x-k8s.io", ["v1alpha1"]],
      ["inferencemodelrewrites.llm-d.ai", ["v1alpha2"]],
      ["inferenceobjectives.llm-d.ai", ["v1alpha2"]],
      ["inferencemodelrewrites.inference.networking.x-k8s.io", ["v1alpha2", "v1alpha1"]],
      ["inferencepoolimports.inference.networking.x-k8s.io", ["v1alpha1"]],
    ]);
    expect(isUnchanged(succeeded(await stack("read", "first", state).up()))).toBe(true);
  });

  it("makes the cluster serve the kinds in all their versions", async () => {
    const paths = ownCrds().flatMap(({ spec: { group, names, versions } }) =>
      versions.map((version) => `/apis/${group}/${version.name}/${names.plural}`),
    );
    for (const path of paths) await vi.waitFor(() => cluster.request("GET", path), 20_000);
  });

  it("creates the personas, unless personas is false", async () => {
    const persona = `${rolePath}/llm-service-owner`;
    await expect(cluster.request("GET", persona)).resolves.toBeDefined();
    const existing = await read();
    succeeded(await stack({ existing, personas: false }, "first", state).up());
    await expect(cluster.request("GET", persona)).rejects.toMatchObject({ status: 404 });
  });

  it("keeps the definitions after destroy, and another stack adopts them", async () => {
    const before = await Promise.all(names.map(crd));
    succeeded(await stack("read", "first", state).destroy());
    // An edit in the meantime, which another stack reverts.
    await cluster.request(
      "PATCH",
      crdPath("llmservices.inference.x-k8s.io"),
      { spec: { names: { shortNames: ["edited"] } } },
      mergePatchType,
    );
    succeeded(await stack("read", "second").up());
    const after = await Promise.all(names.map(crd));
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(
      before.map(({ metadata }) => metadata.uid),
    );
    expect(after[2]?.spec).toMatchObject({ names: { shortNames: ["llmsvc"] } });
  });
});

describe("a definition of another owner", () => {
  const name = "inferenceservices.fusioninfer.io";
  const theirs = { metadata: { labels: { "app.kubernetes.io/managed-by": "fusioninfer" } } };
  const their = { spec: { names: { shortNames: ["theirs"] } } };
  beforeAll(async () => {
    await cluster.request("PATCH", crdPath(name), { ...theirs, ...their }, mergePatchType);
    await cluster.request("DELETE", `${rolePath}/llm-service-owner`);
    await cluster.request("DELETE", `${rolePath}/inference-platform-admin`);
  });

  it("is not changed, and reported", async () => {
    const result = succeeded(await stack("read", "third").up());
    expect(result.outputs.installed?.value).toEqual(names.filter((other) => other !== name));
    const reason =
      "CustomResourceDefinition inferenceservices.fusioninfer.io exists in the cluster without the label " +
      "app.kubernetes.io/managed-by: pulumi-inference, so it belongs to another owner and is not changed; it serves " +
      "v1alpha1. To let InferenceCrds manage it, add the label.";
    expect(result.outputs.skipped?.value).toEqual([{ name, reason }]);
    expect(warnings(result)).toEqual([reason]);
    expect(await crd(name)).toMatchObject({ ...theirs, ...their });
  });

  it("is not overwritten by a program without existing", async () => {
    const result = await stack({ personas: false }, "fourth").up();
    expect(result.succeeded).toBe(false);
    const errors = result.diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map(({ message }) => message).join("\n")).toMatch(
      /inferenceservices\.fusioninfer\.io.*conflict/is,
    );
    expect(await crd(name)).toMatchObject({ ...theirs, ...their });
  });
});

describe("a stack with the definitions and objects of their kinds", () => {
  const template = vllmTemplate(1) as PodTemplateArgs;
  const objects = () => {
    const pool = new LLMServerPool("llama", { modelServerSelector: { app: "vllm" } });
    const poolRef = { name: pool.poolName };
    const targets = [{ modelRewrite: "v1" }];
    new LLMService("bots", { models: [{ name: "npc" }], poolRef: [poolRef] });
    new InferenceModelRewrite("canary", { poolRef, rules: [{ targets }] });
    new InferenceModelRewrite("older", {
      poolRef,
      rules: [{ targets }],
      version: "inference.networking.x-k8s.io/v1alpha1",
    });
    new InferenceObjective("batch", { poolRef, priority: -1 });
    new InferenceService("qwen", {
      roles: [
        { name: "inference", componentType: "worker", drainSeconds: 0, template },
        { name: "router", componentType: "router" },
      ],
      models: [{ name: "qwen" }],
      rewrites: [{ targets }],
      statusObject: true,
    });
  };
  const together = (run: () => Promise<void>) => {
    const kubernetes = { kubeconfig: cluster.kubeconfig };
    const program = { run } as const;
    const state = stateFolder();
    const config = { "pulumi-inference:image": "registry.example/pulumi-inference:1" };
    return openStack({
      project: "p",
      stack: "all",
      program,
      config,
      state,
      kubernetes,
    });
  };
  beforeAll(async () => {
    await Promise.all(names.map((name) => cluster.request("DELETE", crdPath(name))));
    await vi.waitFor(async () => expect(await read()).toEqual([]), 20_000);
    await installCrds(cluster);
  }, 60_000);

  it("succeeds on the first up, and a second up changes nothing", async () => {
    const stack = together(async () => {
      new InferenceCrds("crds", { existing: await read(), personas: false });
      objects();
    });
    expect(warnings(succeeded(await stack.up()))).toEqual([]);
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    succeeded(await stack.destroy());
    await Promise.all(names.map(crd));
  }, 120_000);

  it("logs a warning if the objects are created first", async () => {
    const stack = together(async () => {
      objects();
      new InferenceCrds("crds", { existing: await read(), personas: false });
    });
    expect(warnings(await stack.preview())).toEqual([
      expect.stringContaining("Create it before them"),
    ]);
  });
});

describe("readCrds", () => {
  it("accepts the text of a kubeconfig, and names the existing contexts", async () => {
    const kubeconfig = readFileSync(cluster.kubeconfig, "utf8");
    expect(await readCrds({ kubeconfig, context: "harness" })).toHaveLength(names.length);
    await expect(readCrds({ kubeconfig, context: "prod" })).rejects.toThrow(
      'the kubeconfig has no context "prod"; it has harness',
    );
  });

  it("reports the definition that it could not read, with the reason", async () => {
    const kubeconfig = readFileSync(cluster.kubeconfig, "utf8").replace(/("token": ")/, "$1not-");
    await expect(readCrds({ kubeconfig })).rejects.toThrow(
      /^CustomResourceDefinition \S+: cannot be read: .*401/,
    );
  });
});
