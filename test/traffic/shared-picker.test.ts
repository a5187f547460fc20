import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppsV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label, lwsLabel } from "../../sdk/names.ts";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import { planInferenceRoute } from "../../sdk/plan/models/models.ts";
import { planSharedEndpointPicker } from "../../sdk/plan/picker/shared-picker.ts";
import { planLLMServerPool } from "../../sdk/plan/pools/pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import {
  inferenceRouteSpecKind,
  llmServerPoolSpecKind,
  sharedEndpointPickerSpecKind,
} from "../../sdk/validate/spec-kinds.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { type Envoy, type HttpRoute, startEnvoy } from "../../testing/envoy/start.ts";
import { type ModelServer, startModelServer } from "../../testing/model-server/model-server.ts";
import { collectionPath } from "../../testing/object-path.ts";
import { startDeployedPicker } from "../../testing/pods/deployed-picker.ts";
import type { PickerProcess } from "../../testing/pods/picker-process.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { router, worker } from "../../testing/samples/sample-service.ts";

/**
 * Pools, and an InferenceService, that share one picker's process: the planned objects on a real API server, requests through
 * Envoy.
 */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-shared-picker-"));
/** The last one is created later. */
const names = ["a", "b", "c", "late"] as const;
/** An InferenceService, and its pool. */
const [svc, svcPool] = ["svc", "svc-pool"] as const;
type Name = (typeof names)[number] | typeof svc;

let cluster: AttachedCluster;
let namespace: string;
let ports: ReadonlyMap<Name, number>;
let picker: PickerProcess;
let envoy: Envoy;
let client: OpenAI;
const servers = new Map<string, ModelServer>();

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster, "shared-picker");
  const free = await freePorts(names.length + 1);
  ports = new Map([...names, svc].map((name, at) => [name, free[at] as number]));
  for (const manifest of planSharedEndpointPicker(
    parseKind(sharedEndpointPickerSpecKind, { metadata: { name: "shared", namespace }, spec: {} }),
  ))
    await create(manifest);
  const plans = new Map(names.map((name) => [name, planPool(name)]));
  for (const name of ["a", "b", "c"] as const)
    for (const manifest of plans.get(name) ?? []) await create(manifest);
  const service = planService();
  const pool = service.filter(({ kind }) => kind === "InferencePool");
  for (const manifest of pool) await create(manifest);
  for (const [at, name] of names.entries()) await startServer(name, `${at + 1}`);
  await startServer(svc, `${names.length + 1}`, podLabels);
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const [core, apps] = [config.makeApiClient(CoreV1Api), config.makeApiClient(AppsV1Api)];
  const place = { kubeconfig: cluster.kubeconfig, namespace, folder };
  picker = await startDeployedPicker({ place, core, apps, name: "shared-epp" });
  const route = planInferenceRoute(
    parseKind(inferenceRouteSpecKind, {
      metadata: { name: "pools", namespace },
      spec: {
        parentRefs: [{ name: "gateway" }],
        rules: names.map((name) => ({
          matches: [{ path: { value: "/" }, headers: [{ name: "x-pool", value: name }] }],
          pools: [{ name }],
        })),
      },
    }),
  ) as unknown as HttpRoute[];
  const own = service.filter(({ kind }) => kind === "HTTPRoute") as unknown as HttpRoute[];
  // Envoy takes one route for all host names.
  const rules = [...route, ...own].flatMap(({ spec }) => (spec as { rules: object[] }).rules);
  envoy = await startEnvoy({
    httpRoutes: route.map((each) => ({ ...each, spec: { ...(each.spec as object), rules } })),
    pools: [
      ...names.map((name) => ({
        pool: plans.get(name)?.find(({ kind }) => kind === "InferencePool") as never,
        picker: `127.0.0.1:${ports.get(name)}`,
      })),
      { pool: pool[0] as never, picker: `127.0.0.1:${ports.get(svc)}` },
    ],
  });
  client = new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 });
}, 300_000);
afterAll(async () => {
  await envoy?.stop();
  await picker?.stop();
  for (const server of servers.values()) await server.stop();
  cluster?.detach();
  rmSync(folder, { recursive: true, force: true });
});

