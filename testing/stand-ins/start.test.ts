import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { type AttachedCluster, freshNamespace } from "../api/cluster.ts";
import { sharedCluster } from "../clusters/shared-cluster.ts";
import type { LeaderWorkerSet, Pod, PodGroup } from "./objects.ts";
import { isReady } from "./objects.ts";
import { type AdmitGang, type StandIns, type StandInsOptions, startStandIns } from "./start.ts";

const startMs = 60_000;

let cluster: AttachedCluster;
let namespace: string;
let standIns: StandIns | undefined;

beforeAll(async () => {
  cluster = await sharedCluster();
}, startMs);
beforeEach(async () => {
  namespace = await freshNamespace(cluster, "stand-ins");
});
afterEach(async () => {
  await standIns?.stop();
  standIns = undefined;
});

const start = async (options: StandInsOptions = {}) => {
  standIns = await startStandIns(cluster, { namespace, tickMs: 0, ...options });
  return standIns;
};

const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
const lwsPath = () => `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${namespace}/leaderworkersets`;
const podGroupPath = () => `/apis/scheduling.volcano.sh/v1beta1/namespaces/${namespace}/podgroups`;

const list = async <T>(path: string) => (await cluster.request<{ items: T[] }>("GET", path)).items;

async function pods(): Promise<Pod[]> {
  const all = await list<Pod>(core("pods"));
  return all.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

const names = (objects: Array<{ metadata: { name: string } }>) =>
  objects.map(({ metadata }) => metadata.name);
const uids = (objects: Pod[]) => objects.map(({ metadata }) => metadata.uid);
const placed = (all: Pod[]) => names(all.filter(({ spec }) => spec.nodeName !== undefined));

/** Reads until the answer is as wanted. The time limit of the test ends it. */
async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const arePlaced = (count: number) => (all: Pod[]) =>
  all.length === count && all.every(({ status }) => status.phase === "Running");

const gone = (path: string) =>
  until(
    () => cluster.request("GET", path).catch((error: { status: number }) => error.status),
    (answer) => answer === 404,
  );

const template = (gpus = 0, gang?: string) => ({
  metadata: {
    labels: { app: "engine" },
    ...(gang && { annotations: { "scheduling.k8s.io/group-name": gang } }),
  },
  spec: {
    ...(gang && { schedulerName: "volcano" }),
    containers: [
      {
        name: "engine",
        image: "engine:1",
        resources: { limits: gpus > 0 ? { "nvidia.com/gpu": String(gpus) } : {} },
      },
    ],
  },
});

const rolloutStrategy = {
  type: "RollingUpdate",
  rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 0 },
};

const createLws = (
  name: string,
  replicas: number,
  size: number,
  workerTemplate: object = template(),
) =>
  cluster.request("POST", `${lwsPath()}?fieldValidation=Strict`, {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name },
    spec: { replicas, rolloutStrategy, leaderWorkerTemplate: { size, workerTemplate } },
  });

const createPodGroup = (name: string, spec: object) =>
  cluster.request("POST", `${podGroupPath()}?fieldValidation=Strict`, {
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "PodGroup",
    metadata: { name },
    spec,
  });

const patchLws = (name: string, spec: object) =>
  cluster.request("PATCH", `${lwsPath()}/${name}`, { spec }, mergePatchType);

const lwsStatus = async (name: string) =>
  (await cluster.request<LeaderWorkerSet>("GET", `${lwsPath()}/${name}`)).status;

