import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { PluginsFile } from "../../plugins/plugins-file.ts";
import { definePodPlugin } from "../../plugins/pod-plugin.ts";
import { podPluginRegistry } from "../../plugins/registry.ts";
import { ControllersSpec } from "../../spec/controllers.ts";
import { planInferenceService } from "../inference-service.ts";
import { planControllers } from "./controllers.ts";

/** Annotations and labels for plugins that run in the cluster. */

const own = [
  definePodPlugin({ name: "per-pod", per: "pod", config: z.strictObject({}), onPodCreate() {} }),
  definePodPlugin({ name: "when-ready", config: z.looseObject({}), onPodReady() {} }),
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

const toldBy = ({ metadata }: Manifest) => {
  const text = metadata.annotations?.["pulumi-inference/runtime-plugins"];
  return text === undefined ? undefined : PluginsFile.parse(JSON.parse(text));
};

const labelOf = (plugins: object[], at = -1) => {
  const spec = plan(plugins)
    .filter(({ kind }) => kind === "LeaderWorkerSet")
    .at(at)?.spec as
    | { leaderWorkerTemplate: { workerTemplate: { metadata: { labels: Record<string, string> } } } }
    | undefined;
  return spec?.leaderWorkerTemplate.workerTemplate.metadata.labels["pulumi-inference/pod-plugins"];
};

describe("plugins that run in the cluster", () => {
  it("each LeaderWorkerSet lists the runtime plugins of its role and no others", () => {
    const plugins = [
      { name: "shm" },
      { name: "when-ready" },
      { name: "per-pod", scope: { roles: ["b"] } },
      remote("Fail"),
    ];
    const manifests = plan(plugins);
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "LeaderWorkerSet qwen-a",
      "LeaderWorkerSet qwen-b",
      "PodDisruptionBudget qwen-a",
      "PodDisruptionBudget qwen-b",
      "NetworkPolicy qwen-engines",
    ]);
    const [a, b] = manifests.map(toldBy);
    expect(a?.workload.metadata).toEqual({ name: "qwen", namespace: "models" });
    expect(a?.plugins.map(({ name, runs }) => [name, runs])).toEqual([
      ["when-ready", ["OnPodReady"]],
      ["remote", ["OnPodCreate"]],
    ]);
    expect(b?.plugins.map(({ name, runs }) => [name, runs])).toEqual([
      ["when-ready", ["OnPodReady"]],
      ["per-pod", ["OnPodCreate"]],
      ["remote", ["OnPodCreate"]],
    ]);
  });

  it("a LeaderWorkerSet without runtime plugins has no annotation", () => {
    expect(new Set(plan([{ name: "shm" }]).map(toldBy))).toEqual(new Set([undefined]));
    expect(labelOf([{ name: "shm" }])).toBeUndefined();
  });

  it("a changed config of an OnPodReady plugin does not change the pod template", () => {
    const templates = (config: object) =>
      plan([{ name: "when-ready", config }]).map(({ spec }) => spec);
    const told = (config: object) => plan([{ name: "when-ready", config }]).map(toldBy);
    expect(templates({ a: 1 })).toEqual(templates({}));
    expect(told({ a: 1 })).not.toEqual(told({}));
  });

  it("an annotation above the size limit is refused", () => {
    const sized = (bytes: number) =>
      plan([{ ...remote("Fail"), config: { text: "x".repeat(bytes) } }]);
    expect(() => sized(60_000)).not.toThrow();
    expect(() => sized(66_000)).toThrow(
      /plugins: of role "a" that run in the cluster take 66\d+ bytes as JSON; allowed: 65536 bytes\. Move large configuration/,
    );
  });

  it.each([
    ["Fail for a plugin that must run", [remote("Fail")], "Fail"],
    ["Ignore for a plugin that may be skipped", [remote("Ignore")], "Ignore"],
    ["Fail if one of two plugins must run", [{ name: "per-pod" }, remote("Ignore")], "Fail"],
    ["Ready for a plugin that runs on readiness only", [{ name: "when-ready" }], "Ready"],
  ])("the pod label is %s", (_what, plugins, value) => {
    expect(labelOf(plugins)).toBe(value);
  });

  it("a runtime plugin before a template plugin is refused", () => {
    expect(() => plan([remote("Fail"), { name: "shm" }])).toThrow(
      /plugins\[1\]: runs on templates but comes after "remote", which runs on each pod/,
    );
  });

  it("a changed config of an OnPodCreate plugin changes the pod template", () => {
    const template = (config: object) =>
      plan([{ ...remote("Fail"), config }]).find(({ kind }) => kind === "LeaderWorkerSet")?.spec;
    expect(template({ a: 2 })).not.toEqual(template({ a: 1 }));
  });
});

describe("the webhook of InferenceControllers", () => {
  const metadata = { name: "c", namespace: "system", labels: {}, annotations: {} };
  const named = (spec: object) =>
    planControllers({ metadata, spec: ControllersSpec.parse(spec) }).map(
      ({ kind, metadata: { name } }) => `${kind} ${name}`,
    );

  it("the webhook is planned only if podPlugins is set", () => {
    expect(named({}).join()).not.toContain("webhook");
    expect(named({ podPlugins: {} }).slice(-5)).toEqual([
      "Deployment inference-pod-plugin-webhook",
      "PodDisruptionBudget inference-pod-plugin-webhook",
      "Service inference-pod-plugin-webhook",
      "NetworkPolicy inference-pod-plugin-webhook",
      "MutatingWebhookConfiguration pulumi-inference-pod-plugins",
    ]);
  });

  it("the webhook calls endpoints only if URLs are listed", () => {
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

  it("the webhook verifies client certificates of API servers with the CA of a ConfigMap", () => {
    const podPlugins = { clientCaConfigMap: "api-server-ca", podCreators: ["a", "b"] };
    const manifests = planControllers({ metadata, spec: ControllersSpec.parse({ podPlugins }) });
    const [, deployment] = manifests.filter(({ kind }) => kind === "Deployment");
    const text = JSON.stringify(deployment?.spec);
    expect(text).toContain('"--client-ca-file=/certificates/clients/ca.crt","--pod-creators=a,b"');
    expect(deployment?.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            { volumeMounts: [{ name: "client-authorities", mountPath: "/certificates/clients" }] },
          ],
          volumes: [{ name: "client-authorities", configMap: { name: "api-server-ca" } }],
        },
      },
    });
    const spaced = { podPlugins: { podCreators: ["a, b"] } };
    expect(ControllersSpec.safeParse(spaced).success).toBe(false);
  });
});
