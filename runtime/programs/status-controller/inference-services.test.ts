import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ApiError } from "../../../kubernetes/api/api-error.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { planInferenceService } from "../../../sdk/plan/inference-service.ts";
import { planSharedEndpointPicker } from "../../../sdk/plan/picker/shared-picker.ts";
import { timestampOf } from "../../../sdk/status/conditions.ts";
import { unschedulableLimit } from "../../../sdk/status/role-status.ts";
import { type PodState, parsed } from "../../../sdk/status/service-objects.fixture.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { sharedEndpointPickerSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import { type AttachedCluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installOwnCrds } from "../../../testing/api/install-crds.ts";
import { sharedCluster } from "../../../testing/clusters/shared-cluster.ts";
import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../../testing/samples/sample-service.ts";
import { conditionsOf, eventually, Scene } from "./controller.fixture.ts";

const twoNodes = { replicas: 1, multinode: { nodeCount: 2 } };
const pd = service([prefiller(), decoder(twoNodes), router()]);
const { metadata } = pd;
const api = "fusioninfer.io/v1alpha1";
const poolApi = "inference.networking.k8s.io/v1";

let cluster: AttachedCluster;
let scene: Scene;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
afterEach(() => scene.end());
afterAll(() => cluster?.detach());

/** Creates the planned objects of a service in a new namespace. */
async function deployed(): Promise<Scene> {
  scene = new Scene(cluster, await freshNamespace(cluster, "status"));
  for (const manifest of planInferenceService(pd, { statusObject: "full" }))
    if (!/^(Cluster)?Role|^ServiceAccount|^ConfigMap/.test(manifest.kind))
      await scene.apply(manifest);
  return scene;
}

const stored = () => scene.get(api, "inferenceservices", metadata.name);
const phases = async () => {
  const { components = {} } = (await stored()).status ?? {};
  return Object.fromEntries(Object.entries(components).map(([role, { phase }]) => [role, phase]));
};
const all = (phase: string) => ({ prefill: phase, decode: phase, router: phase });

/** Writes the statuses that controllers report for the service's workloads and route. */
async function controllersSee(): Promise<void> {
  for (const name of ["svc-prefill-0", "svc-decode-0"])
    await scene.report(scene.path("leaderworkerset.x-k8s.io/v1", "leaderworkersets", name), {
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
    });
  await scene.report(scene.path("apps/v1", "deployments", "svc-epp"), {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
  });
  await scene.report(scene.path("scheduling.volcano.sh/v1beta1", "podgroups", "svc"), {
    phase: "Running",
  });
  await scene.report(scene.path("gateway.networking.k8s.io/v1", "httproutes", "svc-httproute"), {
    parents: [
      {
        controllerName: "example.com/gateway",
        parentRef: { name: "gateway" },
        conditions: ["Accepted", "ResolvedRefs"].map((type) => ({
          ...{ type, status: "True", reason: type, message: "" },
          lastTransitionTime: "2026-01-01T00:00:00Z",
        })),
      },
    ],
  });
}

it("the phase of each role follows the state of its pods", async () => {
  await deployed();
  scene.start();
  await eventually(phases).toEqual(all("Pending"));
  expect((await stored()).status?.conditions?.[0]?.message).toMatch(/waiting for 3 of 3 nodes$/);

  await controllersSee();
  const service = parsed(pd);
  await scene.pods(service, () => ({ scheduled: true }));
  await eventually(phases).toEqual(all("Deploying"));

  const crashing: PodState = { scheduled: true, waiting: "CrashLoopBackOff" };
  await scene.pods(service, (pod) => (pod === "decode-0-1" ? crashing : { ready: true }));
  await eventually(phases).toEqual({ ...all("Running"), decode: "Failed" });
  expect((await stored()).status).toMatchObject({
    observedGeneration: 1,
    components: {
      decode: {
        ...{ desiredReplicas: 1, readyReplicas: 0, nodesPerReplica: 2, totalPods: 2, readyPods: 1 },
      },
    },
  });
  expect(conditionsOf((await stored()).status)).toEqual([
    "Available=False/MinimumNotReady",
    "Progressing=False/Stalled",
    "Degraded=True/PodsFailing",
  ]);

  await scene.pods(service, () => ({ ready: true }));
  await eventually(phases).toEqual(all("Running"));
  await eventually(async () => conditionsOf((await stored()).status)).toEqual([
    "Available=True/MinimumReady",
    "Progressing=False/Complete",
    "Degraded=False/AsExpected",
  ]);
});

