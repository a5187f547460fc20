import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { nodesOf } from "../../sdk/index.ts";
import {
  type GpuCluster,
  type GpuPart,
  startGpuCluster,
} from "../../testing/clusters/gpu-cluster.ts";
import { type CrashingProxy, startCrashingProxy } from "../../testing/proxies/crashing-proxy.ts";
import { vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { imagesOf, readyReplicas, sampleLowest } from "../orchestration/ready-replicas.ts";
import { type OneServiceStack, oneServiceStack } from "./one-service.ts";

/** A fault at a write of a LeaderWorkerSet. */
export interface WriteFault {
  readonly kind: "outage" | "delay" | "killed CLI";
  /** Which write, from 1. */
  readonly write: number;
  /** Whether the write reaches the API server. Its answer is lost then. */
  readonly when: "before" | "after";
  /** Duration of an outage or a delay, in ms. */
  readonly ms: number;
}

const replicas = 2;

/**
 * New images by the CLI, whose connection to the API server fails at a write: the `up` waits or ends with an error, rolls
 * nothing back, and the next one continues. Kubelets are STAND-INS.
 */
export function continuesAfter(faults: readonly WriteFault[]): void {
  let folder: string;
  let gpus: GpuCluster;
  let part: GpuPart;
  let proxy: CrashingProxy;
  let stack: OneServiceStack;
  let cli = 0;
  /** The fault to come, and the writes until then. */
  let armed: { readonly fault: WriteFault; writes: number } | undefined;
  let image = 0;

  const edit = () => {
    image += 1;
    const template = vllmTemplate(8, { image: `vllm/vllm-openai:v0.11.${image}` });
    const roles = [worker({ replicas, multinode: { nodeCount: 2 }, template })];
    const rollout = { onFailure: "rollback" };
    stack.write({ args: { metadata: { name: "svc", namespace: part.namespace }, roles, rollout } });
  };
  const up = () => stack.run("up", "--yes", "--skip-preview");
  const ready = () => readyReplicas(gpus, part.namespace);
  const generations = async () => {
    const path = collectionPath(kinds.LeaderWorkerSet, part.namespace);
    const { items } = await gpus.client.request<{
      items: Array<{ metadata: { generation: number } }>;
    }>("GET", path);
    return items.map(({ metadata }) => metadata.generation);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "real-cli-"));
    gpus = await startGpuCluster();
    part = await gpus.part(nodesOf(16 * replicas, 8));
    const crashing = (when: WriteFault["when"]) => (write: { url?: string; method?: string }) => {
      const isWrite =
        write.method === "PATCH" && /leaderworkersets\/[^?]*\?(?!.*dryRun)/.test(write.url ?? "");
      if (!isWrite || armed?.fault.when !== when) return false;
      armed.writes += 1;
      return armed.writes === armed.fault.write;
    };
    const crash = (goOn: () => void) => {
      const { kind, ms } = (armed as NonNullable<typeof armed>).fault;
      armed = undefined;
      if (kind === "outage") proxy.goAway(ms);
      else if (kind === "delay") setTimeout(goOn, ms);
      else process.kill(cli, "SIGKILL");
    };
    proxy = await startCrashingProxy({
      ...{ kubeconfig: gpus.cluster.kubeconfig, folder },
      at: (write) => crashing("before")(write) || crashing("after")(write),
      when: () => armed?.fault.when ?? "before",
      crash: (_, goOn) => crash(goOn),
    });
    stack = await oneServiceStack({
      ...{ stack: "outages", folder, kubeconfig: proxy.kubeconfig },
      onStart: (pid) => {
        cli = pid;
      },
    });
  }, 1_800_000);
  afterAll(async () => {
    proxy?.close();
    await gpus?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it("a first up creates the replicas", async () => {
    edit();
    await up();
    await expect.poll(ready, { timeout: 60_000 }).toEqual({ inference: replicas });
  }, 300_000);

  it.each(faults)(
    "a rollout continues after fault $kind of $ms ms $when write $write",
    async (fault) => {
      const before = await generations();
      const sampled = sampleLowest(ready);
      edit();
      armed = { fault, writes: 0 };
      const ended = await up().catch((error: Error) => error);
      expect(armed).toBeUndefined();
      if (ended instanceof Error) expect(ended.message).not.toContain("previous template");
      if (fault.kind === "killed CLI") await stack.run("cancel", "--yes");
      await up();
      expect(await sampled.lowest()).toEqual({ inference: replicas - 1 });
      await stack.run("preview", "--expect-no-changes");
      // Each set was changed once: nothing was rolled back.
      expect(await generations()).toEqual(before.map((generation) => generation + 1));
      expect(await imagesOf(part)).toEqual([`vllm/vllm-openai:v0.11.${image}`]);
    },
    900_000,
  );
}
