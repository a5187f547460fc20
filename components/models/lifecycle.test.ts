import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProgramFunction } from "../../recorder/index.ts";
import { installLooseCrd } from "../../runtime/epp/sources/served-kinds.fixture.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import {
  discoverRewriteVersion,
  InferenceModelRewrite,
  InferenceService,
  LLMServerPool,
  LLMService,
} from "../index.ts";

/** Pools and models from the first `up` to `destroy`, on an API server. */

let cluster: AttachedCluster;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
beforeEach(async () => {
  namespace = await freshNamespace(cluster, "models");
});
afterAll(() => cluster?.detach());

const stack = (project: string, state: string, run: ProgramFunction) =>
  openStack({
    project,
    stack: "s",
    program: { run },
    state,
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });

const pool = (args: Partial<ConstructorParameters<typeof LLMServerPool>[1]> = {}) =>
  new LLMServerPool("llama", {
    metadata: { namespace },
    modelServerSelector: { app: "vllm" },
    ...args,
  });
const models = [{ name: "npc" }];

const object = <T>(version: string, plural: string, name: string) =>
  cluster.request<T>("GET", `/apis/${version}/namespaces/${namespace}/${plural}/${name}`);

describe("a pool", () => {
  it("is created once, admits a namespace without a replacement, and is deleted completely", async () => {
    const state = stateFolder();
    const other = await freshNamespace(cluster, "team");
    const first = await stack("p", state, async () => void pool()).up();
    expect(first.diagnostics).toEqual([]);
    expect((await stack("p", state, async () => void pool()).up()).summary).toEqual({
      same: first.steps.length,
    });

    const admitting = stack("p", state, async () => void pool({ allowedNamespaces: [other] }));
    const { steps } = await admitting.up();
    const changes = steps.filter(({ operation, custom }) => custom && operation !== "same");
    expect(changes.map(({ operation, name }) => `${operation} ${name}`).sort()).toEqual([
      `create llama-role-epp-${other}`,
      `create llama-rolebinding-epp-${other}`,
      "update llama-inferencepool",
      "update llama-llmserverpool",
    ]);
    const made = await object<{ metadata: { annotations: object } }>(
      "inference.networking.k8s.io/v1",
      "inferencepools",
      "llama",
    );
    expect(made.metadata.annotations).toMatchObject({
      "pulumi-inference/allowed-namespaces": other,
    });
    expect((await admitting.destroy()).diagnostics).toEqual([]);
  }, 60_000);
});

describe("model names", () => {
  it("model names are claimed once the pool of another stack is known, and then conflict", async () => {
    const state = stateFolder();
    const platform = await stack("platform", state, async () => ({
      poolName: pool().poolName,
    })).up();
    expect(platform.succeeded).toBe(true);
    const result = await stack("team", state, async () => {
      const reference = new pulumi.StackReference("organization/platform/s");
      const poolRef = [{ name: reference.getOutput("poolName") }];
      new LLMService("a", { metadata: { namespace }, models, poolRef });
      new LLMService("b", { metadata: { namespace }, models, poolRef });
    }).up();
    expect(result.succeeded).toBe(false);
    expect(result.diagnostics.map(({ message }) => message).join("\n")).toContain(
      `registers model "npc" on pool ${namespace}/llama, which LLMService "`,
    );
  }, 60_000);

  it("model names of an InferenceService are registered by a valid LLMService", async () => {
    const run = async () =>
      void new InferenceService("svc", {
        metadata: { namespace },
        roles: [
          {
            name: "w",
            componentType: "worker",
            template: {
              spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.31.0" }] },
            },
          },
          { name: "router", componentType: "router" },
        ],
        models: [{ name: "npc", targetModels: [{ name: "v1", weight: 1 }] }],
        rewrites: [{ matches: [{ model: { value: "alias" } }], targets: [{ modelRewrite: "v1" }] }],
        statusObject: true,
      });
    const config = {
      "pulumi-inference:rewriteVersion": "inference.networking.x-k8s.io/v1alpha1",
    };
    const state = stateFolder();
    const opened = openStack({
      project: "p",
      stack: "s",
      program: { run },
      state,
      kubernetes: { kubeconfig: cluster.kubeconfig },
      config,
    });
    const up = await opened.up();
    expect(up.diagnostics).toEqual([]);
    expect((await opened.up()).summary).toEqual({ same: up.steps.length });
    expect(await object("inference.x-k8s.io/v1alpha1", "llmservices", "svc")).toMatchObject({
      spec: { models: [{ name: "npc" }] },
    });
    expect(
      await object(
        "inference.networking.x-k8s.io/v1alpha1",
        "inferencemodelrewrites",
        "svc-rewrites",
      ),
    ).toMatchObject({ spec: { rules: [{ split: [{ modelRewrite: "v1" }] }] } });
    expect(await object("fusioninfer.io/v1alpha1", "inferenceservices", "svc")).toMatchObject({
      spec: { roles: [{ name: "w" }, { name: "router" }] },
    });
  }, 60_000);
});

describe("the version of InferenceModelRewrite", () => {
  it("is the preferred version of the cluster", async () => {
    const { kubeconfig } = cluster;
    expect(await discoverRewriteVersion({ kubeconfig })).toBe("llm-d.ai/v1alpha2");
    const run = async () =>
      void new InferenceModelRewrite("r", {
        metadata: { namespace },
        poolRef: { name: "p" },
        rules: [{ targets: [{ modelRewrite: "v1" }] }],
        version: await discoverRewriteVersion({ kubeconfig }),
      });
    const up = await stack("p", stateFolder(), run).up();
    expect(up.diagnostics).toEqual([]);
  }, 60_000);

  it("is an older version if no other version is served, and an error if no version is served", async () => {
    const other = await startCluster();
    try {
      const { kubeconfig } = other;
      await expect(discoverRewriteVersion({ kubeconfig })).rejects.toThrow(
        "InferenceModelRewrite: the cluster serves none of llm-d.ai/v1alpha2, ",
      );
      await installLooseCrd(other, {
        group: "inference.networking.x-k8s.io",
        versions: ["v1alpha1"],
        kind: "InferenceModelRewrite",
      });
      await expect
        .poll(() => discoverRewriteVersion({ kubeconfig }), { timeout: 20_000 })
        .toBe("inference.networking.x-k8s.io/v1alpha1");
    } finally {
      await other.stop();
    }
  }, 120_000);
});