const soon = { timeout: 60_000, interval: 100 };

const create = (manifest: Manifest) =>
  cluster.request("POST", collectionPath(manifest), {
    ...manifest,
    metadata: { ...manifest.metadata, namespace },
  });

const planPool = (name: Name, more: object = {}): Manifest[] =>
  planLLMServerPool(
    parseKind(llmServerPoolSpecKind, {
      metadata: { name, namespace },
      spec: {
        modelServerSelector: { app: name },
        allowUnregisteredModels: true,
        endpointPicker: { shared: { name: "shared", port: ports.get(name) }, ...more },
      },
    }),
  );

/** A service whose router shares the picker, with the route to its pool. */
const planService = (): Manifest[] =>
  planInferenceService({
    metadata: { name: svc, namespace },
    spec: {
      roles: [
        worker(),
        router({
          shared: { name: "shared", port: ports.get(svc) },
          httproute: {
            parentRefs: [{ name: "gateway" }],
            rules: [
              { matches: [{ path: { value: "/" }, headers: [{ name: "x-pool", value: svc }] }] },
            ],
          },
        }),
      ],
    },
  });

/** Labels of a leader of the service. */
const podLabels = {
  [label.service]: svc,
  [label.componentType]: "worker",
  [lwsLabel.workerIndex]: "0",
};

const pools = () => `/apis/inference.networking.k8s.io/v1/namespaces/${namespace}/inferencepools`;

/** A pod of a pool, and the server that would run in it. */
async function startServer(app: string, last: string, labels: object = { app }): Promise<void> {
  const ip = `127.${100 + (process.pid % 50)}.13.${last}`;
  const server = await startModelServer({ ip, port: 8000, anyModel: true, stepMs: 2 });
  servers.set(app, server);
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  await cluster.request("POST", pods, {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: app, labels },
    spec: { nodeName: "node", containers: [{ name: "c", image: "i" }] },
  });
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions };
  await cluster.request("PATCH", `${pods}/${app}/status`, { status }, mergePatchType);
}

const page = async <T>(path: string) =>
  (await (await fetch(`http://127.0.0.1:${picker.ports.metrics}${path}`)).json()) as T;

const served = async () => {
  const { served } = await page<{ served: string[] }>("/debug/pools");
  return served.sort();
};

const ask = (pool: Name, prompt: string) =>
  client.completions.create(
    { model: `model of ${pool}`, prompt, max_tokens: 2 },
    { headers: { "x-pool": pool } },
  );

/** The status of a request for a pool. */
const statusOf = (pool: Name) =>
  ask(pool, "Are you there?").then(
    () => 200,
    (error: { status?: number }) => error.status,
  );

/** Streams `tokens` tokens, one every two milliseconds. Resolves with the number of words received. */
async function stream(pool: Name, tokens: number, onFirst: () => void): Promise<number> {
  const answer = await client.completions.create(
    { model: "m", prompt: `a stream of ${tokens}`, max_tokens: tokens, stream: true },
    { headers: { "x-pool": pool } },
  );
  let count = 0;
  for await (const { choices } of answer) {
    if ((choices[0]?.text ?? "") === "") continue;
    count += 1;
    if (count === 1) onFirst();
  }
  return count;
}

it("each pool's requests are sent to its own servers", async () => {
  await expect.poll(served, soon).toEqual(["a", "b", "c", svcPool]);
  for (const pool of ["a", "b", "c", svc] as const) {
    const prompt = `of pool ${pool} alone`;
    await expect.poll(() => statusOf(pool), soon).toBe(200);
    await ask(pool, prompt);
    const takers = [...servers].filter(([, server]) =>
      server.served.some(({ body }) => body.includes(prompt)),
    );
    expect(takers.map(([name]) => name)).toEqual([pool]);
  }
});

