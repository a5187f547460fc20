import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { nodesOf } from "../../sdk/index.ts";
import type { GpuCluster, GpuPart } from "../../testing/clusters/gpu-cluster.ts";
import type { OperationResult } from "../../testing/programs/operation-result.ts";
import { stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { imagesOf, readyReplicas, sampleLowest } from "./ready-replicas.ts";
import { type RollingStackOptions, rollingStack } from "./rolling-stack.ts";

export const first = "vllm/vllm-openai:v0.11.0";
export const second = "vllm/vllm-openai:v0.11.1";

/** A service whose image is edited. */
export interface RollingService {
  readonly part: GpuPart;
  /**
   * Updates to an image. Returns the result, and the lowest number of replicas of each role that were ready meanwhile.
   */
  up(image: string): Promise<{ result: OperationResult; lowest: Record<string, number> }>;
  /** Updates to an image, without a wait for its pods. */
  deploy(image: string): Promise<OperationResult>;
  preview(image: string): Promise<OperationResult>;
  ready(): Promise<Record<string, number>>;
  /** Samples the number of ready replicas until it is asked for the lowest of each role. */
  sampleReady(): { lowest(): Promise<Record<string, number>> };
  images(): Promise<unknown[]>;
  destroy(): Promise<void>;
}

export type RollingOptions = Partial<
  Pick<RollingStackOptions, "config" | "spec" | "opts" | "state" | "hasSecret">
>;

/** Starts a service in a part of the cluster that has exactly the GPUs that it needs. */
export async function startRollingService(
  gpus: GpuCluster,
  gpuCount: number,
  roles: readonly object[],
  options: RollingOptions = {},
): Promise<RollingService> {
  const part = await gpus.part(nodesOf(gpuCount, 8));
  const { kubeconfig } = gpus.cluster;
  const { namespace } = part;
  const state = stateFolder();
  const stackOf = (image: string) =>
    rollingStack({ state, ...options, kubeconfig, namespace, roles, image });
  let stack = stackOf(first);
  const ready = () => readyReplicas(gpus, namespace);
  const images = () => imagesOf(part);
  const sampleReady = () => sampleLowest(ready);
  const rolled = async (next: string) => {
    await expect.poll(images, { timeout: 60_000 }).toEqual([next]);
    await sleep(1_000);
  };
  return {
    part,
    ready,
    images,
    sampleReady,
    async up(next) {
      stack = stackOf(next);
      const sampled = sampleReady();
      const result = await stack.up();
      // LeaderWorkerSets of one role may still be updated by their controller.
      if (result.succeeded) await rolled(next);
      return { result, lowest: await sampled.lowest() };
    },
    deploy(next) {
      stack = stackOf(next);
      return stack.up();
    },
    preview(next) {
      stack = stackOf(next);
      return stack.preview();
    },
    async destroy() {
      expect((await stack.destroy()).diagnostics).toEqual([]);
      await part.emptied();
    },
  };
}

export const errorsOf = ({ diagnostics }: OperationResult): string[] =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);

/** Deploys the first image, and waits until this number of replicas of each role is ready. */
export async function started(
  service: RollingService,
  wanted: Record<string, number>,
  image = first,
): Promise<void> {
  const { result } = await service.up(image);
  expect(errorsOf(result)).toEqual([]);
  await expect.poll(() => service.ready(), { timeout: 60_000 }).toEqual(wanted);
}
