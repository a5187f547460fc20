import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { type AttachedCluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installOwnCrds } from "../../../testing/api/install-crds.ts";
import { sharedCluster } from "../../../testing/clusters/shared-cluster.ts";
import { conditionsOf, eventually, Scene } from "./controller.fixture.ts";
import { pageReader } from "./read-page.ts";

const poolApi = "inference.networking.k8s.io/v1";
const modelApi = "inference.x-k8s.io/v1alpha1";
const rewriteApi = "inference.networking.x-k8s.io/v1alpha2";

let cluster: AttachedCluster;
let scene: Scene;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
beforeEach(async () => {
  scene = new Scene(cluster, await freshNamespace(cluster, "pools"));
});
afterEach(() => scene.end());
afterAll(() => cluster?.detach());

const pool = (name: string, selector = { app: name }, annotations = {}) =>
  scene.apply({
    apiVersion: poolApi,
    kind: "InferencePool",
    metadata: { name, annotations },
    spec: {
      selector: { matchLabels: selector },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: `${name}-epp`, port: { number: 9002 } },
    },
  } as never);

const llmService = (name: string, models: object[], pools: object[] = [{ name: "p" }]) =>
  scene.apply({
    apiVersion: modelApi,
    kind: "LLMService",
    metadata: { name },
    spec: { models, poolRef: pools },
  } as never);

const serverPool = (name: string, modelServerSelector: object) =>
  scene.apply({
    apiVersion: modelApi,
    kind: "LLMServerPool",
    metadata: { name },
    spec: { modelServerSelector },
  } as never);

const rewrite = (name: string, model: string, apiVersion = rewriteApi) =>
  scene.apply({
    apiVersion,
    kind: "InferenceModelRewrite",
    metadata: { name },
    spec: {
      poolRef: { name: "p" },
      rules: [
        {
          matches: [{ model: { value: model } }],
          [apiVersion.endsWith("v1alpha1") ? "split" : "targets"]: [{ modelRewrite: "t" }],
        },
      ],
    },
  } as never);

const pod = async (name: string, labels: object, ready: boolean, more: object = {}) => {
  const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
  const podIP = "127.0.0.1";
  await cluster.request("POST", scene.path("v1", "pods"), {
    metadata: { name, labels, ...more },
    spec,
  });
  await scene.report(scene.path("v1", "pods", name), {
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
  });
};

const remove = (api: string, plural: string, name: string) =>
  cluster.request("DELETE", scene.path(api, plural, name));

const statusOf = async (api: string, plural: string, name: string) =>
  (await scene.get(api, plural, name)).status;
const service = (name: string) => statusOf(modelApi, "llmservices", name);
const accepted = async (name: string) => {
  const { conditions = [] } = (await service(name)) ?? {};
  const { status, reason, message } = conditions.find(({ type }) => type === "Accepted") ?? {};
  return `${status}/${reason}: ${message?.replaceAll(scene.namespace, "ns")}`;
};