describe("a LeaderWorkerSet", () => {
  it("gets pods with addresses of their own and a headless Service", async () => {
    await start();
    await createLws("m", 2, 2);
    const running = await until(pods, arePlaced(4));
    expect(names(running)).toEqual(["m-0", "m-0-1", "m-1", "m-1-1"]);
    const addresses = running.map(({ status }) => status.podIP);
    expect(new Set(addresses).size).toBe(4);
    for (const address of addresses) expect(address).toMatch(/^127\.\d+\.\d+\.\d+$/);
    const service = await cluster.request("GET", `${core("services")}/m`);
    expect(service).toMatchObject({
      spec: {
        clusterIP: "None",
        publishNotReadyAddresses: true,
        selector: { "leaderworkerset.sigs.k8s.io/name": "m" },
      },
    });
  });

  it("has one more ready group per tick, as the readiness option defines", async () => {
    const { tick } = await start({
      readiness: ({ metadata }) => (metadata.name === "m-1" ? "never" : 1),
    });
    await createLws("m", 3, 1);
    await until(pods, arePlaced(3));
    const ready: string[][] = [];
    for (const count of [0, 1, 2, 2]) {
      ready.push(names((await pods()).filter(isReady)));
      await until(
        () => lwsStatus("m"),
        (status) => status?.readyReplicas === count,
      );
      await tick();
    }
    expect(ready).toEqual([[], ["m-0"], ["m-0", "m-2"], ["m-0", "m-2"]]);
    expect((await lwsStatus("m"))?.conditions).toMatchObject([
      { type: "Progressing", status: "True" },
    ]);
  });

  it("recreates a whole group when one of its containers restarts", async () => {
    await start({ tickMs: 10 });
    await createLws("m", 2, 2);
    const before = await until(pods, arePlaced(4));
    await cluster.request(
      "PATCH",
      `${core("pods")}/m-1-1/status`,
      {
        status: {
          containerStatuses: [{ ...before[3]?.status.containerStatuses?.[0], restartCount: 1 }],
        },
      },
      mergePatchType,
    );
    const after = await until(
      pods,
      (all) =>
        arePlaced(4)(all) && uids(all).filter((uid) => uids(before).includes(uid)).length === 2,
    );
    expect(uids(after).slice(0, 2)).toEqual(uids(before).slice(0, 2));
    await until(
      () => lwsStatus("m"),
      (status) => status?.readyReplicas === 2,
    );
  });

  it("recreates a whole group when one of its pods is deleted", async () => {
    await start();
    await createLws("m", 1, 2);
    const before = await until(pods, arePlaced(2));
    await cluster.request("DELETE", `${core("pods")}/m-0-1`);
    await until(
      pods,
      (all) => arePlaced(2)(all) && uids(all).every((uid) => !uids(before).includes(uid)),
    );
  });

  it("scales without changing the remaining groups", async () => {
    await start();
    await createLws("m", 2, 2);
    const before = await until(pods, arePlaced(4));
    await patchLws("m", { replicas: 3 });
    const more = await until(pods, arePlaced(6));
    expect(uids(more).slice(0, 4)).toEqual(uids(before));
    await patchLws("m", { replicas: 1 });
    const fewer = await until(pods, arePlaced(2));
    expect(uids(fewer)).toEqual(uids(before).slice(0, 2));
  });

  it("rolls out a changed template one group at a time", async () => {
    const { tick } = await start();
    await createLws("m", 2, 1);
    const before = await until(pods, arePlaced(2));
    await tick();
    await tick();
    await until(
      () => lwsStatus("m"),
      (status) => status?.readyReplicas === 2,
    );
    await patchLws("m", { leaderWorkerTemplate: { workerTemplate: template(8) } });
    const half = await until(
      pods,
      (all) => arePlaced(2)(all) && all[1]?.metadata.uid !== before[1]?.metadata.uid,
    );
    expect(half[0]?.metadata.uid).toBe(before[0]?.metadata.uid);
    await tick();
    await until(
      pods,
      (all) => arePlaced(2)(all) && all[0]?.metadata.uid !== before[0]?.metadata.uid,
    );
  });

  it("is deleted with its pods and its Service in a foreground deletion", async () => {
    await start();
    await createLws("m", 2, 2);
    await until(pods, arePlaced(4));
    await cluster.request("DELETE", `${lwsPath()}/m?propagationPolicy=Foreground`);
    await gone(`${lwsPath()}/m`);
    expect(await pods()).toEqual([]);
    expect(await list(core("services"))).toEqual([]);
  });

  it("gets an event and no pods if upstream would create none", async () => {
    const { errors } = await start();
    const name = "a".repeat(53);
    await createLws(name, 1, 1);
    const [event] = await until(
      () => list<{ message: string }>(core("events")),
      (all) => all.length > 0,
    );
    expect(event?.message).toContain("has 53 characters");
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(name)]);
    expect(await pods()).toEqual([]);
  });

  it("keeps its pods and can be scaled after the stand-ins restart", async () => {
    const first = await start();
    await createLws("m", 1, 2);
    const before = await until(pods, arePlaced(2));
    await first.stop();
    await patchLws("m", { replicas: 2 });
    await start();
    const after = await until(pods, arePlaced(4));
    expect(uids(after).slice(0, 2)).toEqual(uids(before));
    expect(new Set(after.map(({ status }) => status.podIP)).size).toBe(4);
  });
});

