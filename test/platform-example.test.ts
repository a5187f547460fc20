import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../testing/api/api-client.ts";
import { type Cluster, startCluster } from "../testing/api/api-server.ts";
import { crdGroups } from "../testing/api/install-crds.ts";
import { upstreamCrds } from "../testing/api/upstream-crds.ts";
import { openStack, stateFolder } from "../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { startGarbageCollector } from "../testing/stand-ins/garbage-collector.ts";
import { succeeded } from "../testing/succeeded.ts";

/**
 * examples/platform on a cluster that has none of this project's kinds, and on it a service that needs them: each comes up at
 * the first try, and a second up changes nothing.
 */

let cluster: Cluster;
let collector: Awaited<ReturnType<typeof startGarbageCollector>>;
const state = stateFolder();

beforeAll(async () => {
  cluster = await startCluster({ crds: await upstreamCrds(crdGroups) });
  collector = await startGarbageCollector(connect(cluster), {
    onError: (error) => console.error(error),
  });
}, 180_000);
afterAll(async () => {
  await collector?.stop();
  await cluster?.stop();
});

const folderOf = (example: string) => join(repositoryRoot, "examples", example);

const open = (example: string, config: Record<string, string> = {}) =>
  openStack({
    ...{ stack: "test", program: { dir: folderOf(example) }, state, config },
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });

/** Up twice, the second time without a change. */
async function comesUp(example: string, config: Record<string, string> = {}) {
  const stack = open(example, config);
  const up = succeeded(await stack.up());
  expect((await stack.up()).summary).toEqual({ same: up.steps.length });
}

const registry = { server: "registry.example.com", username: "robot", password: "secret" };

describe("the platform", () => {
  it("is created on a cluster without this project's CRDs", async () => {
    await comesUp("platform", {
      registry: JSON.stringify(registry),
      "pulumi-inference:image": "registry.example.com/team/pulumi-inference:v1",
    });
    const { spec } = await cluster.request<{ spec: { template: { spec: object } } }>(
      "GET",
      "/apis/apps/v1/namespaces/inference-system/deployments/inference-status-controller",
    );
    expect(spec.template.spec).toMatchObject({
      containers: [{ image: "registry.example.com/team/pulumi-inference:v1" }],
    });
    const secret = await cluster.request<{ data: Record<string, string> }>(
      "GET",
      "/api/v1/namespaces/default/secrets/registry",
    );
    const text = Buffer.from(secret.data[".dockerconfigjson"] ?? "", "base64").toString();
    expect(JSON.parse(text)).toMatchObject({
      auths: { "registry.example.com": { auth: Buffer.from("robot:secret").toString("base64") } },
    });
  }, 120_000);

  it("has everything that the example canary needs", async () => {
    await comesUp("canary");
  }, 120_000);

  it("is destroyed, and keeps the CRDs and the objects of other stacks", async () => {
    const gone = await open("platform").destroy();
    expect(gone.diagnostics).toEqual([]);
    const path = "/apis/inference.x-k8s.io/v1alpha1/namespaces/default/llmservices";
    const { items } = await cluster.request<{ items: unknown[] }>("GET", path);
    expect(items.length).toBeGreaterThan(0);
  }, 60_000);
});
