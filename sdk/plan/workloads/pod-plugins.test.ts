import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { arbitraryService } from "../../../testing/samples/arbitrary-service.ts";
import { capacity } from "../../capacity/capacity.ts";
import { SpecError } from "../../errors.ts";
import { builtInPodPlugins } from "../../plugins/built-in/index.ts";
import { definePodPlugin } from "../../plugins/pod-plugin.ts";
import { podPluginRegistry } from "../../plugins/registry.ts";
import { planInferenceService } from "../inference-service.ts";

/** Plugins in the plan of an InferenceService. */

const role = (name: string, more: object = {}, container: object = {}) => ({
  name,
  componentType: "worker" as const,
  template: { spec: { containers: [{ name: "vllm", image: "vllm:v0.11.0", ...container }] } },
  ...more,
});

const service = (spec: object) =>
  ({
    metadata: { name: "qwen", namespace: "models" },
    spec: { roles: [role("a")], ...spec },
  }) as never;

const plan = (spec: object, options = {}) => planInferenceService(service(spec), options);

interface Pod {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown> & { containers: Array<Record<string, unknown>> };
}

interface Templates {
  leaderTemplate?: Pod;
  workerTemplate: Pod;
}

const templatesOf = (manifests: Manifest[]) =>
  Object.fromEntries(
    manifests
      .filter(({ kind }) => kind === "LeaderWorkerSet")
      .map(({ metadata, spec }) => [
        metadata.name,
        (spec as { leaderWorkerTemplate: Templates }).leaderWorkerTemplate,
      ]),
  );

const podOf = (manifests: Manifest[], name = "qwen-a") =>
  templatesOf(manifests)[name]?.workerTemplate;

function problems(spec: object, options = {}): string[] {
  try {
    plan(spec, options);
  } catch (error) {
    if (error instanceof SpecError) return error.message.split("\n").slice(1);
    throw error;
  }
  return [];
}

const gpu = (gpuCount: number) => ({ name: "nvidia-gpu-defaults", config: { gpuCount } });
const multinode = { nodeCount: 2 };

describe("a service with empty plugin lists", () => {
  it("has exactly the same plan as without the lists", () => {
    const noop = definePodPlugin({ name: "noop", config: z.strictObject({}), onPodCreate() {} });
    const podPlugins = { registry: podPluginRegistry([noop]) };
    fc.assert(
      fc.property(arbitraryService, (input) => {
        const without = JSON.stringify(planInferenceService(input));
        expect(without).not.toContain("pulumi-inference/plugins");
        const roles = input.spec.roles.map((written) =>
          written.componentType === "router" ? written : { ...written, plugins: [] },
        );
        const spec = { ...input.spec, roles, plugins: [] };
        expect(JSON.stringify(planInferenceService({ ...input, spec }, { podPlugins }))).toBe(
          without,
        );
        // A plugin that changes nothing does not change pods, although the spec differs.
        const idle = { ...input.spec, plugins: [{ name: "noop" }] };
        expect(
          JSON.stringify(
            templatesOf(planInferenceService({ ...input, spec: idle }, { podPlugins })),
          ),
        ).toBe(JSON.stringify(templatesOf(planInferenceService(input))));
      }),
    );
  });
});

