import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { impactOf } from "../../sdk/impact/impact.ts";
import { readPreview } from "../../sdk/impact/preview.ts";
import { nodesOf } from "../../sdk/index.ts";
import { type GpuCluster, startGpuCluster } from "../../testing/clusters/gpu-cluster.ts";
import { vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { imagesOf, readyReplicas, sampleLowest } from "../orchestration/ready-replicas.ts";
import { oneServiceStack } from "./one-service.ts";

/** A new image by the CLI, whose engine calls the hooks of the program. Kubelets are STAND-INS. */

let folder: string;
let gpus: GpuCluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  gpus = await startGpuCluster();
}, 1_800_000);
afterAll(async () => {
  await gpus?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it("an update takes away the replicas that its preview reports, in the same order", async () => {
  const part = await gpus.part(nodesOf(48, 8));
  const { namespace } = part;
  const { kubeconfig } = gpus.cluster;
  const { run, write } = await oneServiceStack({ stack: "rollout", folder, kubeconfig });
  const edit = (image: string, replicas = 3) => {
    const template = vllmTemplate(8, { image });
    const roles = [worker({ replicas, multinode: { nodeCount: 2 }, template })];
    write({ args: { metadata: { name: "svc", namespace }, roles } });
  };
  const ready = () => readyReplicas(gpus, namespace);
  const up = () => run("up", "--yes", "--skip-preview");
  edit("vllm/vllm-openai:v0.11.0");
  await up();
  await expect.poll(ready, { timeout: 60_000 }).toEqual({ inference: 3 });

  edit("vllm/vllm-openai:v0.11.1");
  const previewed = impactOf(readPreview(await run("preview", "--json", "--show-sames")));
  expect(previewed.services.flatMap(({ roles }) => roles)).toMatchObject([
    { role: "inference", replicas: 3, restarted: 3, awayAtOnce: 1, lowest: 2 },
  ]);
  expect(await run("preview")).toContain(
    "the pods of role inference restart, one replica after the other; 2 of 3 serve meanwhile",
  );
  edit("vllm/vllm-openai:v0.11.1", 20);
  const grown = await run("preview");
  expect(grown).toContain("one replica after the other; 2 of 3 serve meanwhile");
  expect(grown).not.toContain("of 20 serve");

  edit("vllm/vllm-openai:v0.11.1");
  const sampled = sampleLowest(ready);
  const result = await up();
  expect(await sampled.lowest()).toEqual({ inference: 2 });
  // The CLI prints a message when it arrives, and again at the end.
  expect([...new Set(result.match(/svc-inference-\d(?= serves again)/g))]).toEqual([
    "svc-inference-0",
    "svc-inference-1",
    "svc-inference-2",
  ]);
  expect(await imagesOf(part)).toEqual(["vllm/vllm-openai:v0.11.1"]);
  await run("destroy", "--yes", "--skip-preview");
  await part.emptied();
});
