import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imagesOf } from "../../kubernetes/registry/pod-images.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { manifestsOfPrerequisite } from "../../sdk/platform/manifests.ts";
import { prerequisiteNames } from "../../sdk/platform/prerequisites.ts";
import { connect } from "../../testing/api/api-client.ts";
import { type Cluster, startCluster } from "../../testing/api/api-server.ts";
import { startKubeControllers } from "../../testing/controllers/kube-controllers.ts";
import { objectPath } from "../../testing/object-path.ts";
import { type Stoppable, stopAll } from "../../testing/processes/stop-all.ts";
import { isUnchanged } from "../../testing/programs/operation-result.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { startKubelet } from "../../testing/stand-ins/kubelet.ts";
import { startScheduler } from "../../testing/stand-ins/scheduler.ts";
import { succeeded } from "../../testing/succeeded.ts";
import { InferencePlatform, type InferencePlatformArgs } from "./inference-platform.ts";

/** The platform on a real API server and real controllers. A kubelet and a scheduler are STAND-INS, and this file ends its Job. */

let cluster: Cluster;
const running: Stoppable[] = [];
const controllers = [
  "deployment-controller",
  "replicaset-controller",
  "garbage-collector-controller",
  "namespace-controller",
];
let job: NodeJS.Timeout;
beforeAll(async () => {
  cluster = await startCluster();
  const client = connect(cluster);
  const scope = { onError: (error: unknown) => console.error(error) };
  running.push(await startKubelet(client, scope), await startScheduler(client, scope));
  // The provider waits for a Deployment by the revision of its ReplicaSet.
  running.push(await startKubeControllers(cluster, controllers));
  const path = "/apis/batch/v1/namespaces/volcano-system/jobs/volcano-admission-init";
  job = setInterval(() => void completeJob(client, path).catch(() => {}), 200);
}, 120_000);
afterAll(async () => {
  clearInterval(job);
  await stopAll(running);
  await cluster?.stop();
});

/** Does what the Job controller does after the Job's pod has ended. */
async function completeJob(client: ReturnType<typeof connect>, path: string): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+/, "");
  const condition = (type: string) => ({ type, status: "True", lastTransitionTime: now });
  const status = {
    startTime: now,
    completionTime: now,
    succeeded: 1,
    uncountedTerminatedPods: {},
    ready: 0,
    terminating: 0,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  };
  await client.request("PATCH", `${path}/status`, { status }, "application/merge-patch+json");
}

const stackOf = (args: InferencePlatformArgs, state = stateFolder()) =>
  openStack({
    project: "p",
    stack: "dev",
    program: {
      run: async () => {
        const { versions, nodes } = new InferencePlatform("platform", args);
        const deployments = Object.values(nodes)
          .flat()
          .flatMap((each) => ("spec" in each ? [each.spec as pulumi.Output<object>] : []));
        return { versions, specs: pulumi.all(deployments) };
      },
    },
    state,
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });

const all: readonly Manifest[] = prerequisiteNames.flatMap((name) => manifestsOfPrerequisite(name));

describe("InferencePlatform", () => {
  const state = stateFolder();

  it("installs every object in the order of its kinds, and a second up changes nothing", async () => {
    const { outputs, steps } = succeeded(await stackOf({}, state).up());
    expect(outputs.versions).toMatchObject({
      value: expect.objectContaining({ leaderWorkerSet: "0.9.0", keda: "2.21.0" }),
    });
    for (const object of all) await cluster.request("GET", objectPath(object));

    const created = steps.map(({ name }) => name);
    const order = [
      "platform-namespace-lws-system",
      "platform-customresourcedefinition-leaderworkersets.leaderworkerset.x-k8s.io",
      "platform-serviceaccount-lws-system-lws-controller-manager",
      "platform-deployment-lws-system-lws-controller-manager",
      "platform-mutatingwebhookconfiguration-lws-mutating-webhook-configuration",
    ].map((name) => created.indexOf(name));
    expect(order).not.toContain(-1);
    expect(order.toSorted((a, b) => a - b)).toEqual(order);

    const again = succeeded(await stackOf({}, state).up());
    expect(isUnchanged(again)).toBe(true);
  }, 240_000);

  it("keeps the CRDs when it is destroyed, and removes the rest", async () => {
    succeeded(await stackOf({}, state).destroy());
    const [crd] = manifestsOfPrerequisite("gatewayApi");
    await cluster.request("GET", objectPath(crd as Manifest));
    const webhook = all.find(({ kind }) => kind === "MutatingWebhookConfiguration") as Manifest;
    await expect(cluster.request("GET", objectPath(webhook))).rejects.toThrow("404");
  }, 240_000);
});

it("leaves out components, and takes images from a registry", async () => {
  const args = { volcano: false, keda: false, registry: "registry.test:5000/team" };
  const { outputs } = succeeded(await stackOf(args).preview());
  const specs = (outputs.specs as { value: object[] }).value;
  expect(imagesOf(specs as Manifest[])).toEqual(["registry.test:5000/team/lws/lws:v0.9.0"]);
});

describe("digests", () => {
  const of = (digit: string) => `sha256:${digit.repeat(64)}`;
  const images = imagesOf(manifestsOfPrerequisite("leaderWorkerSet"));
  const digests = Object.fromEntries(images.map((image) => [image, of("5")]));
  const only = { volcano: false, keda: false };

  it("pins every image, also in another registry", async () => {
    const args = { ...only, digests, registry: "registry.test:5000/team" };
    const { outputs } = succeeded(await stackOf(args).preview());
    const specs = (outputs.specs as { value: object[] }).value;
    expect(imagesOf(specs as Manifest[])).toEqual([
      `registry.test:5000/team/lws/lws:v0.9.0@${of("5")}`,
    ]);
  });

  it.each([
    ["a missing digest", {}, "is missing"],
    ["a tag", Object.fromEntries(images.map((image) => [image, "v1"])), 'is "v1"'],
    ["a path", Object.fromEntries(images.map((image) => [image, "sha256:../../x"])), "sha256:../"],
  ])("refuses %s", async (_, wrong, message) => {
    const { diagnostics } = await stackOf({ ...only, digests: wrong }).preview();
    const text = diagnostics.map((each) => each.message).join("\n");
    expect(text).toContain(`digests["${images[0]}"]: `);
    expect(text).toContain(message);
  });
});

it("refuses an invalid registry", async () => {
  const { diagnostics } = await stackOf({ registry: "https://registry.test" }).preview();
  expect(diagnostics.map(({ message }) => message).join("\n")).toContain(
    'InferencePlatform "platform": registry: is "https://registry.test"; allowed: HOST[:PORT][/PATH]',
  );
});
