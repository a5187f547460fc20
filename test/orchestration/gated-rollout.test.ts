import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { label } from "../../sdk/names.ts";
import { runtimePorts } from "../../sdk/topology/runtime-ports.ts";
import { forwardPort } from "../../testing/proxies/forwarded-port.ts";
import { decoder, prefiller, worker } from "../../testing/samples/sample-service.ts";
import { startRate } from "../traffic/steady-load.ts";
import { streamAnswer } from "../traffic/streams.ts";
import { type EngineCluster, gateway, startEngineCluster } from "./engine-cluster.ts";
import { errorsOf, type RollingService, started, startRollingService } from "./rolling-service.ts";

/**
 * Rollouts with a gate on the real controllers, while requests are streamed: the gate reads the planned picker through
 * the API server. Engines are SIMULATED, and slow with one of the images. Kubelets are STAND-INS.
 */

const [first, good, slow] = ["v0.31.0", "v0.32.0", "v0.33.0"].map(
  (version) => `vllm/vllm-openai:${version}`,
) as [string, string, string];

let cluster: EngineCluster;
beforeAll(async () => {
  cluster = await startEngineCluster(({ spec }) => ({
    ...{ stepMs: 20, maxSequences: 64 },
    prefillTokensPerSecond: spec?.containers.some(({ image }) => image === slow) ? 100 : 2_000,
  }));
}, 1_800_000);
afterAll(() => cluster?.stop());

const rollout = { gate: { minResponses: 20, waitSeconds: 30 }, onFailure: "rollback" };
const multinode = { nodeCount: 2 };
const drains = { drainSeconds: 60 };
const perSecond = 15;

it.each([
  [
    "one LeaderWorkerSet",
    24,
    [worker({ ...drains, replicas: 3 })],
    { inference: 2 },
    { inference: 2 },
  ],
  [
    "prefillers and decoders",
    80,
    [prefiller({ ...drains, replicas: 2 }), decoder({ ...drains, replicas: 4, multinode })],
    { prefill: 1, decode: 3 },
    // The first decoder fails the gate before a prefiller is updated.
    { prefill: 2, decode: 3 },
  ],
] as const)(
  "a good image of %s passes the gate, a slow one is rolled back, and no answer is lost or cut",
  async (_, gpuCount, roles, lowest, lowestOfRefused) => {
    const service = await startRollingService(cluster.gpus, gpuCount, [...roles, gateway], {
      spec: { rollout },
    });
    const all = Object.fromEntries(roles.map(({ name, replicas }) => [name, replicas]));
    await started(service, all as Record<string, number>, first);
    const traffic = await cluster.serve(service.part);
    const [picker] = traffic.pickers.values();
    const page = await servePickerPages(service, () => picker?.ports.metrics ?? 0);
    onTestFinished(async () => void (await Promise.all([page.stop(), traffic.stop()])));
    const load = startRate(traffic.client, perSecond, (client) => streamAnswer(client, 25));
    await load.answered(perSecond);

    const passed = await service.up(good);
    expect(errorsOf(passed.result)).toEqual([]);
    expect(passed.lowest).toEqual(lowest);
    expect(messagesOf(passed)).toContainEqual(
      expect.stringMatching(/: the gate is open after [2-9]\d+ responses$/),
    );

    const refused = await service.up(slow);
    expect(errorsOf(refused.result).join("\n")).toMatch(
      /the median time to the first token of the new replicas is .*(has its|have their) previous template again/,
    );
    expect(refused.lowest).toEqual(lowestOfRefused);
    await expect.poll(() => service.images(), { timeout: 30_000 }).toEqual([good]);
    expect(await service.ready()).toEqual(all);

    // The state contains the slow image, and the cluster the good one.
    const back = await service.up(good);
    expect(errorsOf(back.result)).toEqual([]);
    expect(back.lowest).toEqual(all);
    await load.answered(perSecond);
    expect((await load.stop()).flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    await service.destroy();
  },
  500_000,
);

const messagesOf = ({ result }: Awaited<ReturnType<RollingService["up"]>>) =>
  result.diagnostics.map(({ message }) => message);

/**
 * Serves a picker's pages at the address of its pod. The API server forwards no request to a loopback address, so the
 * pod gets an address of this machine.
 */
async function servePickerPages({ part }: RollingService, port: () => number) {
  const podIP = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  if (podIP === undefined) throw new Error("this machine has no address except loopback ones");
  const isPicker = ({ metadata }: Awaited<ReturnType<typeof part.pods>>[number]) =>
    metadata.labels?.[label.app] !== undefined;
  await expect.poll(async () => (await part.pods()).filter(isPicker).length).toBe(1);
  const pod = (await part.pods()).find(isPicker);
  await cluster.gpus.client.request(
    "PATCH",
    `/api/v1/namespaces/${part.namespace}/pods/${pod?.metadata.name}/status`,
    { status: { podIP, podIPs: [{ ip: podIP }] } },
    mergePatchType,
  );
  return forwardPort(podIP, runtimePorts.metrics, port);
}