it("a role is Failed if its pods cannot be created or have had no node for too long", async () => {
  await deployed();
  await controllersSee();
  scene.start();
  await eventually(phases).toEqual(all("Pending"));
  const now = new Date();
  await cluster.request("POST", scene.path("v1", "events"), {
    metadata: { name: "quota" },
    involvedObject: { kind: "StatefulSet", name: "svc-decode-0-0", namespace: scene.namespace },
    type: "Warning",
    reason: "FailedCreate",
    message: "exceeded quota",
    lastTimestamp: timestampOf(now.getTime()),
  });
  await eventually(phases).toEqual({ ...all("Pending"), decode: "Failed" });
  expect((await stored()).status?.conditions?.[2]?.message).toBe(
    "decode: 0 of 1 replicas ready (0 of 2 pods), svc-decode-0-0: FailedCreate: exceeded quota",
  );
  // The time limit for scheduling ends in two seconds.
  const unschedulableSince = timestampOf(now.getTime() - (unschedulableLimit - 2) * 1000);
  await scene.pods(parsed(pd), (pod) =>
    pod.startsWith("prefill") ? { unschedulableSince } : undefined,
  );
  await eventually(phases).toEqual({ ...all("Failed"), router: "Pending" });
});

it("phases are Unknown while a kind cannot be read, and recover afterwards", async () => {
  await deployed();
  const client = scene.client;
  let readable = true;
  const pods = scene.path("v1", "pods");
  const refuse = (path: string) => {
    if (!readable && path === pods) throw new Error("connection refused");
  };
  scene.start({
    staleAfterMs: 200,
    client: {
      request: (method, path, options) => {
        refuse(path);
        return client.request(method, path, options);
      },
      async *watch(path, options) {
        for await (const event of client.watch(path, options)) {
          refuse(path);
          yield event as never;
        }
      },
    },
  });
  await controllersSee();
  await scene.pods(parsed(pd), () => ({ ready: true }));
  await eventually(phases).toEqual(all("Running"));
  readable = false;
  await cluster.request(
    "PATCH",
    `${pods}/decode-0-1`,
    { metadata: { labels: { x: "y" } } },
    mergePatchType,
  );
  await eventually(async () => (await stored()).status?.conditions?.[0]?.message).toBe(
    "v1/pods cannot be read: connection refused",
  );
  await eventually(phases).toEqual(all("Unknown"));
  expect((await stored()).status?.components?.decode).toMatchObject({ readyPods: 2 });
  readable = true;
  await eventually(phases).toEqual(all("Running"));
});

it("the conditions of an invalid service contain its problems", async () => {
  await deployed();
  await cluster.request(
    "PATCH",
    scene.path(api, "inferenceservices", metadata.name),
    { spec: { roles: [{ name: "decode", componentType: "decoder", replicas: -1 }] } },
    mergePatchType,
  );
  scene.start();
  await eventually(async () => conditionsOf((await stored()).status)).toEqual([
    "Available=False/InvalidSpec",
    "Progressing=False/InvalidSpec",
    "Degraded=False/InvalidSpec",
  ]);
  expect((await stored()).status?.conditions?.[0]?.message).toContain("roles[0].replicas: is -1");
});

it("the controller writes a status once, and nothing after a restart even if its clock is wrong", async () => {
  await deployed();
  await controllersSee();
  await scene.pods(parsed(pd), () => ({ ready: true }));
  scene.start();
  await eventually(phases).toEqual(all("Running"));
  // A change that does not affect the status causes no further write.
  await cluster.request(
    "PATCH",
    scene.path("v1", "pods", "decode-0-0"),
    { metadata: { labels: { x: "y" } } },
    mergePatchType,
  );
  const { resourceVersion } = (await stored()).metadata;
  await scene.stop();
  expect(scene.writes()).toEqual(["patch inferenceservices/svc/status"]);

  // A replica's clock may be wrong: existing times are kept.
  const hour = 3_600_000;
  for (const ahead of [0, hour, -hour]) {
    const again = scene.start({ now: () => Date.now() + ahead });
    await eventually(async () => again.polls).toBeGreaterThan(0);
    await scene.stop();
    expect((await stored()).metadata.resourceVersion).toBe(resourceVersion);
  }
  expect(scene.writes()).toHaveLength(1);
});