describe("the plugin chain", () => {
  it("is idempotent with all built-in plugins on the pods of an arbitrary service", () => {
    // Planning itself fails if a chain is not idempotent, so planning is the test.
    const plugins = [
      { name: "shm", config: { sizeLimit: "16Gi" } },
      {
        name: "model-cache",
        config: { from: "download", image: "i:1", args: ["x"], env: { A: "b" } },
      },
      { name: "lws-standard-labels", config: { partOf: "chat" } },
      { name: "topology-spread" },
      { name: "rdma-defaults", config: { requireIpcLock: false, ncclDevices: "mlx5_0" } },
    ];
    fc.assert(
      fc.property(arbitraryService, (input) => {
        const planned = planInferenceService({ ...input, spec: { ...input.spec, plugins } });
        for (const { workerTemplate } of Object.values(templatesOf(planned))) {
          expect(workerTemplate.metadata.annotations?.["pulumi-inference/plugins"]).toContain(
            "shm",
          );
        }
      }),
      // Planning runs each chain twice; every-plan.test.ts plans a hundred services without plugins.
      { numRuns: 30 },
    );
  });

  it("runs after the gang annotations, and the service's plugins run before the role's plugins", () => {
    const seen: unknown[] = [];
    const own = ["first", "second"].map((name) =>
      definePodPlugin({
        name,
        config: z.strictObject({}),
        onPodCreate({ pod, ...request }) {
          const { modelServing: _, ...identity } = request;
          seen.push([name, identity, pod.metadata.annotations["scheduling.k8s.io/group-name"]]);
        },
      }),
    );
    plan(
      {
        plugins: [{ name: "first" }],
        roles: [
          role(
            "a",
            { multinode, plugins: [{ name: "second", scope: { target: "Worker" } }] },
            { resources: { limits: { "nvidia.com/gpu": 8 } } },
          ),
        ],
      },
      { podPlugins: { registry: podPluginRegistry(own) } },
    );
    const identity = { servingGroup: "qwen-0", roleName: "a", roleID: "a-0" };
    const places = new Set(seen.map((entry) => JSON.stringify(entry)));
    expect([...places].map((entry) => JSON.parse(entry))).toEqual([
      ["first", { ...identity, isEntry: true }, "qwen"],
      ["first", { ...identity, isEntry: false }, "qwen"],
      ["second", { ...identity, isEntry: false }, "qwen"],
    ]);
  });

  it("passes no replica index to a hook if several replicas share the template", () => {
    const identities: unknown[] = [];
    const own = definePodPlugin({
      name: "own",
      config: z.strictObject({}),
      onPodCreate: ({ servingGroup, roleID }) => void identities.push(servingGroup, roleID),
    });
    plan(
      { plugins: [{ name: "own" }], roles: [role("a", { replicas: 3 })] },
      { podPlugins: { registry: podPluginRegistry([own]) } },
    );
    expect(new Set(identities)).toEqual(new Set([undefined]));
  });

  it("lets a plugin read the service's spec but not change it", () => {
    const roles = [role("a", { replicas: 3 }), role("b")];
    const own = definePodPlugin({
      name: "replicas",
      config: z.strictObject({}),
      onPodCreate({ pod, modelServing: { spec }, roleName }) {
        const all = spec?.roles as Array<{ name: string; replicas: number }>;
        const { replicas } = all.find(({ name }) => name === roleName) ?? {};
        expect(() => all.pop()).toThrow(TypeError);
        pod.metadata.labels.replicas = String(replicas);
      },
    });
    const podPlugins = { registry: podPluginRegistry([own]) };
    const manifests = plan({ roles, plugins: [{ name: "replicas" }] }, { podPlugins });
    const labels = ["qwen-a", "qwen-b"].map((name) => podOf(manifests, name)?.metadata.labels);
    expect(labels).toMatchObject([{ replicas: "3" }, { replicas: "1" }]);
  });

  it("counts GPUs that a plugin adds in the gang's resources", () => {
    const manifests = plan({ plugins: [gpu(8)], roles: [role("a", { multinode })] });
    const podGroup = manifests.find(({ kind }) => kind === "PodGroup");
    expect(podGroup?.spec).toMatchObject({ minResources: { "nvidia.com/gpu": "16" } });
  });

  it("counts GPUs that a plugin adds in the capacity", () => {
    const spec = { plugins: [gpu(8)], roles: [role("a", { multinode, replicas: 2 })] };
    const started = (nodes: number) =>
      capacity(
        service(spec),
        Array.from({ length: nodes }, () => ({ gpus: 8 })),
      ).status;
    expect([1, 2, 4].map(started)).toEqual(["Blocked", "Partial", "Full"]);
  });

  it("a multi-node role without GPUs is refused if no plugin adds them", () => {
    expect(problems({ plugins: [{ name: "shm" }], roles: [role("a", { multinode })] })).toEqual([
      expect.stringMatching(/^ {2}roles\[0\]\.template\.spec\.containers: request no accelerator/),
    ]);
  });

  it("keeps values that are known later", () => {
    const later = { __pulumiOutput: true, apply: () => later };
    const pod = podOf(plan({ plugins: [gpu(1)], roles: [role("a", {}, { image: later })] }));
    expect(pod?.spec.containers[0]?.image).toBe(later);
  });
});