describe("LLMServices", () => {
  it("a name belongs to the oldest LLMService, and to the next one after its deletion", async () => {
    await llmService("a", [{ name: "m" }, { name: "a" }]);
    scene.start();
    await eventually(() => accepted("a")).toBe(
      "False/PoolNotFound: ns/p: InferencePool ns/p does not exist",
    );
    await pool("p");
    await eventually(() => accepted("a")).toBe("True/Accepted: every model is registered on ns/p");
    await llmService("b", [{ name: "m" }, { name: "b" }]);
    await eventually(() => accepted("b")).toBe("False/NameTaken: ns/p: m is registered by ns/a");
    expect((await service("b"))?.pools).toMatchObject([
      { namespace: scene.namespace, name: "p", conditions: [{ reason: "NameTaken" }] },
    ]);
    expect(await accepted("a")).toMatch(/^True/);
    await remove(modelApi, "llmservices", "a");
    await eventually(() => accepted("b")).toMatch(/^True\/Accepted/);
    await remove(poolApi, "inferencepools", "p");
    await eventually(() => accepted("b")).toMatch(/^False\/PoolNotFound/);
  });

  it("an LLMService has a separate Accepted condition for each of its pools", async () => {
    await pool("p");
    await pool("q");
    await llmService("a", [{ name: "m" }], [{ name: "q" }]);
    scene.start();
    await eventually(() => accepted("a")).toMatch(/^True/);
    await llmService("both", [{ name: "m" }], [{ name: "p" }, { name: "q" }]);
    const ofPools = async () =>
      (await service("both"))?.pools?.map(
        ({ name, conditions: [said] }) => `${name}: ${said?.status}/${said?.reason}`,
      );
    await eventually(ofPools).toEqual(["p: True/Accepted", "q: False/NameTaken"]);
    expect(await accepted("both")).toBe("False/NameTaken: ns/q: m is registered by ns/a");
    await remove(modelApi, "llmservices", "a");
    await eventually(ofPools).toEqual(["p: True/Accepted", "q: True/Accepted"]);
  });

  it("an LLMService in another namespace is accepted only while the pool admits the namespace", async () => {
    const other = new Scene(cluster, await freshNamespace(cluster, "other"));
    const here = scene;
    scene = other;
    await pool("p");
    scene = here;
    await llmService("a", [{ name: "m" }], [{ name: "p", namespace: other.namespace }]);
    scene.start({ namespaces: [here.namespace, other.namespace] });
    await eventually(() => accepted("a")).toMatch(/^False\/NamespaceNotAllowed/);
    const admit = (namespaces: string, more: Record<string, string> = {}) =>
      cluster.request(
        "PATCH",
        other.path(poolApi, "inferencepools", "p"),
        {
          metadata: {
            annotations: { "pulumi-inference/allowed-namespaces": namespaces, ...more },
          },
        },
        mergePatchType,
      );
    await admit(`x,${here.namespace}`);
    await eventually(() => accepted("a")).toMatch(
      /^False\/NameNotAllowed: other-.*\/p: m may be a model of the pool itself/,
    );
    await admit(`x,${here.namespace}`, { "pulumi-inference/reserved-models": "[]" });
    await eventually(() => accepted("a")).toMatch(/^True\/Accepted/);
    await admit("x");
    await eventually(() => accepted("a")).toMatch(/^False\/NamespaceNotAllowed/);
    await other.end();
  });

  it("an LLMService reports objectives and missing targets from the pickers' metrics", async () => {
    let pages = "";
    const server: Server = createServer((_, response) => response.end(pages));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const labels = `pool="${scene.namespace}/p",llm_service="${scene.namespace}/a",model_name="m"`;
    const perToken = "llm_service_latency_per_output_token";
    const page = (p95: number, missing: number) => `
llm_service_requests_total{${labels},target_model_name="m-v2"} 7
${perToken}_objective_seconds{${labels}} 0.05
${perToken}_p95_seconds{${labels}} ${p95}
llm_d_epp_model_target_missing{${labels},target_model_name="m-v2",namespace="ns",pod="x"} ${missing}
`;
    await pool("p");
    await pod("epp", {}, false, await scene.pickerOwner("p-epp"));
    await llmService("a", [
      {
        name: "m",
        targetModels: [{ name: "m-v2" }],
        objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
      },
    ]);
    const controller = scene.start({ readPage: pageReader(port) });
    const said = async () => conditionsOf(await service("a")).slice(1);
    await eventually(said).toEqual([
      "ObjectiveMet=Unknown/MetricsUnavailable",
      "TargetsServed=Unknown/MetricsUnavailable",
    ]);
    await scene.report(scene.path("v1", "pods", "epp"), {
      conditions: [{ type: "Ready", status: "True" }],
    });
    const afterPolling = async () => {
      await controller.pollPickers();
      return said();
    };
    pages = page(0.04, 0);
    await eventually(afterPolling).toEqual([
      "ObjectiveMet=True/ObjectiveMet",
      "TargetsServed=True/TargetsServed",
    ]);
    pages = page(0.09, 1);
    await eventually(afterPolling).toEqual([
      "ObjectiveMet=False/ObjectiveMissed",
      "TargetsServed=False/TargetNotFound",
    ]);
    pages = page(0.04, 0);
    await eventually(afterPolling).toEqual([
      "ObjectiveMet=True/ObjectiveMet",
      "TargetsServed=True/TargetsServed",
    ]);
    server.close();
  });

  it("an LLMService names the cause while no pod of its pool is ready", async () => {
    await pool("p");
    await llmService("a", [{ name: "m" }]);
    await pod("x", { app: "p" }, false);
    await scene.report(scene.path("v1", "pods", "x"), {
      containerStatuses: [
        {
          ...{ name: "c", image: "i", imageID: "", ready: false, restartCount: 0 },
          state: { waiting: { reason: "ErrImagePull", message: "i: not found" } },
        },
      ],
    });
    scene.start();
    const said = async () => {
      const { reason, message } = (await service("a"))?.conditions?.at(-1) ?? {};
      return `${reason}: ${message?.replaceAll(scene.namespace, "ns")}`;
    };
    const cause = "pool ns/p: 0 of 1 pods ready, pod x: ErrImagePull: image i: not found";
    await eventually(said).toBe(`NoReadyPods: ${cause}`);
    await pod("y", { app: "p" }, true);
    await eventually(said).toMatch(/^MetricsUnavailable/);
  });

  it("a new LLMService causes one write to its own status, and none to the status of an older one", async () => {
    await pool("p");
    await llmService("a", [{ name: "m" }]);
    scene.start();
    await eventually(async () => (await service("a"))?.conditions?.at(-1)?.message).toMatch(
      /no pod of its endpoint picker is ready/,
    );
    const before = scene.writes().length;
    for (const name of ["b", "c", "d"]) await llmService(name, [{ name: "m" }]);
    for (const name of ["b", "c", "d"])
      await eventually(() => accepted(name)).toMatch(/^False\/NameTaken/);
    expect(scene.writes().slice(before).sort()).toEqual(
      ["b", "c", "d"].map((name) => `patch llmservices/${name}/status`),
    );
  });
});

