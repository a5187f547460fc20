import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type EnginePods, enginePods } from "../../testing/engine-pods.ts";
import { type GpuCluster, startGpuCluster } from "../../testing/gpu-cluster.ts";
import { startLiveTraffic } from "../../testing/live-traffic.ts";
import { decoder, prefiller, router, worker } from "../../testing/sample-service.ts";
import { startRate } from "../traffic/steady-load.ts";
import { streamAnswer } from "../traffic/streams.ts";
import { errorsOf, started, startRollingService } from "./rolling-service.ts";

/**
 * Streams through a new image of services on the real controllers, in a cluster without a spare GPU: Envoy, the picker
 * and the sidecars of the plan, with SIMULATED engines that start and end as their pods do. Kubelets are STAND-INS.
 */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-rollout-"));
let gpus: GpuCluster;
let engines: EnginePods;

beforeAll(async () => {
  // The controllers are built here where they are not there yet.
  gpus = await startGpuCluster({
    programs({ kubeconfig }) {
      const engine = { model: "m", stepMs: 20, maxSequences: 64, prefillTokensPerSecond: 200_000 };
      engines = enginePods({ kubeconfig, folder, serverOf: () => engine });
      return engines;
    },
  });
}, 1_800_000);
afterAll(async () => {
  await engines?.stop();
  await gpus?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const perSecond = 30;
/** Most answers take half a second; one in ten takes 8 s, longer than the notice that an engine gets. */
const tokens = { short: 25, long: 400 };

const [first, second] = ["vllm/vllm-openai:v0.31.0", "vllm/vllm-openai:v0.32.0"] as const;

const drains = { drainSeconds: 60 };
const multinode = { nodeCount: 2 };
const gateway = router({
  gateway: { gatewayClassName: "test", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
});

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
    const traffic = await startLiveTraffic({
      ...{ kubeconfig: gpus.cluster.kubeconfig, namespace: service.part.namespace, folder },
      servedElsewhere: true,
    });
    let sent = 0;
    const load = startRate(traffic.client, perSecond, (client) => {
      sent += 1;
      return streamAnswer(client, sent % 10 === 0 ? tokens.long : tokens.short);
    });
    await load.answered(perSecond);
    const update = await service.up(second);
    await load.answered(perSecond);
    const requests = await load.stop();
    expect(errorsOf(update.result)).toEqual([]);
    expect(requests.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    expect(update.lowest).toEqual(lowest);
    expect(await service.images()).toEqual([second]);
    const pairs = pairsOf(service.part.namespace);
    expect(pairs.filter(([from, to]) => from !== to)).toEqual([]);
    // Engines of both images prefilled.
    if ("prefill" in all) expect(new Set(pairs.flat())).toEqual(new Set([first, second]));
    await traffic.stop();
    await service.destroy();
  },
  400_000,
);

/** The images of the prefiller and the decoder of each request with a prefill. */
function pairsOf(namespace: string): [string, string][] {
  const pods = engines.all.filter(({ pod }) => pod.metadata?.namespace === namespace);
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
