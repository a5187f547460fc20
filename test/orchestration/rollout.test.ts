import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InferenceService, type InferenceServiceArgs } from "../../components/index.ts";
import { memoryState, type OperationResult, openStack } from "../../engine/index.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { nodesOf } from "../../sdk/index.ts";
import type { LiveSet } from "../../sdk/rollout/set-state.ts";
import { label } from "../../sdk/topology/names.ts";
import {
  brokenImage,
  type GpuCluster,
  type GpuPart,
  startGpuCluster,
} from "../../testing/gpu-cluster.ts";
import { decoder, prefiller, worker } from "../../testing/sample-service.ts";

/**
 * A new image of services on the real controllers, in a cluster without a spare GPU: how many replicas serve at the worst
 * moment. Kubelets are STAND-INS.
 */

let gpus: GpuCluster;
beforeAll(async () => {
  // The controllers are built here where they are not there yet.
  gpus = await startGpuCluster();
}, 1_800_000);
afterAll(() => gpus?.stop());

type Live = LiveSet & { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };

const first = "vllm/vllm-openai:v0.11.0";
const second = "vllm/vllm-openai:v0.11.1";

interface Edited {
  readonly part: GpuPart;
  /** Updates to an image. Answers the result and the fewest replicas of each role that were ready meanwhile. */
  up(image: string): Promise<{ result: OperationResult; lowest: Record<string, number> }>;
  preview(image: string): Promise<OperationResult>;
  ready(): Promise<Record<string, number>>;
  images(): Promise<unknown[]>;
  destroy(): Promise<void>;
}

/** A service in a part of the cluster that has exactly the GPUs that it needs. */
async function serviceOn(
  gpuCount: number,
  roles: readonly object[],
  config: Record<string, string> = {},
): Promise<Edited> {
  const part = await gpus.part(nodesOf(gpuCount, 8));
  let image = first;
  const stack = openStack({
    project: "p",
    stack: part.namespace,
    program: {
      // In memory, the engine does not receive the log of a program.
      transport: "grpc",
      run: async () => {
        const metadata = { name: "svc", namespace: part.namespace };
        const args = { metadata, roles: structuredClone(roles) } as InferenceServiceArgs;
        for (const { template } of args.roles as Array<{ template: Template }>)
          for (const container of template.spec.containers) container.image = image;
        new InferenceService("svc", args);
      },
    },
    config,
    state: memoryState(),
    kubernetes: { kubeconfig: gpus.cluster.kubeconfig },
  });
  const path = `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${part.namespace}/leaderworkersets`;
  const ready = async () => {
    const { items } = await gpus.cluster.request<{ items: Live[] }>("GET", path);
    const counts: Record<string, number> = {};
    for (const { metadata, status } of items) {
      const role = String(metadata.labels[label.roleName]);
      counts[role] = (counts[role] ?? 0) + (status?.readyReplicas ?? 0);
    }
    return counts;
  };
  const images = async () => {
    const pods = await part.pods();
    return [
      ...new Set(pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image))),
    ].sort();
  };
  const rolled = async (next: string) => {
    await expect.poll(images, { timeout: 60_000 }).toEqual([next]);
    await sleep(1_000);
  };
  return {
    part,
    ready,
    images,
    async up(next) {
      image = next;
      const lowest = await ready();
      let isRunning = true;
      const sampling = (async () => {
        while (isRunning) {
          for (const [role, count] of Object.entries(await ready()))
            lowest[role] = Math.min(lowest[role] ?? count, count);
          await sleep(50);
        }
      })();
      const result = await stack.up();
      // LeaderWorkerSets of one role may still be updated by their controller.
      if (result.succeeded) await rolled(next);
      isRunning = false;
      await sampling;
      return { result, lowest };
    },
    preview(next) {
      image = next;
      return stack.preview();
    },
    async destroy() {
      expect((await stack.destroy()).diagnostics).toEqual([]);
      await part.emptied();
    },
  };
}

interface Template {
  readonly spec: { readonly containers: Array<{ image: string }> };
}

const multinode = { nodeCount: 2 };
const messages = ({ diagnostics }: OperationResult) =>
  diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message);

const errors = ({ diagnostics }: OperationResult) =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);

async function started(service: Edited, wanted: Record<string, number>): Promise<void> {
  const { result } = await service.up(first);
  expect(errors(result)).toEqual([]);
  await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual(wanted);
}

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
    "takes one of %s away at a time",
    async (_, gpuCount, roles, wanted, lowest) => {
      const service = await serviceOn(gpuCount, roles);
      await started(service, wanted);
      const preview = await service.preview(second);
      expect(messages(preview)).toEqual([]);
      const update = await service.up(second);
      expect(errors(update.result)).toEqual([]);
      expect(update.lowest).toEqual(lowest);
      await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual(wanted);
      expect(await service.images()).toEqual([second]);
      await service.destroy();
    },
    240_000,
  );

  it("takes all multi-node replicas away if rollout is parallel", async () => {
    const roles = [worker({ replicas: 3, multinode })];
    const service = await serviceOn(48, roles, { "pulumi-inference:rollout": "parallel" });
    await started(service, { inference: 3 });
    const { lowest } = await service.up(second);
    expect(lowest).toEqual({ inference: 0 });
    await service.destroy();
  }, 240_000);

  it("interrupts one replica, and the preview warns", async () => {
    const service = await serviceOn(16, [worker({ multinode })]);
    await started(service, { inference: 1 });
    expect(messages(await service.preview(second))).toEqual([
      expect.stringMatching(/role inference restart, and nothing serves this role .* one replica/),
    ]);
    await service.destroy();
  }, 240_000);
});

it("a bad image stops at the first replica, and the previous image restores it", async () => {
  const service = await serviceOn(48, [worker({ replicas: 3, multinode })]);
  await started(service, { inference: 3 });
  const failing = failBrokenPods(service.part);
  const bad = await service.up(brokenImage);
  failing.stop();
  expect(errors(bad.result).join("\n")).toMatch(
    /svc-inference-\d does not start: .*ImagePullBackOff/,
  );
  expect(bad.lowest).toEqual({ inference: 2 });
  expect(await service.images()).toEqual([first, brokenImage]);
  const back = await service.up(first);
  expect(errors(back.result)).toEqual([]);
  expect(back.lowest).toEqual({ inference: 2 });
  await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual({ inference: 3 });
  expect(await service.images()).toEqual([first]);
  await service.destroy();
}, 300_000);

/** Sets the status that a kubelet sets for an image that no registry has: the stand-in pulls nothing. */
function failBrokenPods({ namespace, pods }: GpuPart): { stop(): void } {
  let isRunning = true;
  const waiting = { reason: "ImagePullBackOff", message: "not found" };
  void (async () => {
    while (isRunning) {
      for (const { metadata, spec } of await pods()) {
        const [container] = spec.containers as Array<{ name: string; image: string }>;
        if (container?.image !== brokenImage) continue;
        const { name, image } = container;
        const status = {
          name,
          image,
          ready: false,
          restartCount: 0,
          imageID: "",
          state: { waiting },
        };
        await gpus.client
          .request(
            "PATCH",
            `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`,
            { status: { containerStatuses: [status] } },
            mergePatchType,
          )
          .catch(() => {});
      }
      await sleep(500);
    }
  })();
  return {
    stop() {
      isRunning = false;
    },
  };
}
