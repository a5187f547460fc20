import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PluginsFile } from "../plugins/plugins-file.ts";
import { definePodPlugin } from "../plugins/pod-plugin.ts";
import { podPluginRegistry } from "../plugins/registry.ts";
import { ControllersSpec } from "../spec/controllers.ts";
import { planControllers } from "./controllers.ts";
import { planInferenceService } from "./inference-service.ts";

/** What the cluster is told of plugins that run there. */

const own = [
  definePodPlugin({ name: "per-pod", per: "pod", config: z.strictObject({}), onPodCreate() {} }),
  definePodPlugin({ name: "when-ready", config: z.strictObject({}), onPodReady() {} }),
];
const podPlugins = { registry: podPluginRegistry(own), webhookUrls: ["https://p.example/"] };
const remote = (failurePolicy: string) => ({
  name: "remote",
  type: "Webhook",
  webhook: { url: "https://p.example/x", failurePolicy },
});

const plan = (plugins: object[]) =>
  planInferenceService(
    {
      metadata: { name: "qwen", namespace: "models" },
      spec: {
        plugins: plugins as never,
        roles: ["a", "b"].map((name) => ({
          name,
          componentType: "worker" as const,
          template: { spec: { containers: [{ name: "vllm" }] } },
        })),
      },
    },
    { podPlugins },
  );

const labelOf = (plugins: object[], at = -1) => {
  const spec = plan(plugins)
    .filter(({ kind }) => kind === "LeaderWorkerSet")
    .at(at)?.spec as
    | { leaderWorkerTemplate: { workerTemplate: { metadata: { labels: Record<string, string> } } } }
    | undefined;
  return spec?.leaderWorkerTemplate.workerTemplate.metadata.labels["pulumi-inference/pod-plugins"];
};

describe("plugins that run in the cluster", () => {
  it("are told in a ConfigMap that comes before the pods, and no others", () => {
    const plugins = [
      { name: "shm" },
      { name: "when-ready" },
      { name: "per-pod", scope: { roles: ["b"] } },
      remote("Fail"),
    ];
    const manifests = plan(plugins);
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ConfigMap qwen-plugins",
      "LeaderWorkerSet qwen-a",
      "LeaderWorkerSet qwen-b",
      "NetworkPolicy qwen-engines",
    ]);
    const { data } = manifests[0] as unknown as { data: Record<string, string> };
    const file = PluginsFile.parse(JSON.parse(data["plugins.json"] ?? ""));
    expect(file.workload.metadata).toEqual({ name: "qwen", namespace: "models" });
    expect(file.plugins.map(({ name, runs }) => [name, runs])).toEqual([
      ["when-ready", ["OnPodReady"]],
      ["per-pod", ["OnPodCreate"]],
      ["remote", ["OnPodCreate"]],
    ]);
  });

  it("have no ConfigMap where all of them run in the plan", () => {
    expect(plan([{ name: "shm" }]).map(({ kind }) => kind)).not.toContain("ConfigMap");
    expect(labelOf([{ name: "shm" }])).toBeUndefined();
  });

  it.each([
    ["Fail, of one that must run", [remote("Fail")], "Fail"],
    ["Ignore, of one that may be left out", [remote("Ignore")], "Ignore"],
    ["Fail, where one of two must run", [{ name: "per-pod" }, remote("Ignore")], "Fail"],
    ["Ready, where only becoming ready matters", [{ name: "when-ready" }], "Ready"],
  ])("label their pods %s", (_what, plugins, value) => {
    expect(labelOf(plugins)).toBe(value);
  });

  it("are refused before those that run in the plan", () => {
    expect(() => plan([remote("Fail"), { name: "shm" }])).toThrow(
      /plugins\[1\]: runs on templates, and stands after "remote", which runs on each pod/,
    );
  });

  it("make new pods when they are configured otherwise", () => {
    expect(JSON.stringify(plan([remote("Fail")]).at(-1))).not.toBe(
      JSON.stringify(plan([{ ...remote("Fail"), config: { a: 1 } }]).at(-1)),
    );
  });
});

describe("controllers", () => {
  const metadata = { name: "c", namespace: "system", labels: {}, annotations: {} };
  const named = (spec: object) =>
    planControllers({ metadata, spec: ControllersSpec.parse(spec) }).map(
      ({ kind, metadata: { name } }) => `${kind} ${name}`,
    );

  it("have no webhook unless it is asked for", () => {
    expect(named({}).join()).not.toContain("webhook");
    expect(named({ podPlugins: {} }).slice(-5)).toEqual([
      "Deployment inference-pod-plugin-webhook",
      "PodDisruptionBudget inference-pod-plugin-webhook",
      "Service inference-pod-plugin-webhook",
      "NetworkPolicy inference-pod-plugin-webhook",
      "MutatingWebhookConfiguration pulumi-inference-pod-plugins",
    ]);
  });

  it("call endpoints only where URLs are listed", () => {
    const argsOf = (spec: object) => {
      const manifests = planControllers({ metadata, spec: ControllersSpec.parse(spec) });
      const [, deployment] = manifests.filter(({ kind }) => kind === "Deployment");
      return JSON.stringify(deployment?.spec);
    };
    expect(argsOf({ podPlugins: {} })).not.toContain("--enable-webhook-plugins");
    expect(argsOf({ podPlugins: { webhookUrls: ["https://a/", "https://b/"] } })).toContain(
      '"--enable-webhook-plugins","--webhook-plugin-urls=https://a/,https://b/"',
    );
    expect(ControllersSpec.safeParse({ podPlugins: { webhookUrls: ["http://a/"] } }).success).toBe(
      false,
    );
  });
});
