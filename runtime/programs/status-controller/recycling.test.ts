import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { planInferenceService } from "../../../sdk/plan/inference-service.ts";
import { type ObservedPod, observePod } from "../../../sdk/status/observed.ts";
import type { InferenceServiceStatus } from "../../../sdk/status/schemas.ts";
import { parsed } from "../../../sdk/status/service-objects.fixture.ts";
import { type AttachedCluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installOwnCrds } from "../../../testing/api/install-crds.ts";
import { sharedCluster } from "../../../testing/clusters/shared-cluster.ts";
import { decoder, prefiller, router, service } from "../../../testing/samples/sample-service.ts";
import { newLog } from "../../manager/log.ts";
import { eventually, type PickerMetadata, Scene } from "./controller.fixture.ts";
import type { StatusControllerOptions } from "./controller.ts";
import { PodRecycler } from "./pod-recycler.ts";

/** Recycling of failing pods on a real API server. The tests write the picker's metrics page. */

const roles = [prefiller({ replicas: 3 }), decoder({ replicas: 3 }), router()];
const allowing = (podsPerHour: number) =>
  service(roles, { resilience: { recycle: { podsPerHour } } });
const plain = service(roles);
const minute = 60_000;
const pickerIp = "10.0.0.9";

let cluster: AttachedCluster;
let scene: Scene;
/** Seconds of failures by pod, for the picker's page. */
let failing: Record<string, number>;
/** Minutes by which the controller's clock is ahead, so that pods are older than their failures. */
let minutes: number;
let asked: string[];

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
beforeEach(() => {
  failing = {};
  minutes = 10;
  asked = [];
});
afterEach(() => scene.end());
afterAll(() => cluster?.detach());

const page = () =>
  Buffer.from(
    Object.entries(failing)
      .map(
        ([pod, seconds]) =>
          `llm_d_epp_pd_pod_failing_seconds{namespace="${scene.namespace}",pod="${pod}"} ${seconds}\n`,
      )
      .join(""),
  );

/** Creates a service whose pods are all Ready, and starts a controller that polls its picker. */
async function deployed(input: typeof plain, options: Partial<StatusControllerOptions> = {}) {
  scene = new Scene(cluster, await freshNamespace(cluster, "recycling"));
  for (const manifest of planInferenceService(input, { statusObject: "full" }))
    if (/^(InferenceService|InferencePool|LeaderWorkerSet)$/.test(manifest.kind))
      await scene.apply(manifest);
  const owner = await scene.pickerOwner("svc-epp");
  await scene.pods(parsed(input), () => ({ ready: true }), owner);
  await scene.report(scene.path("v1", "pods", "epp-0"), { podIP: pickerIp });
  for (const each of await pods()) failing[each.name] = 0;
  const { client } = scene;
  return scene.start({
    recyclesPods: true,
    readPage: async () => page(),
    pickerIntervalMs: 50,
    now: () => Date.now() + minutes * minute,
    client: {
      watch: client.watch.bind(client),
      request(method, path, options) {
        if (method !== "GET") asked.push(`${method} ${path.split(`/${scene.namespace}/`)[1]}`);
        return client.request(method, path, options);
      },
    },
    ...options,
  });
}

async function pods(): Promise<ObservedPod[]> {
  const { items } = await cluster.request<{ items: object[] }>("GET", scene.path("v1", "pods"));
  return items.map((pod) => observePod(pod));
}
const deleting = async () => (await pods()).filter((pod) => pod.deleting).map(({ name }) => name);
const recycledPods = async () => {
  const { status } = await cluster.request<{ status?: InferenceServiceStatus }>(
    "GET",
    scene.path("fusioninfer.io/v1alpha1", "inferenceservices", "svc"),
  );
  return status?.recycledPods?.map(({ name }) => name) ?? [];
};
const deletions = () => asked.filter((each) => each.startsWith("DELETE"));

/** Replaces a pod, as the kubelet and the StatefulSet do after its deletion. */
async function comesBack(name: string): Promise<void> {
  const only = (pod: string) => (pod === name ? { ready: true } : undefined);
  await scene.pods(parsed(plain), only);
}