describe("a gang", () => {
  const nodes = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `gpu-${at}`, gpus: 8 }));

  /** A pod that needs nothing is placed by a pass that has looked at all the others. */
  const schedulerHasLooked = async () => {
    await createLws("canary", 1, 1);
    await until(pods, (all) => placed(all).includes("canary-0"));
  };

  it("waits until its PodGroup exists", async () => {
    await start();
    await createLws("m", 1, 2, template(8, "gang"));
    await until(pods, (all) => all.length === 2);
    await schedulerHasLooked();
    expect(placed(await pods())).toEqual(["canary-0"]);
    await createPodGroup("gang", { minMember: 2 });
    await until(pods, arePlaced(3));
    const running = (group: PodGroup) =>
      group.status?.phase === "Running" && group.status.running === 2;
    await until(() => cluster.request<PodGroup>("GET", `${podGroupPath()}/gang`), running);
  });

  it("starts all of its pods or none by default", async () => {
    await start({ nodes: nodes(3) });
    await createPodGroup("gang", { minMember: 4 });
    await createLws("m", 2, 2, template(8, "gang"));
    await createLws("alone", 1, 1, template(8));
    await until(pods, (all) => all.length === 5 && placed(all).length > 0);
    await schedulerHasLooked();
    expect(placed(await pods())).toEqual(["alone-0", "canary-0"]);
  });

  it("starts only the pods that the admission function admits", async () => {
    const firstGroupOnly: AdmitGang = ({ pods: gang, freeGpus }) => {
      const group = gang.filter(({ metadata }) => /^m-0/.test(metadata.name));
      const free = [...(freeGpus ?? [])].filter(([, gpus]) => gpus >= 8).map(([node]) => node);
      return group.length < 2
        ? []
        : group.flatMap(({ metadata }, at) => ({ pod: metadata.name, node: free[at] ?? "none" }));
    };
    const { errors } = await start({ nodes: nodes(2), admit: firstGroupOnly });
    await createPodGroup("gang", { minMember: 2 });
    await createLws("m", 2, 2, template(8, "gang"));
    await until(pods, (all) => all.length === 4 && placed(all).length === 2);
    await schedulerHasLooked();
    expect(placed(await pods())).toEqual(["canary-0", "m-0", "m-0-1"]);
    expect(errors).toEqual([]);
  });

  it("is not admitted with more GPUs than exist", async () => {
    const allOnOne: AdmitGang = ({ pods: gang }) =>
      gang.map(({ metadata }) => ({ pod: metadata.name, node: "gpu-0" }));
    const { errors } = await start({ nodes: nodes(2), admit: allOnOne });
    await createPodGroup("gang", { minMember: 2 });
    await createLws("m", 1, 2, template(8, "gang"));
    await until(
      async () => errors.length,
      (count) => count > 0,
    );
    expect(errors[0]?.message).toMatch(/does not fit on node gpu-0: 8 GPUs short/);
  });
});

describe("kinds of Kubernetes' own", () => {
  const deployment = (image: string) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "epp" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "epp" } },
      template: {
        metadata: { labels: { app: "epp" } },
        spec: {
          containers: [
            {
              name: "epp",
              image,
              readinessProbe: { grpc: { port: 9003 } },
              ports: [{ containerPort: 9002 }],
            },
          ],
        },
      },
    },
  });
  const path = () => `/apis/apps/v1/namespaces/${namespace}/deployments/epp`;
  const isAvailable = ({ status }: { status?: { availableReplicas?: number } }) =>
    status?.availableReplicas === 2;

  it("a Deployment becomes available, its Service gets endpoints, and a new template creates new pods", async () => {
    await start({ tickMs: 10 });
    await cluster.apply(path(), deployment("epp:1"));
    await cluster.apply(`${core("services")}/epp`, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "epp" },
      spec: { selector: { app: "epp" }, ports: [{ name: "grpc", port: 9002 }] },
    });
    await until(() => cluster.request<{ status?: object }>("GET", path()), isAvailable);
    await until(
      () =>
        list<{ endpoints: Array<{ conditions: object }> }>(
          `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
        ),
      ([slice]) =>
        JSON.stringify(slice?.endpoints?.map(({ conditions }) => conditions)) ===
        '[{"ready":true},{"ready":true}]',
    );
    const before = uids(await pods());
    await cluster.apply(path(), deployment("epp:2"));
    await until(
      pods,
      (all) => arePlaced(2)(all) && uids(all).every((uid) => !before.includes(uid)),
    );
    await until(() => cluster.request<{ status?: object }>("GET", path()), isAvailable);
  });

  it("a namespace is deleted with all of its objects", async () => {
    await start({ tickMs: 10 });
    await cluster.apply(path(), deployment("epp:1"));
    await createLws("m", 1, 2);
    await until(pods, arePlaced(4));
    await cluster.request("DELETE", `/api/v1/namespaces/${namespace}`);
    await gone(`/api/v1/namespaces/${namespace}`);
  });

  it("an orphaned object outlives its owner", async () => {
    await start();
    const owner = await cluster.apply<{ metadata: { uid: string } }>(
      `${core("configmaps")}/owner`,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "owner" },
      },
    );
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid },
    ];
    const child = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "child", ownerReferences },
    };
    await cluster.request("POST", core("configmaps"), child);
    await cluster.request("DELETE", `${core("configmaps")}/owner?propagationPolicy=Orphan`);
    await gone(`${core("configmaps")}/owner`);
    const left = await cluster.request<Pod>("GET", `${core("configmaps")}/child`);
    expect(left.metadata.ownerReferences).toBeUndefined();
  });
});
