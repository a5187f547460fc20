import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { definePodPlugin, InferenceControllers, InferenceService } from "./index.ts";

/** Pod plugins of programs, plugins that run in the cluster, and the stack's list of URLs. */

let names: string[] = [];

beforeEach(async () => {
  names = [];
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      names.push(name);
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
});
afterEach(() => pulumi.runtime.disconnect());

const known = <T>(output: pulumi.Output<T> | undefined) =>
  new Promise<T>((resolve) => output?.apply((value) => resolve(value)));

const roles = [
  {
    name: "w",
    componentType: "worker" as const,
    port: 8000,
    template: { spec: { containers: [{ name: "vllm", image: pulumi.output("v:1") }] } },
  },
  { name: "r", componentType: "router" as const },
];

const ready = definePodPlugin({
  name: "ready",
  config: z.strictObject({}),
  onPodCreate: ({ pod }) => {
    pod.spec.runtimeClassName = "h";
  },
  onPodReady: () => {},
});

describe("a plugin of the program", () => {
  it("changes pods, and its hooks for the cluster are annotated on the LeaderWorkerSet", async () => {
    const service = new InferenceService(
      "qwen",
      { roles, plugins: [{ name: "ready" }] },
      { podPlugins: [ready] },
    );
    const {
      workloads: leaderWorkerSets,
      picker: { deployment },
    } = service.nodes;
    const spec = await known(leaderWorkerSets[0]?.spec as pulumi.Output<object> | undefined);
    expect(spec).toMatchObject({
      leaderWorkerTemplate: {
        workerTemplate: {
          metadata: {
            labels: { "pulumi-inference/pod-plugins": "Ready" },
            annotations: { "pulumi-inference/plugins": "ready" },
          },
          spec: { runtimeClassName: "h", containers: [{ name: "vllm", image: "v:1" }] },
        },
      },
    });
    const { annotations } = await known(leaderWorkerSets[0]?.metadata);
    expect(annotations?.["pulumi-inference/runtime-plugins"]).toContain('"runs":["OnPodReady"]');
    expect((await known(deployment?.metadata)).name).toBe("qwen-epp");
  });

  it("is unknown without the option podPlugins", () => {
    expect(() => new InferenceService("qwen", { roles, plugins: [{ name: "ready" }] })).toThrow(
      /plugins\[0\]\.name: is "ready"; allowed: nvidia-gpu-defaults, /,
    );
  });

  it("a plugin that refuses a pod fails before any registration", () => {
    const plugins = [{ name: "rdma-defaults" }];
    expect(() => new InferenceService("qwen", { roles, plugins })).toThrow(
      /plugins\[0\]: "rdma-defaults" on role "w", entry pods: .* does not contain IPC_LOCK/,
    );
    expect(names).toEqual([]);
  });
});

describe("a Webhook", () => {
  const plugins = [
    { name: "x", type: "Webhook" as const, webhook: { url: "https://p.example/v1/x" } },
  ];

  it("is refused unless the stack lists its URL", () => {
    expect(() => new InferenceService("qwen", { roles, plugins })).toThrow(/type: is Webhook/);
    pulumi.runtime.setAllConfig({ "pulumi-inference:podPluginUrls": "https://q.example/" });
    expect(() => new InferenceService("qwen", { roles, plugins })).toThrow(
      /webhook\.url: is "https:\/\/p\.example\/v1\/x"; allowed: an https URL under https:\/\/q\.example\//,
    );
  });

  it("is planned if the stack lists its URL", async () => {
    const urls = "https://q.example/, https://p.example/v1/";
    pulumi.runtime.setAllConfig({ "pulumi-inference:podPluginUrls": urls });
    const [lws] = new InferenceService("qwen", { roles, plugins }).nodes.workloads;
    const { annotations } = await known(lws?.metadata);
    expect(annotations?.["pulumi-inference/runtime-plugins"]).toContain("https://p.example/v1/x");
  });
});

it("InferenceControllers installs the webhook with podPlugins", async () => {
  const { nodes } = new InferenceControllers("b", {
    metadata: { namespace: "b" },
    podPlugins: { replicas: 3, webhookUrls: ["https://p.example/"] },
  });
  const webhooks = await known(nodes.podPluginWebhook.configuration?.webhooks);
  expect(
    webhooks.map(({ failurePolicy, objectSelector }) => [failurePolicy, objectSelector]),
  ).toEqual(
    ["Fail", "Ignore"].map((policy) => [
      policy,
      { matchLabels: { "pulumi-inference/pod-plugins": policy } },
    ]),
  );
  expect(names).toContain("b-deployment-inference-pod-plugin-webhook");
});

it("InferenceControllers installs no webhook without podPlugins", () => {
  const { nodes } = new InferenceControllers("a");
  expect(nodes.statusController.deployment).toBeDefined();
  expect(nodes.podPluginWebhook.configuration).toBeUndefined();
});