it("a failing pod is deleted after the status lists it, with an event, and the next one waits for the budget", async () => {
  const controller = await deployed(allowing(1));
  const [before] = (await pods()).filter(({ name }) => name === "prefill-1-0");
  failing["prefill-1-0"] = 90;
  failing["decode-2-0"] = 70;
  await eventually(deleting).toEqual(["prefill-1-0"]);
  expect(await recycledPods()).toEqual(["prefill-1-0"]);
  const status = "PATCH inferenceservices/svc/status";
  expect(asked.indexOf("DELETE pods/prefill-1-0")).toBeGreaterThan(asked.indexOf(status));
  const event = async () => {
    const { items } = await cluster.request<{
      items: Array<{ reason: string; involvedObject: object; message: string }>;
    }>("GET", scene.path("v1", "events"));
    return items.find(({ reason }) => reason === "Recycled");
  };
  await eventually(event).toMatchObject({
    involvedObject: { kind: "Pod", name: "prefill-1-0", uid: before?.uid },
    message: expect.stringContaining("InferenceService svc allows"),
  });

  failing["prefill-1-0"] = 0;
  await comesBack("prefill-1-0");
  // The other pod still fails: its service is reconciled repeatedly.
  const { polls } = controller;
  await eventually(async () => controller.polls).toBeGreaterThan(polls + 5);
  expect(deletions()).toEqual(["DELETE pods/prefill-1-0"]);
  minutes += 61;
  await eventually(deleting).toEqual(["decode-2-0"]);
  expect(await recycledPods()).toEqual(["decode-2-0"]);
  const [family] = controller.metrics.families.filter(({ name }) => /recycled/.test(name));
  expect([...(family?.read() ?? [])]).toEqual([
    { labels: [scene.namespace, "svc", "deleted"], value: 2 },
  ]);
});

/** S3 of issue 44: pods with a picker's label and forged metadata. */
const forgeries: ReadonlyArray<[what: string, forge: (own: PickerMetadata) => object]> = [
  ["a label alone", ({ labels }) => ({ labels })],
  [
    "an owner that does not exist",
    ({ labels, ownerReferences: [owner] }) => ({
      labels,
      ownerReferences: [{ ...owner, uid: "00000000-0000-0000-0000-000000000000" }],
    }),
  ],
  [
    "the owner's uid under another name",
    ({ labels, ownerReferences: [owner] }) => ({
      labels,
      ownerReferences: [{ ...owner, name: "other" }],
    }),
  ],
  [
    "the owner without the hash of its template",
    ({ labels, ownerReferences }) => ({
      labels: { ...labels, "pod-template-hash": "other" },
      ownerReferences,
    }),
  ],
  [
    "an owner that is not its controller",
    ({ labels, ownerReferences: [owner] }) => ({
      labels,
      ownerReferences: [{ ...owner, controller: false }],
    }),
  ],
  ["everything, beyond the replicas that the Deployment asks for", (own) => own],
];

it("a pod with forged picker metadata is not polled and causes no deletion", async () => {
  const read: string[] = [];
  const controller = await deployed(allowing(2), {
    pickerIntervalMs: 3_600_000,
    readPage: async (address) => {
      read.push(address);
      if (address !== pickerIp) failing["prefill-1-0"] = 90;
      return page();
    },
  });
  const own = await scene.pickerOwner("svc-epp");
  for (const [at, [, forge]] of forgeries.entries()) {
    const name = `forged-${at}`;
    await cluster.request("POST", scene.path("v1", "pods"), {
      metadata: { name, ...forge(own) },
      spec: { nodeName: "node", containers: [{ name: "c", image: "i" }] },
    });
    await scene.report(scene.path("v1", "pods", name), {
      podIP: `10.0.1.${at}`,
      podIPs: [{ ip: `10.0.1.${at}` }],
      conditions: [{ type: "Ready", status: "True" }],
    });
  }
  await eventually(async () => {
    await controller.pollPickers();
    return read.length;
  }).toBeGreaterThan(20);
  expect([...new Set(read)]).toEqual([pickerIp]);
  expect(deletions()).toEqual([]);
});

it.each<[string, typeof plain, Partial<StatusControllerOptions>]>([
  ["the service does not allow it", plain, {}],
  ["recyclesPods is false", allowing(2), { recyclesPods: false }],
])("no picker is polled for failures and no pod is deleted if %s", async (_, input, options) => {
  let pages = 0;
  const readPage = async () => {
    pages += 1;
    return page();
  };
  const controller = await deployed(input, { ...options, readPage });
  failing["prefill-1-0"] = 90;
  await eventually(async () => controller.polls).toBeGreaterThan(0);
  await controller.pollPickers();
  await controller.pollPickers();
  expect(pages).toBe(0);
  expect(deletions()).toEqual([]);
});

it("a pod that was recreated in the meantime is not deleted", async () => {
  await deployed(plain);
  const results: string[] = [];
  const recycler = new PodRecycler({
    ...{ client: scene.client, now: Date.now },
    log: newLog({ verbosity: 0, write: () => {}, now: Date.now }),
    onEnd: (...told) => results.push(told.join(" ")),
  });
  const [pod] = await pods();
  await recycler.recycle({ name: "svc" }, { ...(pod as ObservedPod), uid: "another" });
  await recycler.recycle({ name: "svc" }, { ...(pod as ObservedPod), name: "nobody" });
  expect(results).toEqual([`${scene.namespace} svc gone`, `${scene.namespace} svc gone`]);
  expect(await deleting()).toEqual([]);
});