it("metrics and pages have the pool of each value", async () => {
  const text = await (await fetch(`http://127.0.0.1:${picker.ports.metrics}/metrics`)).text();
  const totals = [
    ...text.matchAll(
      /^llm_d_epp_request_total\{model_name="model of (\w+)",.*inference_pool="([\w-]+)"\} \d+$/gm,
    ),
  ];
  expect(totals.map(([, model, pool]) => [model, pool]).sort()).toEqual([
    ["a", "a"],
    ["b", "b"],
    ["c", "c"],
    [svc, svcPool],
  ]);
  expect(text.match(/^# TYPE process_resident_memory_bytes /gm)).toHaveLength(1);
  const states = await page<Record<string, { endpoints: unknown[] }>>("/debug/state?pool=b");
  expect(Object.keys(states)).toEqual(["b"]);
  expect(states.b?.endpoints).toHaveLength(1);
  const { last = [] } = await page<{ last?: object[] }>("/debug/explain");
  expect(new Set(last.map((each) => (each as { model: string }).model))).toEqual(
    new Set(["model of a", "model of b", "model of c", `model of ${svc}`]),
  );
});

describe("open streams continue while", () => {
  /** Does something while each pool streams, and expects every stream whole. */
  async function whileStreaming(change: () => Promise<unknown>): Promise<void> {
    const tokens = 1_000;
    let begun = 0;
    const streams = (["a", "b", "c"] as const).map((pool) =>
      stream(pool, tokens, () => {
        begun += 1;
      }),
    );
    await expect.poll(() => begun, soon).toBe(3);
    await change();
    expect(await Promise.all(streams)).toEqual([tokens, tokens, tokens]);
  }

  it("a pool is created", async () => {
    expect(await statusOf("late")).not.toBe(200);
    await whileStreaming(async () => {
      for (const manifest of planPool("late")) await create(manifest);
      await expect.poll(served, soon).toEqual(["a", "b", "c", "late", svcPool]);
    });
    await expect.poll(() => statusOf("late"), soon).toBe(200);
  });

  it("a pool gets another configuration", async () => {
    const before = await page<Record<string, object>>("/debug/flows");
    expect(Object.keys(before)).toContain("b");
    const changed = planLLMServerPool(
      parseKind(llmServerPoolSpecKind, {
        metadata: { name: "b", namespace },
        spec: {
          modelServerSelector: { app: "b" },
          allowUnregisteredModels: true,
          flowControl: { enabled: false },
          endpointPicker: { shared: { name: "shared", port: ports.get("b") } },
        },
      }),
    ).find(({ kind }) => kind === "InferencePool");
    await whileStreaming(async () => {
      const { annotations } = changed?.metadata ?? {};
      await cluster.request("PATCH", `${pools()}/b`, { metadata: { annotations } }, mergePatchType);
      await expect
        .poll(async () => Object.keys(await page<Record<string, object>>("/debug/flows")), soon)
        .not.toContain("b");
    });
    expect(await statusOf("b")).toBe(200);
  });

  it("a pool is deleted and the others stay", async () => {
    await whileStreaming(async () => {
      await cluster.request("DELETE", `${pools()}/c`);
      await expect.poll(served, soon).toEqual(["a", "b", "late", svcPool]);
    });
    await expect.poll(() => statusOf("c"), soon).not.toBe(200);
    expect(await statusOf("a")).toBe(200);
  });
});

it("a pool with the port of another pool is refused, and served once the other pool is deleted", async () => {
  const rival = planPool("c").map((manifest) =>
    manifest.kind === "InferencePool"
      ? {
          ...manifest,
          spec: {
            ...(manifest.spec as object),
            endpointPickerRef: { name: "shared-epp", port: { number: ports.get("late") } },
          },
        }
      : manifest,
  );
  for (const manifest of rival.filter(({ kind }) => kind === "InferencePool"))
    await create(manifest);
  const refused = async () =>
    (await page<{ refused: Record<string, string> }>("/debug/pools")).refused;
  await expect
    .poll(refused, soon)
    .toEqual({ c: `port ${ports.get("late")} belongs to pool late; use another port` });
  await cluster.request("DELETE", `${pools()}/late`);
  await expect.poll(served, soon).toEqual(["a", "b", "c", svcPool]);
  expect(await refused()).toEqual({});
});
