import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../api/api-client.ts";
import type { Pod } from "../stand-ins/objects.ts";

/** Pods by which one sees that a scheduler has looked at all others: it places them, one after the other. */
export interface Canaries {
  /** Has two pods of each scheduler placed, one after the other, that are created after this call. */
  placed(): Promise<void>;
}

/** Canaries in a namespace whose pods find room on some node. */
export function canariesIn(client: ApiClient, namespace: string): Canaries {
  let made = 0;
  const one = async (schedulerName: string) => {
    const name = `canary-${made++}`;
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await client.request("POST", path, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { schedulerName, containers: [{ name: "canary", image: "canary:1" }] },
    });
    for (;;) {
      const pod = await client.request<Pod>("GET", `${path}/${name}`);
      if (pod.spec.nodeName !== undefined) break;
      await sleep(50);
    }
    await client.request("DELETE", `${path}/${name}?gracePeriodSeconds=0`);
  };
  const twice = async (scheduler: string) => {
    await one(scheduler);
    await one(scheduler);
  };
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  const nextRound = async () => {
    await running.catch(() => {});
    next = undefined;
    running = Promise.all(["volcano", "default-scheduler"].map(twice));
    await running;
  };
  return {
    // The round that runs may have begun before what its caller asks about; all who wait share the one after it.
    async placed() {
      next ??= nextRound();
      await next;
    },
  };
}

export interface AtRestOptions {
  pods(): Promise<Pod[]>;
  /** How many pods there will be. */
  count: number;
  canaries: Canaries;
  /** In milliseconds. Default 120,000. */
  timeoutMs?: number;
}

/**
 * Waits until `count` pods exist and every scheduler has looked at them and left them where they are. Returns the pods.
 * A scheduler has looked once pods that were created afterwards, one after the other, have been placed on a node elsewhere.
 */
export async function untilAtRest({
  pods,
  count,
  canaries,
  timeoutMs = 120_000,
}: AtRestOptions): Promise<Pod[]> {
  const deadline = Date.now() + timeoutMs;
  for (let last = "", quietRounds = 0; ; ) {
    const now = await pods();
    const state = JSON.stringify(now.map(placement).sort());
    const isComplete = now.length === count && now.every(isAtRest);
    quietRounds = isComplete && state === last ? quietRounds + 1 : 0;
    if (quietRounds === 2) return now;
    if (Date.now() > deadline) throw new Error(`${count} pods did not come to rest: ${state}`);
    last = isComplete ? state : "";
    if (isComplete) await canaries.placed();
    else await sleep(400);
  }
}

export const placement = ({ metadata, spec }: Pod) => `${metadata.uid} ${spec.nodeName ?? ""}`;

/** Waiting for a node, or running on one. */
const isAtRest = ({ metadata, spec, status }: Pod) =>
  metadata.deletionTimestamp === undefined &&
  (spec.nodeName === undefined || status.phase === "Running");
