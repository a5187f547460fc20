import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { router, vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { oneServiceStack } from "./one-service.ts";

/** Replicas that an autoscaler changes. The autoscaler is a STAND-IN: the test writes the scale subresource. */

let folder: string;
let cluster: AttachedCluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  cluster = await sharedCluster();
}, 1_800_000);
afterAll(() => {
  cluster?.detach();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it("the CLI keeps the replicas of an autoscaler, with and without a refresh", async () => {
  const namespace = await freshNamespace(cluster, "autoscaled");
  const { kubeconfig } = cluster;
  const { run, write } = await oneServiceStack({ stack: "autoscaled", folder, kubeconfig });
  const edit = (image: string) =>
    write({
      args: {
        metadata: { name: "svc", namespace },
        autoscaling: { minUnits: 1, maxUnits: 8, scaler: "hpa" },
        roles: [worker({ replicas: 2, template: vllmTemplate(8, { image }) }), router()],
      },
    });
  const path = `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${namespace}/leaderworkersets/svc-inference`;
  const live = async () => {
    const { spec } = await cluster.request<LiveSet>("GET", path);
    return [spec.replicas, spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].image];
  };
  const up = (...options: string[]) => run("up", "--yes", "--skip-preview", ...options);
  edit("vllm/vllm-openai:v0.11.0");
  await up();
  expect(await live()).toEqual([2, "vllm/vllm-openai:v0.11.0"]);

  const scale = { spec: { replicas: 5 } };
  await cluster.request("PATCH", `${path}/scale`, scale, mergePatchType);
  await up("--expect-no-changes");
  expect(await live()).toEqual([5, "vllm/vllm-openai:v0.11.0"]);
  edit("vllm/vllm-openai:v0.11.1");
  await up();
  expect(await live()).toEqual([5, "vllm/vllm-openai:v0.11.1"]);
  edit("vllm/vllm-openai:v0.11.2");
  await up("--refresh");
  expect(await live()).toEqual([5, "vllm/vllm-openai:v0.11.2"]);
  await run("destroy", "--yes", "--skip-preview");
});

interface LiveSet {
  readonly spec: {
    readonly replicas: number;
    readonly leaderWorkerTemplate: {
      readonly workerTemplate: { readonly spec: { readonly containers: [{ image: string }] } };
    };
  };
}
