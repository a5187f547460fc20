import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { installLooseCrd } from "../../runtime/epp/sources/served-kinds.fixture.ts";
import { label } from "../../sdk/names.ts";
import { planLLMServerPool } from "../../sdk/plan/pools/pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { llmServerPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { connect } from "../../testing/api/api-client.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import { crdsWithOwn } from "../../testing/api/install-crds.ts";
import { collectionPath } from "../../testing/object-path.ts";
import { type PickerProcess, startRuntime } from "../../testing/pods/picker-process.ts";
import { startDeploymentController } from "../../testing/stand-ins/deployment.ts";
import type { StandIn } from "../../testing/stand-ins/stand-in.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";

/** The models of a pool while it serves: adapters that go, objects that come, change, break and go. */

const network = `127.${200 + (process.pid % 50)}.9`;
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-models-"));
const servicesPath = "/apis/inference.x-k8s.io/v1alpha1/namespaces/default/llmservices";
const rewritesPath = "/apis/llm-d.ai/v1alpha2/namespaces/default/inferencemodelrewrites";

let cluster: Cluster;
let traffic: LiveTraffic;
let controller: PickerProcess;
let deployments: StandIn;

beforeAll(async () => {
  cluster = await startCluster({
    crds: await crdsWithOwn(["inference.networking.k8s.io", "gateway.networking.k8s.io"]),
  });
  // Its rewrites may be as broken as no schema of ours lets them be.
  await installLooseCrd(cluster, {
    group: "llm-d.ai",
    versions: ["v1alpha2"],
    kind: "InferenceModelRewrite",
  });
  const plan = planLLMServerPool(
    parseKind(llmServerPoolSpecKind, {
      metadata: { name: "llama" },
      spec: { modelServerSelector: { app: "llama" }, endpointPicker: { strategy: "queue-size" } },
    }),
  );
  for (const manifest of plan) await cluster.request("POST", collectionPath(manifest), manifest);
  await create("/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes", {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "llama" },
    spec: {
      parentRefs: [{ name: "gateway" }],
      rules: [
        {
          backendRefs: [
            { group: "inference.networking.k8s.io", kind: "InferencePool", name: "llama" },
          ],
        },
      ],
    },
  });
  await writePod("llama-1", { app: "llama" }, `${network}.1`);
  await writePod("llama-2", { app: "llama" }, `${network}.2`);
  traffic = await startLiveTraffic({
    ...{ kubeconfig: cluster.kubeconfig, namespace: "default", folder },
    serverOf: () => ({
      adapters: ["v1", "v2"],
      ...{ stepMs: 1, adapterLoadMs: 1, prefillTokensPerSecond: 1e7 },
    }),
  });
  const [picker] = traffic.pickers.values();
  deployments = await startDeploymentController(connect(cluster), {
    namespace: "default",
    onError: (error) => console.error(error),
  });
  await isReady(await podOfPicker(), "127.0.0.1");
  controller = await startRuntime("status-controller", {
    args: [
      ...["--leader-elect=false", "--metrics-port=0", "--health-port=0"],
      ...["--picker-metrics-interval=200ms", `--picker-metrics-port=${picker?.ports.metrics}`],
    ],
    env: { KUBECONFIG: cluster.kubeconfig },
  });
}, 180_000);
afterAll(async () => {
  await controller?.stop();
  await deployments?.stop();
  await traffic?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const create = (path: string, object: object) => cluster.request("POST", path, object);
const patch = (path: string, change: object) =>
  cluster.request("PATCH", path, change, mergePatchType);
const remove = (path: string) => cluster.request("DELETE", path);

const pods = "/api/v1/namespaces/default/pods";

async function writePod(name: string, labels: object, podIP: string): Promise<void> {
  const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
  await create(pods, { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec });
  await isReady(name, podIP);
}

async function isReady(name: string, podIP: string): Promise<void> {
  const conditions = [{ type: "Ready", status: "True" }];
  await patch(`${pods}/${name}/status`, { status: { podIP, podIPs: [{ ip: podIP }], conditions } });
}

/** Name of the pod that the picker's Deployment has made: the controller believes pages of no other. */
async function podOfPicker(): Promise<string> {
  const selector = encodeURIComponent(`${label.app}=llama-epp`);
  const path = `${pods}?labelSelector=${selector}`;
  for (;;) {
    const { items } = await cluster.request<{ items: Array<{ metadata: { name: string } }> }>(
      "GET",
      path,
    );
    const [pod] = items;
    if (pod !== undefined) return pod.metadata.name;
    await sleep(50);
  }
}

const llmService = (name: string, model: string, targets: readonly string[]) =>
  create(servicesPath, {
    apiVersion: "inference.x-k8s.io/v1alpha1",
    kind: "LLMService",
    metadata: { name },
    spec: {
      models: [{ name: model, targetModels: targets.map((target) => ({ name: target })) }],
      poolRef: [{ name: "llama" }],
    },
  });

const rewrite = (name: string, rules: unknown) =>
  create(rewritesPath, {
    apiVersion: "llm-d.ai/v1alpha2",
    kind: "InferenceModelRewrite",
    metadata: { name },
    spec: { poolRef: { name: "llama" }, rules },
  });

/** The prompt is the requested model, so that servers can record it. */
const answer = (model: string): Promise<string> =>
  traffic.client.completions.create({ model, prompt: model, max_tokens: 1 }).then(
    () => "served",
    (error: { status?: number }) => String(error.status ?? error),
  );

/** Models that servers received for a requested model. */
const targetsOf = (model: string): string[] => [
  ...new Set(
    traffic.servers.flatMap(({ server }) =>
      server.served
        .filter(({ body }) => (JSON.parse(body) as { prompt: string }).prompt === model)
        .map((served) => served.model),
    ),
  ),
];

interface Conditions {
  readonly status?: {
    readonly conditions?: ReadonlyArray<Record<"type" | "status" | "reason" | "message", string>>;
  };
}

async function condition(path: string, type: string): Promise<string> {
  const { status } = await cluster.request<Conditions>("GET", path);
  const found = status?.conditions?.find((each) => each.type === type);
  return `${found?.status}/${found?.reason}: ${found?.message}`;
}

const soon = { timeout: 20_000, interval: 50 };

it("the status lists an unloaded adapter until a server has it again", async () => {
  await llmService("chat", "chat", ["v2"]);
  const path = `${servicesPath}/chat`;
  await expect.poll(() => answer("chat"), soon).toBe("served");
  await expect.poll(() => condition(path, "TargetsServed"), soon).toMatch(/^True\/TargetsServed/);
  const loaded = traffic.servers.map(({ server }) => server.adapters);
  for (const adapters of loaded) adapters.delete("v2");
  expect(await answer("chat")).toBe("404");
  await expect
    .poll(() => condition(path, "TargetsServed"), soon)
    .toMatch(/^False\/TargetNotFound: .*\bv2\b.*llama-[12]/);
  for (const adapters of loaded) adapters.add("v2");
  const afterRequest = async () => {
    expect(await answer("chat")).toBe("served");
    return condition(path, "TargetsServed");
  };
  await expect.poll(afterRequest, soon).toMatch(/^True\/TargetsServed/);
  await remove(path);
}, 60_000);

it("created, changed, invalid and deleted objects do not disturb other services under load", async () => {
  await llmService("steady", "steady", ["v1"]);
  await expect.poll(() => answer("steady"), soon).toBe("served");
  const answers: string[] = [];
  let changing = true;
  const load = Array.from({ length: 4 }, async () => {
    while (changing) answers.push(await answer("steady"));
  });
  const broken: unknown[] = [
    [{ matches: [{ model: { value: "steady" } }] }],
    [{ matches: [{ model: { value: "steady" } }], targets: [] }],
    [{ matches: [{ model: {} }], targets: [{ modelRewrite: "v2" }] }],
    "rules",
    [{ matches: [{ model: { value: "steady" } }], targets: "v2" }],
  ];
  for (const [at, rules] of broken.entries()) await rewrite(`broken-${at}`, rules);
  for (const [at, rules] of broken.entries()) {
    const model = `moving-${at}`;
    await llmService(model, model, ["v1"]);
    // The younger LLMService loses: if both are of the same second, the name decides. No server has its target.
    await llmService("younger", "steady", ["nothing"]);
    await rewrite("moving", [
      { matches: [{ model: { value: model } }], targets: [{ modelRewrite: "v2" }] },
    ]);
    const afterRequest = async () => {
      await answer(model);
      return targetsOf(model);
    };
    await expect.poll(afterRequest, soon).toContain("v2");
    await patch(`${rewritesPath}/moving`, { spec: { rules } });
    await remove(`${servicesPath}/${model}`);
    await expect.poll(() => answer(model), soon).toBe("404");
    await remove(`${rewritesPath}/moving`);
    await remove(`${servicesPath}/younger`);
  }
  changing = false;
  await Promise.all(load);
  expect(answers.length).toBeGreaterThan(20);
  expect(new Set(answers)).toEqual(new Set(["served"]));
  expect(targetsOf("steady")).toEqual(["v1"]);
  await expect
    .poll(() => condition(`${servicesPath}/steady`, "Accepted"), soon)
    .toMatch(/^True\/Accepted/);
}, 60_000);
