import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { engineGraceSeconds } from "../../sdk/engines/spec/engine-drain.ts";
import { brokenImage, type GpuCluster } from "../../testing/clusters/gpu-cluster.ts";
import type { ModelServer } from "../../testing/model-server/model-server.ts";
import { stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { decoder, prefiller, worker } from "../../testing/samples/sample-service.ts";
import { failBrokenPods } from "./broken-pods.ts";
import { DrainedNodes } from "./drained-nodes.ts";
import { type EngineCluster, gateway, startEngineCluster } from "./engine-cluster.ts";
import { killedUps } from "./killed-ups.ts";
import { errorsOf, type RollingService, started, startRollingService } from "./rolling-service.ts";
import { imagePairs, streamService } from "./streamed-service.ts";

/**
 * Streams through a new image of services on the real controllers, in a cluster without a spare GPU: Envoy, the picker
 * and the sidecars of the plan, with SIMULATED engines that start and end as their pods do. Kubelets are STAND-INS.
 */

let cluster: EngineCluster;
let gpus: GpuCluster;

beforeAll(async () => {
  cluster = await startEngineCluster({ stepMs: 20, maxSequences: 64 });
  gpus = cluster.gpus;
}, 1_800_000);
afterAll(() => cluster?.stop());

const [first, second] = ["vllm/vllm-openai:v0.31.0", "vllm/vllm-openai:v0.32.0"] as const;

const drains = { drainSeconds: 60 };
const multinode = { nodeCount: 2 };
const threeOfTwoNodes = worker({ ...drains, replicas: 3, multinode });

type Roles = ReadonlyArray<ReturnType<typeof worker>>;

const cases = [
  ["single-node replicas", 24, [worker({ ...drains, replicas: 3 })], { inference: 2 }, 1],
  ["multi-node replicas", 48, [worker({ ...drains, replicas: 3, multinode })], { inference: 2 }, 3],
  [
    "prefillers and decoders",
    80,
    [prefiller({ ...drains, replicas: 2 }), decoder({ ...drains, replicas: 4, multinode })],
    { prefill: 1, decode: 3 },
    6,
  ],
] as const;

it.each(cases)(
  "a new image of %s loses and cuts no answer, and pairs no engines of two images",
  async (_, gpuCount, roles, lowest) => {
    const service = await startRollingService(gpus, gpuCount, [...roles, gateway]);
    await started(service, replicasOf(roles), first);
    const load = await streamService(cluster, service);
    const update = await service.up(second);
    const { errors } = await load.stop();
    expect(errorsOf(update.result)).toEqual([]);
    expect(errors).toEqual([]);
    expect(update.lowest).toEqual(lowest);
    await expectPairsOfOneImage(service, roles);
    await service.destroy();
  },
  400_000,
);

it.each(cases.filter(([of]) => of === "multi-node replicas"))(
  "a new image of %s loses and cuts no answer if up is killed after each of its writes and repeated",
  async (_, gpuCount, roles, lowest, sets) => {
    const state = stateFolder();
    const service = await startRollingService(gpus, gpuCount, [...roles, gateway], { state });
    await started(service, replicasOf(roles), first);
    const load = await streamService(cluster, service);
    const sampled = service.sampleReady();
    const killed = await killedUps({
      ...{ kubeconfig: gpus.cluster.kubeconfig, state, namespace: service.part.namespace },
      ...{ roles: [...roles, gateway], image: second },
    });
    await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual(replicasOf(roles));
    const { errors } = await load.stop();
    expect(errors).toEqual([]);
    expect(killed.filter((write) => write.includes("/leaderworkersets/"))).toHaveLength(sets);
    expect(await sampled.lowest()).toEqual(lowest);
    await expectPairsOfOneImage(service, roles);
    await service.destroy();
  },
  600_000,
);

it("a bad image and the previous one after it lose and cut no answer", async () => {
  const service = await startRollingService(gpus, 48, [threeOfTwoNodes, gateway]);
  await started(service, { inference: 3 }, first);
  const failing = failBrokenPods(gpus, service.part);
  const load = await streamService(cluster, service);
  const bad = await service.up(brokenImage);
  failing.stop();
  const back = await service.up(first);
  expect((await load.stop()).errors).toEqual([]);
  expect(errorsOf(bad.result).join("\n")).toMatch(/does not start: .*ImagePullBackOff/);
  expect(errorsOf(back.result)).toEqual([]);
  expect([bad.lowest, back.lowest]).toEqual([{ inference: 2 }, { inference: 2 }]);
  await service.destroy();
}, 400_000);

it("draining every node in turn neither loses nor cuts a response", async () => {
  // One node is free, to which the pods of a drained node move.
  const service = await startRollingService(gpus, 56, [threeOfTwoNodes, gateway]);
  await started(service, { inference: 3 }, first);
  const load = await streamService(cluster, service);
  const sampled = service.sampleReady();
  const nodes = new DrainedNodes(gpus, service.part);
  for (const node of await nodes.names()) {
    await nodes.cordon(node, true);
    await nodes.drain(node);
    await expect.poll(() => service.ready(), { timeout: 90_000 }).toEqual({ inference: 3 });
    await nodes.cordon(node, false);
  }
  expect((await load.stop()).errors).toEqual([]);
  expect(await sampled.lowest()).toEqual({ inference: 2 });
  await service.destroy();
}, 600_000);

it("the drain of a node whose engine hangs ends at the grace period, and only requests of that engine fail", async () => {
  const service = await startRollingService(gpus, 32, [
    worker({ drainSeconds: 10, replicas: 3 }),
    gateway,
  ]);
  await started(service, { inference: 3 }, first);
  const load = await streamService(cluster, service);
  const nodes = new DrainedNodes(gpus, service.part);
  const [node = ""] = await nodes.names();
  const server = await serverOn(nodes, node);
  await nodes.cordon(node, true);
  const began = Date.now();
  const drained = nodes.drain(node);
  server.hangs = true;
  let hanging = 0;
  while (server.listening || server.running > 0) {
    hanging = Math.max(hanging, server.running);
    await sleep(50);
  }
  await drained;
  const seconds = (Date.now() - began) / 1_000;
  await expect.poll(() => service.ready(), { timeout: 90_000 }).toEqual({ inference: 3 });
  const { requests } = await load.stop();
  const failed = requests.filter(({ error }) => error !== undefined);
  const last = Math.max(...failed.map(({ ended }) => ended - began)) / 1_000;
  expect(hanging).toBeGreaterThan(0);
  expect(failed).toHaveLength(hanging);
  const grace = engineGraceSeconds(10);
  expect(last).toBeGreaterThan(grace - 10);
  expect(last).toBeLessThan(grace + 5);
  expect(seconds).toBeLessThan(grace + 10);
  await service.destroy();
}, 400_000);

it("the reclaim of a node within 30 s loses and cuts no answer, and the picker stops sending to it immediately", async () => {
  const service = await startRollingService(gpus, 32, [
    worker({ ...drains, replicas: 3 }),
    gateway,
  ]);
  await started(service, { inference: 3 }, first);
  const load = await streamService(cluster, service);
  const nodes = new DrainedNodes(gpus, service.part);
  const [node = ""] = await nodes.names();
  const server = await serverOn(nodes, node);
  await nodes.cordon(node, true);
  await nodes.reclaim(node, 30);
  const deleted = Date.now();
  const running = server.running;
  let [lastSent, served] = [deleted, server.served.length];
  while ((await nodes.pods(node)).length > 0) {
    if (server.served.length > served) lastSent = Date.now();
    served = server.served.length;
    await sleep(20);
  }
  const gone = Date.now();
  await expect.poll(() => service.ready(), { timeout: 90_000 }).toEqual({ inference: 3 });
  const { errors } = await load.stop();
  expect(errors).toEqual([]);
  expect(running).toBeGreaterThan(0);
  expect(lastSent - deleted).toBeLessThan(1_000);
  expect(gone - deleted).toBeLessThan(30_000);
  await service.destroy();
}, 400_000);

/** Number of replicas by role. */
const replicasOf = (roles: Roles): Record<string, number> =>
  Object.fromEntries(
    roles.map((role) => [role.name, (role as { readonly replicas: number }).replicas]),
  );

/** Expects that the service runs the second image, and that each request was served by engines of one image. */
async function expectPairsOfOneImage(service: RollingService, roles: Roles) {
  expect(await service.images()).toEqual([second]);
  const pairs = imagePairs(cluster, service.part.namespace);
  expect(pairs.filter(([from, to]) => from !== to)).toEqual([]);
  // Engines of both images prefilled.
  if ("prefill" in replicasOf(roles))
    expect(new Set(pairs.flat())).toEqual(new Set([first, second]));
}

/** Returns the engine of the pod on a node. */
async function serverOn(nodes: DrainedNodes, node: string): Promise<ModelServer> {
  const [pod] = await nodes.pods(node);
  const engine = cluster.engines.all.find(
    ({ pod: { metadata } }) => metadata?.uid === pod?.metadata.uid,
  );
  if (engine === undefined) throw new Error(`no engine runs on ${node}`);
  return engine.server;
}
