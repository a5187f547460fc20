import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordProgram } from "../../recorder/index.ts";
import {
  InferenceModelRewrite,
  InferenceObjective,
  InferencePool,
  InferenceRoute,
  InferenceService,
  LLMServerPool,
  LLMService,
  type ModelArgs,
} from "../index.ts";
import { resourcesIn } from "../resources-in.fixture.ts";

/** Registered resources: type and inputs by logical name. */
let registered = new Map<string, { type: string; inputs: Record<string, never> }>();

beforeEach(async () => {
  registered = new Map();
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.set(name, { type, inputs });
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
});
afterEach(() => pulumi.runtime.disconnect());

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));
const types = () => [...registered].map(([name, { type }]) => `${type} ${name}`).sort();
const settled = (...resources: Array<pulumi.Resource | undefined>) =>
  Promise.all(resources.map((resource) => resource && known(resource.urn)));

const models: ModelArgs[] = [{ name: "npc-bot" }];
const worker = {
  name: "w",
  componentType: "worker" as const,
  template: { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.30.0" }] } },
};

describe("a pool and models", () => {
  it("a pool and its models are objects of their kinds, and the pool is first", async () => {
    const pool = new LLMServerPool("llama", {
      modelServerSelector: { app: "vllm" },
      allowedNamespaces: ["games"],
    });
    const service = new LLMService("bots", {
      metadata: { namespace: "games" },
      models,
      poolRef: [{ name: pool.poolName, namespace: pool.namespace }],
    });
    await settled(...resourcesIn(pool.nodes), service.nodes.llmService);
    expect(types()).toEqual([
      "inference:index:LLMServerPool llama",
      "inference:index:LLMService bots",
      "kubernetes:apps/v1:Deployment llama-deployment-epp",
      "kubernetes:core/v1:Service llama-service-epp",
      "kubernetes:core/v1:ServiceAccount llama-serviceaccount-epp",
      "kubernetes:inference.networking.k8s.io/v1:InferencePool llama-inferencepool",
      "kubernetes:inference.x-k8s.io/v1alpha1:LLMServerPool llama-llmserverpool",
      "kubernetes:inference.x-k8s.io/v1alpha1:LLMService bots-llmservice",
      "kubernetes:networking.k8s.io/v1:NetworkPolicy llama-networkpolicy-epp",
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole llama-clusterrole-epp-metrics-auth",
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding llama-clusterrolebinding-epp-metrics-auth",
      "kubernetes:rbac.authorization.k8s.io/v1:Role llama-role-epp",
      "kubernetes:rbac.authorization.k8s.io/v1:Role llama-role-epp-games",
      "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding llama-rolebinding-epp",
      "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding llama-rolebinding-epp-games",
    ]);
    expect(registered.get("bots-llmservice")?.inputs).toMatchObject({
      metadata: { name: "bots", namespace: "games" },
      spec: { models, poolRef: [{ kind: "LLMServerPool", name: "llama", namespace: "default" }] },
    });
  });

  it("pickers use the image in the stack's configuration", async () => {
    pulumi.runtime.setAllConfig({ "pulumi-inference:image": "registry/epp:2" });
    const pool = new InferencePool("qwen", { selector: { app: "qwen" } });
    await settled(pool.nodes.picker.deployment);
    expect(JSON.stringify(registered.get("qwen-deployment-epp"))).toContain("registry/epp:2");
  });
});

describe("a program", () => {
  it("may not have two pools that could select the same pod", () => {
    new LLMServerPool("a", { modelServerSelector: { app: "vllm", model: "llama" } });
    new InferencePool("elsewhere", { metadata: { namespace: "b" }, selector: { app: "vllm" } });
    new InferencePool("apart", { selector: { app: "vllm", model: "qwen" } });
    expect(() => new InferencePool("c", { selector: { tier: "gpu" } })).toThrow(
      'InferencePool "c": selects tier=gpu, and LLMServerPool "a" selects app=vllm,model=llama in the same namespace, so a pod could match both; allowed: pools that share no pod.',
    );
  });

  it("may not select pods of a service with a router by another pool, in either order", () => {
    const template = { metadata: { labels: { app: "vllm" } }, spec: worker.template.spec };
    const roles = [
      { ...worker, template },
      { name: "router", componentType: "router" as const },
    ];
    const message =
      'LLMServerPool "llama": selects app=vllm, and thus pods of InferenceService "svc", which has its own pool';
    new InferenceService("svc", { roles });
    new InferencePool("apart", { selector: { app: "other" } });
    expect(() => new LLMServerPool("llama", { modelServerSelector: { app: "vllm" } })).toThrow(
      message,
    );
    new LLMServerPool("elsewhere", {
      metadata: { namespace: "b" },
      modelServerSelector: { app: "vllm" },
    });
    expect(() => new InferenceService("late", { metadata: { namespace: "b" }, roles })).toThrow(
      "which has its own pool",
    );
  });

  it("may not register a name on a pool twice", () => {
    const poolRef = [{ name: "llama", namespace: "default" }];
    new LLMService("a", { models, poolRef });
    new LLMService("other-pool", { models, poolRef: [{ name: "qwen" }] });
    expect(
      () =>
        new LLMService("b", { models: [{ name: "x" }, ...models], poolRef: [{ name: "llama" }] }),
    ).toThrow(
      'LLMService "b": registers model "npc-bot" on pool default/llama, which LLMService "a" also registers;',
    );
  });

  describe("grants of a pool in the program:", () => {
    const pool = () =>
      new LLMServerPool("llama", {
        modelServerSelector: { app: "vllm" },
        allowedNamespaces: [{ namespace: "games", models: ["games-*"] }, "chat"],
        reservedModels: ["meta-llama/*"],
      });
    const asked = (model: string, namespace: pulumi.Input<string>) =>
      new LLMService(model, {
        metadata: { name: "asks", namespace },
        models: [{ name: model }],
        poolRef: [{ name: "llama", namespace: "default" }],
      });

    it.each([
      ["games-npc", "games"],
      ["any", "chat"],
      ["meta-llama/L", "default"],
    ])("an LLMService may register %s in %s", (model, namespace) => {
      pool();
      expect(() => asked(model, namespace)).not.toThrow();
    });

    it.each([
      ["npc", "games", "which on pool default/llama is not among the names"],
      ["meta-llama/L", "chat", "which on pool default/llama is reserved"],
      ["any", "strangers", "is in namespace strangers, but pool default/llama does not admit it"],
    ])("an LLMService may not register %s in %s", (model, namespace, message) => {
      pool();
      expect(() => asked(model, namespace)).toThrow(`LLMService "${model}": `);
      expect(() => asked(model, namespace)).toThrow(message);
      expect(() => asked(model, namespace)).toThrow('allowed: what LLMServerPool "llama" grants');
    });

    it("an LLMService that is created before its pool is also refused", () => {
      asked("npc", "games");
      expect(pool).toThrow('LLMService "npc": contains "npc", which on pool default/llama');
    });

    it("an LLMService may register any name on a pool of another program", () => {
      expect(() => asked("npc", "games")).not.toThrow();
    });
  });

  it("may not register a model name of an InferenceService again", () => {
    const roles = [worker, { name: "router", componentType: "router" as const }];
    new InferenceService("svc", { roles, models });
    expect(() => new LLMService("b", { models, poolRef: [{ name: "svc-pool" }] })).toThrow(
      'registers model "npc-bot" on pool default/svc-pool, which InferenceService "svc" also registers',
    );
  });
});

describe("an InferenceModelRewrite", () => {
  const poolRef = { name: "llama" };
  const rules = [{ targets: [{ modelRewrite: "v1" }] }];
  const typeOf = async (rewrite: InferenceModelRewrite) => {
    await settled(rewrite.nodes.inferenceModelRewrite);
    return registered.get("r-inferencemodelrewrite")?.type;
  };

  it.each([
    ["llm-d.ai/v1alpha2", {}, undefined],
    ["inference.networking.x-k8s.io/v1alpha2", {}, "inference.networking.x-k8s.io/v1alpha2"],
    [
      "inference.networking.x-k8s.io/v1alpha1",
      { "pulumi-inference:rewriteVersion": "inference.networking.x-k8s.io/v1alpha1" },
      undefined,
    ],
  ] as const)(
    "has version %s for the stack's configuration %j and the argument %s",
    async (expected, config, version) => {
      pulumi.runtime.setAllConfig({ ...config });
      const rewrite = new InferenceModelRewrite("r", {
        poolRef,
        rules,
        ...(version && { version }),
      });
      expect(await typeOf(rewrite)).toBe(`kubernetes:${expected}:InferenceModelRewrite`);
    },
  );

  it("refuses an invalid version together with other problems", () => {
    expect(
      () => new InferenceModelRewrite("r", { poolRef, rules: [], version: "v1" as never }),
    ).toThrow(
      /2 problems\n {2}rules: is an empty list.* Add an entry\.\n {2}version: is "v1"; allowed: llm-d.ai\/v1alpha2, /,
    );
    pulumi.runtime.setAllConfig({ "pulumi-inference:rewriteVersion": "v1" });
    expect(() => new InferenceModelRewrite("s", { poolRef, rules })).toThrow(
      'pulumi-inference:rewriteVersion: is "v1"',
    );
  });
});

it("an objective and a route are one object each", async () => {
  const objective = new InferenceObjective("batch", { poolRef: { name: "p" }, priority: -1 });
  const route = new InferenceRoute("chat", {
    parentRefs: [{ name: "gw" }],
    rules: [{ pools: [{ name: pulumi.output("llama"), weight: 2 }] }],
  });
  await settled(objective.nodes.inferenceObjective, route.nodes.route);
  expect(types()).toEqual([
    "inference:index:InferenceObjective batch",
    "inference:index:InferenceRoute chat",
    "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute chat-httproute",
    "kubernetes:llm-d.ai/v1alpha2:InferenceObjective batch-inferenceobjective",
  ]);
  expect(registered.get("chat-httproute")?.inputs).toMatchObject({
    spec: { rules: [{ backendRefs: [{ kind: "InferencePool", name: "llama", weight: 2 }] }] },
  });
});

describe("a reference to a pool", () => {
  it("is refused if the name resolves to undefined", async () => {
    const poolRef = { name: pulumi.output<string | undefined>(undefined) };
    const rules = [{ targets: [{ modelRewrite: "m" }] }];
    await pulumi.runtime.disconnect();
    const { diagnostics } = await recordProgram({
      project: "p",
      stack: "s",
      program: { run: async () => void new InferenceModelRewrite("canary", { poolRef, rules }) },
    });
    expect(diagnostics.map(({ message }) => message).join()).toContain(
      'InferenceModelRewrite "canary": 1 problem\n  poolRef.name: is missing; allowed: a string',
    );
  });

  it("is refused with a fix if the pool itself is passed", () => {
    const pool = new InferencePool("pool", { selector: { app: "m" } });
    const poolRef = pool as unknown as { name: string };
    const rules = [{ targets: [{ modelRewrite: "m" }] }];
    expect(() => new InferenceModelRewrite("canary", { poolRef, rules })).toThrow(
      "poolRef: is a resource, of type InferencePool; allowed: a plain object. Pass the name of the resource: { name: pool.poolName }.",
    );
  });
});