describe("LLMServerPools", () => {
  const status = (name: string) => statusOf(modelApi, "llmserverpools", name);
  const said = async (name: string) => conditionsOf(await status(name));

  it("an LLMServerPool counts its endpoints and reports pods that another pool also selects", async () => {
    await serverPool("p", { app: "m" });
    await pod("x", { app: "m", tier: "gold" }, true);
    scene.start();
    await eventually(() => said("p")).toEqual([
      "Accepted=False/PoolNotFound",
      "Overlapping=False/NoSharedPods",
      "PodsReady=True/PodsReady",
    ]);
    await pool("p", { app: "m" });
    await pod("y", { app: "m" }, false);
    await eventually(async () => (await status("p"))?.endpoints).toEqual({ known: 2, ready: 1 });
    expect(await said("p")).toEqual([
      "Accepted=True/Accepted",
      "Overlapping=False/NoSharedPods",
      "PodsReady=True/PodsReady",
    ]);
    await pool("q", { tier: "gold" } as never);
    await eventually(() => said("p")).toEqual([
      "Accepted=True/Accepted",
      "Overlapping=True/SharedPods",
      "PodsReady=True/PodsReady",
    ]);
    expect((await status("p"))?.conditions?.[1]?.message).toBe(
      "InferencePool q also selects pod x",
    );
    await remove("v1", "pods", "x?gracePeriodSeconds=0");
    await eventually(() => said("p")).toEqual([
      "Accepted=True/Accepted",
      "Overlapping=False/NoSharedPods",
      "PodsReady=False/NoReadyPods",
    ]);
    expect((await status("p"))?.endpoints).toEqual({ known: 1, ready: 0 });
    expect(scene.writes().filter((write) => write.includes("inferencepools"))).toEqual([]);
  });

  it("two LLMServerPools that select the same pod report each other until one selector changes", async () => {
    const overlapping = async () =>
      Promise.all(
        ["p", "q"].map(async (name) => {
          const { conditions = [] } = (await status(name)) ?? {};
          return conditions.find(({ type }) => type === "Overlapping")?.message;
        }),
      );
    const none = "no pod belongs to another pool";
    await pod("x", { app: "m", tier: "gold" }, true);
    await pool("p", { app: "m" });
    await serverPool("p", { app: "m" });
    await pool("q", { tier: "gold" } as never);
    await serverPool("q", { tier: "gold" });
    scene.start();
    await eventually(overlapping).toEqual([
      "InferencePool q also selects pod x",
      "InferencePool p also selects pod x",
    ]);
    const others = { app: null, tier: "silver" };
    for (const [path, spec] of [
      [scene.path(poolApi, "inferencepools", "q"), { selector: { matchLabels: others } }],
      [scene.path(modelApi, "llmserverpools", "q"), { modelServerSelector: others }],
    ] as const)
      await cluster.request("PATCH", path, { spec }, mergePatchType);
    await eventually(overlapping).toEqual([none, none]);
  });
});

describe("InferenceModelRewrites", () => {
  const said = async (name: string) =>
    conditionsOf(await statusOf(rewriteApi, "inferencemodelrewrites", name));

  it("an InferenceModelRewrite is pending, then accepted, and overridden by an earlier one", async () => {
    await rewrite("a", "m");
    expect(await said("a")).toEqual(["Accepted=Unknown/Pending"]);
    scene.start();
    await eventually(() => said("a")).toEqual([
      "Accepted=False/RefNotResolved",
      "Overridden=False/NotOverridden",
      "ResolvedRefs=False/PoolNotFound",
    ]);
    await pool("p");
    const good = [
      "Accepted=True/Accepted",
      "Overridden=False/NotOverridden",
      "ResolvedRefs=True/ResolvedRefs",
    ];
    await eventually(() => said("a")).toEqual(good);
    await rewrite("b", "m", "inference.networking.x-k8s.io/v1alpha1");
    await eventually(() => said("b")).toEqual([
      "Accepted=False/RuleOverridden",
      "Overridden=True/RuleOverridden",
      "ResolvedRefs=True/ResolvedRefs",
    ]);
    await remove(rewriteApi, "inferencemodelrewrites", "a");
    await eventually(() => said("b")).toEqual(good);
  });
});