it.each([
  ["forward", 3_600_000, 10, "Failed", "Pending"],
  ["backward", -3_600_000, unschedulableLimit - 8, "Pending", "Failed"],
])(
  "a status that depends on the time is right again after the clock jumps %s and back",
  async (_, jump, seconds, during, afterwards) => {
    await deployed();
    await controllersSee();
    const unschedulableSince = timestampOf(Date.now() - seconds * 1_000);
    await scene.pods(parsed(pd), (pod) =>
      pod.startsWith("prefill") ? { unschedulableSince } : undefined,
    );
    let skew = 0;
    scene.start({ now: () => Date.now() + skew });
    await eventually(phases).toEqual(all("Pending"));
    skew = jump;
    await eventually(phases).toEqual({ ...all("Pending"), prefill: during });
    // A change while the clock is wrong.
    await cluster.request(
      "PATCH",
      scene.path("v1", "pods", "prefill-0-0"),
      { metadata: { labels: { x: "y" } } },
      mergePatchType,
    );
    await sleep(500);
    skew = 0;
    await eventually(phases).toEqual({ ...all("Pending"), prefill: afterwards });
  },
);

it("a status that was computed from an outdated object is refused and computed again", async () => {
  await deployed();
  const client = scene.client;
  const refused: unknown[] = [];
  let meddled = false;
  scene.start({
    client: {
      watch: client.watch,
      request: async (method, path, options) => {
        if (method === "PATCH" && !meddled) {
          meddled = true;
          const mark = { metadata: { annotations: { by: "somebody" } } };
          await cluster.request(
            "PATCH",
            scene.path(api, "inferenceservices", metadata.name),
            mark,
            mergePatchType,
          );
        }
        return client.request<never>(method, path, options).catch((error: ApiError) => {
          refused.push(error.status);
          throw error;
        });
      },
    },
  });
  await eventually(phases).toEqual(all("Pending"));
  expect(refused).toEqual([409]);
  expect(scene.writes()).toHaveLength(2);
});

it("the controller retries a failed write", async () => {
  await deployed();
  const client = scene.client;
  let failures = 3;
  scene.start({
    client: {
      watch: client.watch,
      request: (method, path, options) => {
        if (method === "PATCH" && failures-- > 0) throw new Error("connection reset");
        return client.request(method, path, options);
      },
    },
  });
  await eventually(phases).toEqual(all("Pending"));
  expect(scene.logged.join()).toContain("connection reset");
});

it("the controller restores a status that another client changed", async () => {
  await deployed();
  scene.start();
  await eventually(phases).toEqual(all("Pending"));
  await scene.report(scene.path(api, "inferenceservices", metadata.name), {
    components: { decode: { phase: "Running", readyPods: 9 } },
  });
  await eventually(phases).toEqual(all("Pending"));
});

it("the status of a service with a shared picker follows the picker's Deployment and pods", async () => {
  const sharing = service([worker(), router({ shared: { name: "shared", port: 10_000 } })]);
  scene = new Scene(cluster, await freshNamespace(cluster, "status"));
  for (const manifest of planInferenceService(sharing, { statusObject: "full" }))
    await scene.apply(manifest);
  await scene.pods(parsed(sharing), (pod) => (pod === "epp-0" ? undefined : { ready: true }));
  scene.start();
  const available = async () => conditionsOf((await stored()).status)[0];
  const message = async () => (await stored()).status?.conditions?.[0]?.message;
  await eventually(message).toContain("Deployment shared-epp not yet created");
  const picker = planSharedEndpointPicker(
    parseKind(sharedEndpointPickerSpecKind, { metadata: { name: "shared" }, spec: {} }),
  ).filter(({ kind }) => kind === "Deployment");
  for (const manifest of picker) await scene.apply(manifest);
  await eventually(message).toContain("router: 0 of 2 replicas ready");
  await scene.pods(parsed(sharing), (pod) => (pod === "epp-0" ? { ready: true } : undefined));
  await eventually(message).not.toContain("router: 0 of 2");
  expect(await available()).toBe("Available=False/RouteNotAccepted");
  // The rival gets the port, by its age or by its name.
  const rival = planInferenceService({
    ...sharing,
    metadata: { ...sharing.metadata, name: "a" },
  }).filter(({ kind }) => kind === "InferencePool");
  const pool = (name: string) => scene.path(poolApi, "inferencepools", name);
  await cluster.request("DELETE", pool(`${metadata.name}-pool`));
  for (const manifest of rival) await scene.apply(manifest);
  for (const manifest of planInferenceService(sharing).filter(
    ({ kind }) => kind === "InferencePool",
  ))
    await scene.apply(manifest);
  await eventually(available).toBe("Available=False/PortUnavailable");
  expect(await message()).toBe(
    `InferencePool ${metadata.name}-pool: port 10000 belongs to pool a-pool; use another port`,
  );
  await cluster.request("DELETE", pool("a-pool"));
  await eventually(available).toBe("Available=False/RouteNotAccepted");
});
