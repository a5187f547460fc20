import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterAccess } from "../../components/rollout/cluster-access.ts";
import {
  brokenImage,
  type GpuCluster,
  startGpuCluster,
} from "../../testing/clusters/gpu-cluster.ts";
import type { OperationResult } from "../../testing/programs/operation-result.ts";
import { decoder, prefiller, worker } from "../../testing/samples/sample-service.ts";
import { failBrokenPods } from "./broken-pods.ts";
import { errorsOf, first, second, started, startRollingService } from "./rolling-service.ts";

/**
 * A new image of services on the real controllers, in a cluster without a spare GPU: how many replicas serve at the worst
 * moment. Kubelets are STAND-INS.
 */

let gpus: GpuCluster;
beforeAll(async () => {
  // Builds the controllers if they are not built yet.
  gpus = await startGpuCluster();
}, 1_800_000);
afterAll(() => gpus?.stop());

const multinode = { nodeCount: 2 };
const messages = ({ diagnostics }: OperationResult) =>
  diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message);

describe("a new image", () => {
  it.each([
    [
      "multi-node replicas",
      48,
      [worker({ replicas: 3, multinode })],
      { inference: 3 },
      { inference: 2 },
    ],
    ["single-node replicas", 24, [worker({ replicas: 3 })], { inference: 3 }, { inference: 2 }],
    [
      "2 prefillers and 4 decoders of 2 nodes",
      64 + 16,
      [prefiller({ replicas: 2 }), decoder({ replicas: 4, multinode })],
      { prefill: 2, decode: 4 },
      { prefill: 1, decode: 3 },
    ],
  ] as const)(
    "takes %s down one at a time",
    async (_, gpuCount, roles, wanted, lowest) => {
      const service = await startRollingService(gpus, gpuCount, roles);
      await started(service, wanted);
      const preview = await service.preview(second);
      expect(messages(preview)).toEqual([]);
      const update = await service.up(second);
      expect(errorsOf(update.result)).toEqual([]);
      expect(update.lowest).toEqual(lowest);
      await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual(wanted);
      expect(await service.images()).toEqual([second]);
      await service.destroy();
    },
    240_000,
  );

  it("takes replicas with a secret value down one at a time", async () => {
    const roles = [worker({ replicas: 3, multinode })];
    const service = await startRollingService(gpus, 48, roles, { hasSecret: true });
    await started(service, { inference: 3 });
    expect(messages(await service.preview(second))).toEqual([]);
    const update = await service.up(second);
    expect(errorsOf(update.result)).toEqual([]);
    expect(update.lowest).toEqual({ inference: 2 });
    await service.destroy();
  }, 240_000);

  it("takes all multi-node replicas down together if rollout is parallel", async () => {
    const roles = [worker({ replicas: 3, multinode })];
    const service = await startRollingService(gpus, 48, roles, {
      config: { "pulumi-inference:rollout": "parallel" },
    });
    await started(service, { inference: 3 });
    const { lowest } = await service.up(second);
    expect(lowest).toEqual({ inference: 0 });
    await service.destroy();
  }, 240_000);

  it("interrupts one replica, and the preview warns", async () => {
    const service = await startRollingService(gpus, 16, [worker({ multinode })]);
    await started(service, { inference: 1 });
    expect(messages(await service.preview(second))).toEqual([
      expect.stringMatching(/role inference restart, and nothing serves this role .* one replica/),
    ]);
    await service.destroy();
  }, 240_000);
});

it("a rollout reads only the pods that controllers created, and no forged pods with the same labels", async () => {
  const service = await startRollingService(gpus, 32, [worker({ replicas: 2, multinode })]);
  await started(service, { inference: 2 });
  const { namespace, pods } = service.part;
  const own = await pods();
  expect(own).toHaveLength(4);
  const set = "svc-inference-0";
  const [leader] = own.filter(({ metadata }) => metadata.name === `${set}-0`);
  const { labels = {}, annotations = {} } = leader?.metadata ?? {};
  const forge = (name: string, ownerReferences: object[]) =>
    gpus.client.request("POST", `/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, ownerReferences, labels, annotations },
      spec: { containers: [{ name: "engine", image: "forged:1" }] },
    });
  await forge("forged", []);
  // The controller of the StatefulSet deletes a pod with a number beyond its replicas.
  await forge(`${set}-7`, leader?.metadata.ownerReferences ?? []);
  const sets = [set, "svc-inference-1"];
  const access = clusterAccess({ kubeconfig: gpus.cluster.kubeconfig });
  const found = await access.pods(namespace, sets);
  expect(found.map(({ uid }) => uid).sort()).toEqual(
    own.map(({ metadata }) => metadata.uid).sort(),
  );
  expect(
    found
      .filter(({ serves }) => serves)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(sets.map((name) => `${name}-0`));
  await gpus.client.request("DELETE", `/api/v1/namespaces/${namespace}/pods/forged`);
  await service.destroy();
}, 240_000);

it("a bad image stops at the first replica, and the previous image restores it", async () => {
  const service = await startRollingService(gpus, 48, [worker({ replicas: 3, multinode })]);
  await started(service, { inference: 3 });
  const failing = failBrokenPods(gpus, service.part);
  const bad = await service.up(brokenImage);
  failing.stop();
  expect(errorsOf(bad.result).join("\n")).toMatch(
    /svc-inference-\d does not start: .*ImagePullBackOff/,
  );
  expect(bad.lowest).toEqual({ inference: 2 });
  expect(await service.images()).toEqual([first, brokenImage]);
  const back = await service.up(first);
  expect(errorsOf(back.result)).toEqual([]);
  expect(back.lowest).toEqual({ inference: 2 });
  await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual({ inference: 3 });
  expect(await service.images()).toEqual([first]);
  await service.destroy();
}, 300_000);
