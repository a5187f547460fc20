import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import { Workloads } from "../../runtime/programs/pod-plugin-webhook/workloads.ts";
import { clientOf } from "../../runtime/programs/status-controller/controller.fixture.ts";
import { type Manifest, planDocument, podPluginRegistry } from "../../sdk/index.ts";
import { installCrd, installOwnCrds } from "../../testing/api/install-crds.ts";
import type { LeaderWorkerSet } from "../../testing/stand-ins/objects.ts";
import type { Endpoint } from "./endpoint.ts";
import ownPlugins from "./own-plugins.fixture.ts";
import { labelsOf, PluginStage, refusal, soon, statusObject } from "./plugin-stage.fixture.ts";
import { readyHooks } from "./ready-hooks.behaviour.ts";

/** Pod plugins in a cluster: pods that the API server itself has had changed, with the permissions of the plan. */

const stage = new PluginStage();
const { made, remote, conditionsOf } = stage;
beforeAll(() => stage.start(), 120_000);
afterAll(() => stage.end());
beforeEach(() => stage.endpoint.reset());

const absent = (name: string) => expect(stage.scene.get(name)).rejects.toThrow(/404/);

describe("OnPodCreate", () => {
  it("changes each pod at its creation, by its group and role and whether it is the entry pod", async () => {
    const [lws, name] = await made([{ name: "rank", config: { prefix: "r" } }, remote()], 2);
    const leader = await stage.scene.createLeader(lws, 1);
    expect(labelsOf(leader)).toMatchObject({ rank: `r.${name}-1.w-1.entry`, touched: "yes" });
    const worker = await stage.scene.createWorker(lws, leader, 1);
    expect(labelsOf(worker)).toMatchObject({ rank: `r.${name}-1.w-1.worker`, touched: "yes" });

    expect(stage.endpoint.calls.map(({ pod: _, ...call }) => call)).toEqual(
      [true, false].map((isEntry) => ({
        version: "v1alpha1",
        hook: "OnPodCreate",
        config: { level: 3 },
        modelServing: {
          apiVersion: "fusioninfer.io/v1alpha1",
          kind: "InferenceService",
          metadata: { name, namespace: stage.namespace },
        },
        servingGroup: `${name}-1`,
        roleName: "w",
        roleID: "w-1",
        isEntry,
      })),
    );
    // The second plugin of the list has seen what the first one did.
    expect(stage.endpoint.calls[0]?.pod.metadata).toMatchObject({
      labels: { rank: `r.${name}-1.w-1.entry` },
    });
  });

  it("is not called for pods without plugins, nor for pods whose plugins ran in the plan", async () => {
    const running = await stage.scene.metrics();
    const [plain] = await made([]);
    const [shm] = await made([{ name: "shm" }]);
    for (const lws of [plain, shm]) {
      const pod = await stage.scene.createLeader(lws as LeaderWorkerSet);
      expect(pod.metadata.annotations?.["pulumi-inference/plugins-applied"]).toBeUndefined();
    }
    expect(await stage.scene.metrics()).toBe(running);
  });

  it("changes a pod although its template has a copy of the plugins-applied annotation", async () => {
    const [lws] = await made([remote()]);
    const pod = await stage.scene.createLeader(lws);
    const mark = pod.metadata.annotations?.["pulumi-inference/plugins-applied"];
    expect(mark).toMatch(/^[0-9a-f]{16}$/);
    const template = lws.spec.leaderWorkerTemplate.workerTemplate;
    template.metadata = {
      ...template.metadata,
      annotations: {
        ...template.metadata?.annotations,
        "pulumi-inference/plugins-applied": mark ?? "",
      },
    };
    const copied = await stage.scene.createLeader(lws, 1);
    expect(labelsOf(copied)).toMatchObject({ touched: "yes" });
    expect(copied.metadata.annotations?.["pulumi-inference/plugins-applied"]).not.toBe(mark);
  });

  it("writes no event for a dry run", async () => {
    const [lws] = await made([remote()]);
    stage.endpoint.answer = (_call, response) => response.writeHead(500).end();
    const said = await refusal(stage.scene.createLeader(lws, 0, "?dryRun=All"));
    expect(said).toContain("pod plugin remote: the endpoint returned status 500");
    // A refusal in earnest is written after it, and alone.
    await refusal(stage.scene.createLeader(lws));
    await expect
      .poll(() => stage.scene.eventsOn(lws, "PluginFailed"), soon)
      .toMatchObject([{ count: 1 }]);
  });
});