describe("the plugin annotation", () => {
  it("names only the plugins that changed the pod", () => {
    const pod = podOf(
      plan({
        plugins: [gpu(1), { name: "shm" }],
        roles: [role("a", {}, { resources: { limits: { "nvidia.com/gpu": "2" } } })],
      }),
    );
    expect(pod?.metadata.annotations).toEqual({
      "pulumi-inference/plugins": "shm",
      "pulumi-inference/plugins-hash": expect.stringMatching(/^[0-9a-f]{10}$/),
    });
  });

  it("is absent if no plugin changed the pod", () => {
    const set = { resources: { limits: { "nvidia.com/gpu": "2" } } };
    expect(
      podOf(plan({ plugins: [gpu(1)], roles: [role("a", {}, set)] }))?.metadata.annotations,
    ).toBeUndefined();
  });
});

describe("a changed plugin config", () => {
  const roles = [role("a", { replicas: 2 }), role("b"), role("c", { multinode })];
  const change = (from: object[], to: object[]) => {
    const [before, after] = [from, to].map((plugins) => templatesOf(plan({ plugins, roles })));
    return Object.keys(before ?? {}).filter(
      (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
    );
  };
  const scoped = (scope: object, gpuCount: number) => [
    { ...gpu(gpuCount), scope },
    { name: "nvidia-gpu-defaults", scope: { roles: ["c"] }, config: { gpuCount: 8 } },
  ];

  it("changes only the pods of the plugin's roles", () => {
    expect(change(scoped({ roles: ["a"] }, 1), scoped({ roles: ["a"] }, 2))).toEqual(["qwen-a"]);
    expect(change(scoped({ roles: ["a", "b"] }, 1), scoped({ roles: ["a", "b"] }, 2))).toEqual([
      "qwen-a",
      "qwen-b",
    ]);
  });

  it("changes only the leader's template if the target is Entry", () => {
    const plugins = (sizeLimit: string) => [
      { name: "nvidia-gpu-defaults" },
      { name: "shm", config: { sizeLimit }, scope: { roles: ["c"], target: "Entry" } },
    ];
    const [before, after] = ["1Gi", "2Gi"].map(
      (size) => templatesOf(plan({ plugins: plugins(size), roles }))["qwen-c-0"],
    );
    expect(before?.leaderTemplate).not.toEqual(after?.leaderTemplate);
    expect(before?.workerTemplate).toEqual(after?.workerTemplate);
  });

  it("changes nothing if only the order of keys or entries differs", () => {
    const a = {
      name: "nvidia-gpu-defaults",
      scope: { roles: ["a"] },
      config: { gpuCount: 2, runtimeClassName: "n" },
    };
    const b = { ...gpu(1), scope: { roles: ["b", "c"] } };
    const reordered = { ...a, config: { runtimeClassName: "n", gpuCount: 2 } };
    expect(change([a, b], [b, reordered])).toEqual([]);
  });
});

describe("planning refuses, with the path", () => {
  it.each<[what: string, spec: object, line: RegExp]>([
    [
      "an unknown plugin",
      { plugins: [{ name: "smh" }] },
      /plugins\[0\]\.name: is "smh"; allowed: nvidia-gpu-defaults, /,
    ],
    [
      "an unknown key",
      { plugins: [{ name: "shm", configs: {} }] },
      /plugins\[0\]\.configs: unknown field/,
    ],
    [
      "an unknown config key",
      { plugins: [{ name: "shm", config: { size: "1Gi" } }] },
      /plugins\[0\]\.config\.size: unknown field "size"; allowed: sizeLimit/,
    ],
    [
      "an invalid config value",
      { plugins: [{ name: "shm", config: { sizeLimit: "big" } }] },
      /plugins\[0\]\.config\.sizeLimit: is "big"; allowed: a quantity, as 16Gi/,
    ],
    [
      "an unknown target",
      { plugins: [{ name: "shm", scope: { target: "Leader" } }] },
      /plugins\[0\]\.scope\.target: is "Leader"; allowed: Entry, Worker, All/,
    ],
    [
      "an unknown type",
      { plugins: [{ name: "shm", type: "WASM" }] },
      /plugins\[0\]\.type: is "WASM"; allowed: BuiltIn, Webhook/,
    ],
    [
      "an unknown role",
      { plugins: [{ name: "shm", scope: { roles: ["a", "x"] } }] },
      /plugins\[0\]\.scope\.roles\[1\]: is "x"; allowed: a\. /,
    ],
    [
      "a duplicate",
      { plugins: [{ name: "shm" }, { name: "shm" }] },
      /plugins\[1\]\.name: is "shm", which plugins\[0\] already applies/,
    ],
    [
      "a role's duplicate of a service plugin",
      { plugins: [{ name: "shm" }], roles: [role("a", { plugins: [{ name: "shm" }] })] },
      /roles\[0\]\.plugins\[0\]\.name: is "shm", which plugins\[0\] already applies/,
    ],
    [
      "scope.roles in a role's own list",
      { roles: [role("a", { plugins: [{ name: "shm", scope: { roles: ["a"] } }] })] },
      /roles\[0\]\.plugins\[0\]\.scope\.roles: is set in the plugins of role "a"/,
    ],
    [
      "target Worker for roles without workers",
      { plugins: [{ name: "shm", scope: { target: "Worker" } }] },
      /plugins\[0\]\.scope\.target: is Worker, but the replicas of a are single pods/,
    ],
    [
      "a Webhook that is not enabled",
      { plugins: [{ name: "x", type: "Webhook", webhook: { url: "https://x" } }] },
      /plugins\[0\]\.type: is Webhook; allowed: BuiltIn, because/,
    ],
    [
      "a URL on a built-in plugin",
      { plugins: [{ name: "shm", webhook: { url: "https://x" } }] },
      /plugins\[0\]\.webhook: is set, but type is BuiltIn/,
    ],
    [
      "plugins of a router",
      { roles: [role("a"), { name: "r", componentType: "router", plugins: [] }] },
      /roles\[1\]\.plugins: unknown field/,
    ],
    [
      "accelerators of two vendors",
      { plugins: [{ name: "nvidia-gpu-defaults" }, { name: "huawei-ascend-defaults" }] },
      /plugins\[1\]: "huawei-ascend-defaults" on role "a", entry pods: spec\.containers\[0\]\.resources requests nvidia\.com\/gpu/,
    ],
    [
      "a config that is known later",
      { plugins: [{ name: "shm", config: { sizeLimit: { __pulumiOutput: true } } }] },
      /plugins\[0\]\.config\.sizeLimit: is an Output; allowed: a plain value/,
    ],
  ])("%s", (_what, spec, line) => {
    expect(problems(spec)).toEqual([expect.stringMatching(line)]);
  });

  it("a Webhook without URL", () => {
    const podPlugins = { registry: podPluginRegistry(), webhookUrls: [] };
    expect(problems({ plugins: [{ name: "x", type: "Webhook" }] }, { podPlugins })).toEqual([
      expect.stringMatching(/plugins\[0\]\.webhook: is missing; allowed: an object with url/),
    ]);
  });

  it("a Webhook outside the allowed URLs, and accepts URLs below them", () => {
    const webhookUrls = ["https://plugins.example/v1/", "https://other.example/exact"];
    const podPlugins = { registry: podPluginRegistry(), webhookUrls };
    const refused = (url: string) =>
      problems({ plugins: [{ name: "x", type: "Webhook", webhook: { url } }] }, { podPlugins })
        .length > 0;
    expect(
      [
        "https://plugins.example/v1/gpu",
        "https://other.example/exact",
        "https://plugins.example/v1/../admin",
        "https://plugins.example/v10",
        "https://plugins.example.evil/v1/",
        "https://plugins.example@evil/v1/",
        "http://plugins.example/v1/gpu",
        "https://other.example/exact/more",
      ].filter((url) => !refused(url)),
    ).toEqual(["https://plugins.example/v1/gpu", "https://other.example/exact"]);
  });
});

describe("the plugin registry", () => {
  it("refuses a second plugin with the same name", () => {
    const again = definePodPlugin({ name: "shm", config: z.strictObject({}), onPodCreate() {} });
    expect(() => podPluginRegistry([again])).toThrow(
      /pod plugin "shm": another plugin has this name/,
    );
    expect([...podPluginRegistry().keys()]).toEqual(builtInPodPlugins.map(({ name }) => name));
  });
});
