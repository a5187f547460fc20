import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GpuPart } from "../../testing/clusters/gpu-cluster.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { forwardPort } from "../../testing/proxies/forwarded-port.ts";
import { worker } from "../../testing/samples/sample-service.ts";
import { startRate } from "../traffic/steady-load.ts";
import { streamAnswer } from "../traffic/streams.ts";
import { type EngineCluster, gateway, startEngineCluster } from "./engine-cluster.ts";
import { errorsOf, type RollingService, startRollingService } from "./rolling-service.ts";

/**
 * Services that KEDA and the HorizontalPodAutoscaler controller scale from the picker's numbers, on the real controllers,
 * while requests are streamed. Engines are SIMULATED and kubelets are STAND-INS.
 */

let cluster: EngineCluster;

/** Concurrent requests of an engine, and the time of an answer of `tokens`: 2 s. */
const slots = 4;
const engine = { stepMs: 20, maxSequences: slots };
const tokens = 100;

beforeAll(async () => {
  // KEDA is built here if it is missing, which takes about 15 minutes.
  cluster = await startEngineCluster(engine, { autoscalers: true });
}, 3_600_000);
afterAll(() => cluster?.stop());

const drains = { drainSeconds: 60 };
const image = "vllm/vllm-openai:v0.32.0";

it("a worker scales from 0 to 8 and back with the load, and no answer is lost or cut", async () => {
  const [port] = (await freePorts(1)) as [number];
  const service = await startRollingService(
    cluster.gpus,
    64,
    [worker({ ...drains, replicas: 0 }), gateway],
    {
      spec: { autoscaling: { minUnits: 0, maxUnits: 8, scaleDownSeconds: 5 } },
      opts: { transform: { autoscalers: atPort(port) } },
    },
  );
  expect(errorsOf(await service.deploy(image))).toEqual([]);
  const traffic = await serve(service.part, port);
  const watched = watch(service);
  /** Requests per second of the hours of a day, each of which takes 10 s. */
  const day = [0, 1, 4, 8, 12, 12, 8, 3, 1, 0];
  const requests = [];
  for (const perSecond of day) {
    if (perSecond === 0) {
      await sleep(10_000);
      continue;
    }
    const load = startRate(traffic.client, perSecond, (client) => streamAnswer(client, tokens));
    await sleep(10_000);
    requests.push(...(await load.stop()));
  }
  await expect.poll(() => watched.seen.at(-1), { timeout: 60_000 }).toEqual({ inference: 0 });
  watched.stop();
  const replicas = watched.seen.map(({ inference }) => Number(inference));
  expect(requests.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
  expect([replicas[0], Math.max(...replicas)]).toEqual([0, 8]);
  await traffic.stop();
  await service.destroy();
}, 280_000);

/** Has KEDA read the picker's process instead of its Service, whose EndpointSlices cannot contain loopback addresses. */
const atPort = (port: number) => (scaler: object) => {
  const { spec } = scaler as { spec: { triggers: Array<{ metadata: Record<string, string> }> } };
  for (const { metadata } of spec.triggers) {
    metadata.url = `http://127.0.0.1:${port}/scaling`;
    metadata.aggregateFromKubeServiceEndpoints = "false";
  }
};

/** Starts the gateway and the picker of a service, whose pages are served on `port` too. */
async function serve(part: GpuPart, port: number) {
  const traffic = await cluster.serve(part);
  const [picker] = traffic.pickers.values();
  const forward = await forwardPort("127.0.0.1", port, () => picker?.ports.metrics ?? 0);
  return {
    client: traffic.client,
    async stop() {
      await Promise.all([forward.stop(), traffic.stop()]);
    },
  };
}

/** Records the distinct numbers of ready replicas. */
function watch(service: RollingService) {
  const seen: Record<string, number>[] = [];
  let isRunning = true;
  void (async () => {
    while (isRunning) {
      const ready = await service.ready().catch(() => undefined);
      if (ready !== undefined && JSON.stringify(seen.at(-1)) !== JSON.stringify(ready))
        seen.push(ready);
      await sleep(200);
    }
  })();
  return {
    seen,
    stop() {
      isRunning = false;
    },
  };
}