describe("a pod created by hand", () => {
  it("B3: is refused if its plugins are required, and no plugin is called", async () => {
    const [lws] = await made([remote()]);
    expect(await refusal(stage.scene.createByHand(lws))).toMatch(
      /pod plugins: admin does not create pods of LeaderWorkerSets \(--pod-creators\); allowed: system:serviceaccount:kube-system:statefulset-controller, system:kube-controller-manager/,
    );
    const [lenient] = await made([remote({ failurePolicy: "Ignore" })]);
    expect(labelsOf(await stage.scene.createByHand(lenient))).not.toHaveProperty("touched");
    expect(stage.endpoint.calls).toEqual([]);
  });
});

describe("a plugin that fails", () => {
  it("a failure is reported on a workload that the watch has not reported yet", async () => {
    const [lws] = await made([remote()]);
    const client = clientOf(stage.cluster);
    const none = { onChange: () => {}, onProblem: () => {} };
    // It has not begun to watch, and so has seen none.
    const workloads = new Workloads({ client, namespaces: undefined, ...none });
    const uid = (name: string) => workloads.uidOf(stage.namespace, name);
    const { metadata } = await stage.cluster.request<LeaderWorkerSet>(
      "GET",
      objectPath(kinds.LeaderWorkerSet, { ...lws.metadata, namespace: stage.namespace }),
    );
    expect(await uid(lws.metadata.name)).toBe(metadata.uid);
    expect(await uid("another")).toBeUndefined();
  });

  it("keeps the pod from being created, and the workload gets one counted event", async () => {
    const [lws] = await made([{ name: "refuser" }]);
    const name = `${lws.metadata.name}-0`;
    for (const _ of [1, 2]) {
      expect(await refusal(stage.scene.createLeader(lws))).toContain(
        'pod plugin refuser: "refuser" on role "w", entry pods: spec.containers has no sidecar; allowed: one',
      );
      await absent(name);
    }
    await expect
      .poll(() => stage.scene.eventsOn(lws, "PluginFailed"), soon)
      .toEqual([
        {
          on: `LeaderWorkerSet/${lws.metadata.name}`,
          message: expect.stringMatching(
            /^pod plugin refuser, OnPodCreate: .*; the pod is not created$/,
          ),
          count: 2,
        },
      ]);
  });

  it("with failurePolicy Ignore the pod is created without the plugin, and the workload gets an event", async () => {
    const [lws] = await made([
      { name: "rank", config: { prefix: "r" } },
      remote({ failurePolicy: "Ignore" }),
    ]);
    stage.endpoint.answer = (_call, response) => response.writeHead(500).end();
    const pod = await stage.scene.createLeader(lws);
    expect(labelsOf(pod)).toHaveProperty("rank");
    expect(labelsOf(pod)).not.toHaveProperty("touched");
    await expect
      .poll(() => stage.scene.eventsOn(lws, "PluginIgnored"), soon)
      .toMatchObject([{ message: expect.stringMatching(/; the pod is created without it$/) }]);
  });

  const patch = (...operations: object[]) => JSON.stringify({ patch: operations });
  it.each<[what: string, answer: Endpoint["answer"], reason: RegExp]>([
    ["a body that is not JSON", (_, response) => response.end("ok"), /the response is not JSON/],
    [
      "another shape",
      (_, response) => response.end('{"patches": []}'),
      /the response is not \{"patch": \[\.\.\.\]\}/,
    ],
    [
      "an unknown operation",
      (_, response) => response.end(patch({ op: "merge", path: "/spec" })),
      /not \{"patch"/,
    ],
    [
      "a redirect",
      (_, response) => response.writeHead(302, { location: stage.endpoint.url }).end(),
      /status 302/,
    ],
    [
      "too much",
      (_, response) => response.end(`"${"x".repeat(300_000)}"`),
      /longer than 262144 bytes/,
    ],
    ["nothing in time", () => {}, /no response within 1 s/],
    [
      "a patch that does not fit",
      (_, response) => response.end(patch({ op: "remove", path: "/spec/nothing" })),
      /operation 0, remove \/spec\/nothing: no value exists/,
    ],
    [
      "a failed test",
      (_, response) => response.end(patch({ op: "test", path: "/spec/hostNetwork", value: true })),
      /operation 0, test \/spec\/hostNetwork/,
    ],
    [
      "another scheduler",
      (_, response) =>
        response.end(patch({ op: "add", path: "/spec/schedulerName", value: "mine" })),
      /spec\.schedulerName changes from .* to "mine"/,
    ],
    [
      "labels of LeaderWorkerSet",
      (_, response) =>
        response.end(
          patch({
            op: "add",
            path: "/metadata/labels/leaderworkerset.sigs.k8s.io~1group-index",
            value: "7",
          }),
        ),
      /metadata\.labels\["leaderworkerset\.sigs\.k8s\.io\/group-index"\] changes from .* to "7"/,
    ],
    [
      "a privileged container",
      (_, response) =>
        response.end(
          patch({ op: "add", path: "/spec/containers/0/securityContext/privileged", value: true }),
        ),
      /securityContext\.privileged changes from absent to true/,
    ],
  ])("a pod is refused if its plugin's endpoint returns %s", async (_what, answer, reason) => {
    const [lws] = await made([remote({ timeoutSeconds: 1 })]);
    stage.endpoint.answer = answer;
    expect(await refusal(stage.scene.createLeader(lws))).toMatch(reason);
    await absent(`${lws.metadata.name}-0`);
  });

  it("a pod is refused if the URL of its plugin was allowed in the plan but is not allowed in this cluster", async () => {
    const url = "https://localhost:1/";
    const [lws] = await made([remote({ url })], 1, [url]);
    expect(await refusal(stage.scene.createLeader(lws))).toContain(
      `${url} is not among the URLs that are allowed in this cluster`,
    );
  });

  it("a pod of a workload without the annotation is refused with the fix, and created after an update", async () => {
    const { plan } = stage.planned([remote()]);
    const older = plan.map(({ metadata: { annotations: _, ...metadata }, ...rest }) => ({
      ...rest,
      metadata,
    }));
    const [lws] = await stage.scene.apply(older as Manifest[]);
    expect(await refusal(stage.scene.createLeader(lws as LeaderWorkerSet))).toMatch(
      /LeaderWorkerSet plugins-\w+\/s\d+-w has no annotation pulumi-inference\/runtime-plugins; older versions wrote a ConfigMap instead, which is not read: run pulumi up of its stack/,
    );
    const [current] = await stage.scene.apply(plan);
    expect(labelsOf(await stage.scene.createLeader(current as LeaderWorkerSet))).toMatchObject({
      touched: "yes",
    });
  });

  it.each<[what: string, told: (text: string) => string, reason: RegExp]>([
    [
      "no JSON",
      () => "{",
      /annotation pulumi-inference\/runtime-plugins cannot be read \(SyntaxError\)/,
    ],
    ["another shape", () => "{}", /annotation pulumi-inference\/runtime-plugins cannot be read/],
    [
      "plugins of another namespace",
      (text) => text.replace(`"namespace":"${stage.namespace}"`, '"namespace":"other"'),
      /contains plugins of another namespace/,
    ],
  ])(
    "a pod is refused if the annotation of its LeaderWorkerSet contains %s",
    async (_what, told, reason) => {
      const { plan } = stage.planned([remote()]);
      const changed = plan.map((manifest) => {
        const text = manifest.metadata.annotations?.["pulumi-inference/runtime-plugins"];
        if (text === undefined) return manifest;
        const annotations = { "pulumi-inference/runtime-plugins": told(text) };
        return { ...manifest, metadata: { ...manifest.metadata, annotations } };
      });
      const [lws] = await stage.scene.apply(changed);
      expect(await refusal(stage.scene.createLeader(lws as LeaderWorkerSet))).toMatch(reason);
    },
  );
});

describe("while the webhook is down", () => {
  afterEach(async () => {
    await stage.scene.stop();
    await stage.scene.start();
  });

  it("only pods with failurePolicy Ignore are created, and all pods once the webhook is back", async () => {
    const [strict] = await made([remote()]);
    const [lenient] = await made([remote({ failurePolicy: "Ignore" })]);
    await stage.scene.stop();
    expect(await refusal(stage.scene.createLeader(strict))).toMatch(/failed calling webhook/);
    await absent(`${strict.metadata.name}-0`);
    expect(labelsOf(await stage.scene.createLeader(lenient))).not.toHaveProperty("touched");
    await stage.scene.start();
    expect(labelsOf(await stage.scene.createLeader(strict))).toMatchObject({ touched: "yes" });
  });
});

readyHooks(stage);

it("an ignored failure has the event reason PluginIgnored, and the condition stays True", async () => {
  await installOwnCrds(stage.cluster);
  const [lws, service] = await made([remote({ failurePolicy: "Ignore" })]);
  const path = `/apis/fusioninfer.io/v1alpha1/namespaces/${stage.namespace}/inferenceservices`;
  await stage.cluster.request("POST", path, statusObject(service));
  stage.endpoint.answer = (_call, response) => response.writeHead(500).end();
  await stage.scene.createLeader(lws);
  await expect
    .poll(() => stage.scene.eventsOn(lws, "PluginIgnored"), soon)
    .toMatchObject([{ message: expect.stringContaining("the pod is created without it") }]);
  await expect
    .poll(() => conditionsOf(`${path}/${service}`), soon)
    .toEqual(
      expect.arrayContaining([["PluginsApplied", "True", "PluginsApplied", expect.anything()]]),
    );
});

describe("a ModelServing", () => {
  const group = "workload.kthena.io";

  it("gets the condition if its CRD is installed", async () => {
    await installCrd(stage.cluster, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `modelservings.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind: "ModelServing", plural: "modelservings", singular: "modelserving" },
        versions: [
          {
            ...{ name: "v1alpha1", served: true, storage: true, subresources: { status: {} } },
            schema: {
              openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        ],
      },
    } as never);
    const object = {
      apiVersion: `${group}/v1alpha1`,
      kind: "ModelServing",
      metadata: { name: "serving", namespace: stage.namespace },
      spec: {
        schedulerName: "default-scheduler",
        plugins: [remote()],
        template: {
          roles: [
            {
              name: "r",
              entryTemplate: { spec: { containers: [{ name: "vllm", image: "v:1" }] } },
            },
          ],
        },
      },
    };
    const path = `/apis/${group}/v1alpha1/namespaces/${stage.namespace}/modelservings`;
    await stage.cluster.request("POST", path, object);
    const podPlugins = {
      registry: podPluginRegistry(ownPlugins),
      webhookUrls: [stage.endpoint.url],
    };
    const [lws] = await stage.scene.apply(planDocument(object as never, { podPlugins }).manifests);
    stage.endpoint.answer = (_call, response) => response.writeHead(500).end();
    await refusal(stage.scene.createLeader(lws as LeaderWorkerSet));
    await expect
      .poll(() => conditionsOf(`${path}/serving`), soon)
      .toEqual(
        expect.arrayContaining([["PluginsApplied", "False", "PluginFailed", expect.anything()]]),
      );
  });
});

it("a workload gets one event per configuration with the plugins of its pods", async () => {
  const [lws] = await made(
    [
      { name: "shm", scope: { target: "Entry" } },
      { name: "model-cache", config: { from: "oci", reference: "m:1" } },
    ],
    2,
  );
  const on = `LeaderWorkerSet/${lws.metadata.name}`;
  const told = async () =>
    (await stage.scene.events("PluginsApplied")).filter((event) => event.on === on);
  await expect.poll(told, soon).toEqual([
    {
      on,
      count: 1,
      message: expect.stringMatching(
        /^entry pods are created by the plugins shm,model-cache \([0-9a-f]{10}\)$/,
      ),
    },
    {
      on,
      count: 1,
      message: expect.stringMatching(/^worker pods are created by the plugins model-cache \(/),
    },
  ]);
});

it("the service's status reports whether plugins keep pods from being created", async () => {
  await installOwnCrds(stage.cluster);
  const [lws, name] = await made([remote()]);
  const path = `/apis/fusioninfer.io/v1alpha1/namespaces/${stage.namespace}/inferenceservices`;
  await stage.cluster.request("POST", path, {
    apiVersion: "fusioninfer.io/v1alpha1",
    kind: "InferenceService",
    metadata: { name },
    spec: { roles: [{ name: "w", componentType: "worker" }] },
  });
  // This condition is the status controller's and must be left alone.
  const foreign = {
    type: "Available",
    status: "True",
    reason: "MinimumReady",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  await stage.cluster.request(
    "PATCH",
    `${path}/${name}/status`,
    { status: { conditions: [foreign] } },
    mergePatchType,
  );
  interface Service {
    status: { conditions: Array<{ type: string; status: string; message: string }> };
  }
  const conditions = async () => {
    const service = await stage.cluster.request<Service>("GET", `${path}/${name}`);
    return service.status.conditions.map(({ type, status, message }) => [type, status, message]);
  };
  const available = ["Available", "True", ""];

  stage.endpoint.answer = (_call, response) => response.writeHead(500).end();
  await refusal(stage.scene.createLeader(lws));
  await expect
    .poll(conditions, soon)
    .toEqual([
      available,
      ["PluginsApplied", "False", expect.stringContaining("status 500; the pod is not created")],
    ]);
  stage.endpoint.reset();
  // Kubernetes writes whole seconds: a pod made later is one of a later second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await stage.scene.createLeader(lws);
  await expect
    .poll(conditions, soon)
    .toEqual([
      available,
      [
        "PluginsApplied",
        "True",
        "pods of one LeaderWorkerSet are created by the service's plugins",
      ],
    ]);
});

it("renews its certificate without a pod being refused", async () => {
  const [lws] = await made([remote()]);
  await stage.scene.stop();
  await stage.scene.start("--certificate-lifetime=9s");
  const seen = new Set<string>();
  for (let group = 0; seen.size < 3; group += 1) {
    expect(labelsOf(await stage.scene.createLeader(lws, group))).toMatchObject({ touched: "yes" });
    const [bundle = ""] = await stage.scene.bundles();
    seen.add(bundle.slice(0, 300));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stage.scene.stop();
  await stage.scene.start();
}, 60_000);
