import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { label } from "../../sdk/topology/names.ts";
import { brokenImage, type GpuCluster } from "../../testing/gpu-cluster.ts";
import { decoder, prefiller, worker } from "../../testing/sample-service.ts";
import { isDeleting } from "../../testing/stand-ins/objects.ts";
import { startRate } from "../traffic/steady-load.ts";
import { streamAnswer } from "../traffic/streams.ts";
import { failBrokenPods } from "./broken-pods.ts";
import { type EngineCluster, gateway, startEngineCluster } from "./engine-cluster.ts";
import { errorsOf, type RollingService, started, startRollingService } from "./rolling-service.ts";

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

const perSecond = 30;
/** Most answers take half a second; one in ten takes 8 s, longer than the notice that an engine gets. */
const tokens = { short: 25, long: 400 };

const [first, second] = ["vllm/vllm-openai:v0.31.0", "vllm/vllm-openai:v0.32.0"] as const;

const drains = { drainSeconds: 60 };
const multinode = { nodeCount: 2 };
const threeOfTwoNodes = worker({ ...drains, replicas: 3, multinode });

it.each([
  ["single-node replicas", 24, [worker({ ...drains, replicas: 3 })], { inference: 2 }],
  ["multi-node replicas", 48, [worker({ ...drains, replicas: 3, multinode })], { inference: 2 }],
  [
    "prefillers and decoders",
    80,
    [prefiller({ ...drains, replicas: 2 }), decoder({ ...drains, replicas: 4, multinode })],
    { prefill: 1, decode: 3 },
  ],
] as const)(
  "a new image of %s loses and cuts no answer, and pairs no engines of two images",
  async (_, gpuCount, roles, lowest) => {
    const service = await startRollingService(gpus, gpuCount, [...roles, gateway]);
    const all = Object.fromEntries(roles.map(({ name, replicas }) => [name, replicas]));
    await started(service, all as Record<string, number>, first);
    const load = await stream(service);
    const update = await service.up(second);
    const errors = await load.stop();
    expect(errorsOf(update.result)).toEqual([]);
    expect(errors).toEqual([]);
    expect(update.lowest).toEqual(lowest);
    expect(await service.images()).toEqual([second]);
    const pairs = pairsOf(service.part.namespace);
    expect(pairs.filter(([from, to]) => from !== to)).toEqual([]);
    // Engines of both images prefilled.
    if ("prefill" in all) expect(new Set(pairs.flat())).toEqual(new Set([first, second]));
    await service.destroy();
  },
  400_000,
);

it("a bad image and the previous one after it lose and cut no answer", async () => {
  const service = await startRollingService(gpus, 48, [threeOfTwoNodes, gateway]);
  await started(service, { inference: 3 }, first);
  const failing = failBrokenPods(gpus, service.part);
  const load = await stream(service);
  const bad = await service.up(brokenImage);
  failing.stop();
  const back = await service.up(first);
  expect(await load.stop()).toEqual([]);
  expect(errorsOf(bad.result).join("\n")).toMatch(/does not start: .*ImagePullBackOff/);
  expect(errorsOf(back.result)).toEqual([]);
  expect([bad.lowest, back.lowest]).toEqual([{ inference: 2 }, { inference: 2 }]);
  await service.destroy();
}, 400_000);

it("the drain of every node, one after the other, loses and cuts no answer", async () => {
  // One node is free, to which the pods of a drained node move.
  const service = await startRollingService(gpus, 56, [threeOfTwoNodes, gateway]);
  await started(service, { inference: 3 }, first);
  const load = await stream(service);
  const ready = sampleReady(service);
  for (const node of await nodesOfPart(service)) {
    await cordon(node, true);
    await evictPods(service, node);
    await expect.poll(() => service.ready(), { timeout: 90_000 }).toEqual({ inference: 3 });
    await cordon(node, false);
  }
  expect(await load.stop()).toEqual([]);
  expect(await ready.lowest()).toBe(2);
  await service.destroy();
}, 600_000);

/** Streams answers of a service until the end. Returns the errors. */
async function stream({ part }: RollingService) {
  const traffic = await cluster.serve(part);
  let sent = 0;
  const load = startRate(traffic.client, perSecond, (client) => {
    sent += 1;
    return streamAnswer(client, sent % 10 === 0 ? tokens.long : tokens.short);
  });
  await load.answered(perSecond);
  return {
    async stop() {
      await load.answered(perSecond);
      const requests = await load.stop();
      await traffic.stop();
      return requests.flatMap(({ error }) => error?.message ?? []);
    },
  };
}

/** Samples the number of ready replicas until it is asked for the lowest. */
function sampleReady(service: RollingService) {
  let [lowest, isRunning] = [Number.POSITIVE_INFINITY, true];
  const sampling = (async () => {
    while (isRunning) {
      lowest = Math.min(lowest, (await service.ready()).inference ?? 0);
      await sleep(50);
    }
  })();
  return {
    async lowest() {
      isRunning = false;
      await sampling;
      return lowest;
    },
  };
}

/** The nodes on which engines of a service run. */
async function nodesOfPart({ part }: RollingService): Promise<string[]> {
  const pods = await part.pods();
  const ofEngines = pods.filter(({ metadata }) => metadata.labels?.[label.componentType]);
  return [...new Set(ofEngines.flatMap(({ spec }) => spec.nodeName ?? []))].sort();
}

const cordon = (node: string, unschedulable: boolean) =>
  gpus.client.request(
    "PATCH",
    `/api/v1/nodes/${node}`,
    { spec: { unschedulable } },
    mergePatchType,
  );

/** Evicts the engines' pods of a node as `kubectl drain` does: again while a budget refuses. */
async function evictPods({ part }: RollingService, node: string): Promise<void> {
  for (;;) {
    const pods = (await part.pods()).filter(
      ({ metadata, spec }) => spec.nodeName === node && metadata.labels?.[label.componentType],
    );
    if (pods.length === 0) return;
    for (const { metadata } of pods.filter((pod) => !isDeleting(pod)))
      await gpus.client
        .request("POST", `/api/v1/namespaces/${part.namespace}/pods/${metadata.name}/eviction`, {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: metadata.name },
        })
        .catch((error: { status?: number }) => {
          if (error.status !== 429 && error.status !== 404) throw error;
        });
    await sleep(200);
  }
}

/** The images of the prefiller and the decoder of each request with a prefill. */
function pairsOf(namespace: string): [string, string][] {
  const pods = cluster.engines.all.filter(({ pod }) => pod.metadata?.namespace === namespace);
  const images = pods.map(({ pod, server }) => {
    const image = pod.spec?.containers.find(({ name }) => name === "vllm")?.image ?? "";
    return { ip: pod.status?.podIP, image, served: server.served };
  });
  const imageAt = new Map(images.map(({ ip, image }) => [ip, image]));
  return images.flatMap(({ image, served }) =>
    served.flatMap(({ prefiller }): [string, string][] => {
      const from = prefiller === undefined ? undefined : imageAt.get(prefiller.split(":")[0]);
      return from === undefined ? [] : [[from, image]];
    }),
  );
}
