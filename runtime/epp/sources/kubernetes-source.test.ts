import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type KubernetesClient,
  type Method,
  newKubernetesClient,
  type Query,
  type RequestOptions,
  type WatchOptions,
} from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { startCluster } from "../../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installCrds } from "../../../testing/api/install-crds.ts";
import { type CuttableProxy, startCuttableProxy } from "../../../testing/proxies/cuttable-proxy.ts";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import { KubernetesSource, type KubernetesSourceOptions } from "./kubernetes-source.ts";
import { newest, older, oldest, PoolNamespace } from "./pool-namespace.fixture.ts";
import { crds, installLooseCrd } from "./served-kinds.fixture.ts";

/** A pool, its pods and its rules on a real API server, with a proxy that can cut the connection. */

const looseKinds = ["InferenceObjective", "InferenceModelRewrite"].flatMap((kind) => [
  { kind, group: "llm-d.ai", versions: ["v1alpha2"] },
  { kind, group: "inference.networking.x-k8s.io", versions: ["v1alpha2", "v1alpha1"] },
]);

let cluster: Cluster;
let proxy: CuttableProxy;
let client: KubernetesClient;
let place: PoolNamespace;
let source: KubernetesSource;
let notified: PoolObjects | undefined;
let problems: string[];
/** Lists that the source requested. */
let lists: Array<{ readonly path: string; readonly query: Query }>;
/** Open watches, by path and selector. */
const watches = new Set<string>();
/** Called before a list is sent. */
let beforeList: (path: string, query: Query) => Promise<void> | undefined;
/** Resource version from which a watch starts, instead of the requested one. */
let startOf: (path: string, version: string | undefined) => string | undefined;
/** Called when the source has received an event and has not passed it on. */
let afterEvent: () => void;
let news: () => void = () => {};

beforeAll(async () => {
  cluster = await startCluster();
  proxy = await startCuttableProxy(Number(new URL(cluster.url).port));
  const config = loadKubeConfig({ file: cluster.kubeconfig });
  const address = config.getCurrentCluster();
  if (address === null) throw new Error("the kubeconfig has a cluster");
  config.clusters = [{ ...address, server: `https://127.0.0.1:${proxy.port}` }];
  client = newKubernetesClient(config);
}, 180_000);
afterAll(async () => {
  client?.close();
  await proxy?.stop();
  await cluster?.stop();
});

beforeEach(async () => {
  place = new PoolNamespace(cluster, await freshNamespace(cluster));
  notified = undefined;
  [problems, lists] = [[], []];
  beforeList = () => undefined;
  startOf = (_, version) => version;
  afterEvent = () => {};
});
afterEach(() => source.stop());

const watched: Pick<KubernetesClient, "request" | "watch"> = {
  async request<T>(method: Method, path: string, options: RequestOptions = {}) {
    const { query = {} } = options;
    lists.push({ path, query });
    await beforeList(path, query);
    return client.request<T>(method, path, options);
  },
  async *watch<T>(path: string, options: WatchOptions) {
    const { query = {} } = options;
    const name = [path, query.labelSelector].join(" ");
    watches.add(name);
    try {
      const resourceVersion = startOf(path, query.resourceVersion);
      const asked = { ...options, query: { ...query, resourceVersion } };
      for await (const event of client.watch<T>(path, asked)) {
        yield event;
        afterEvent();
      }
    } finally {
      watches.delete(name);
    }
  },
};

function start(pool: KubernetesSourceOptions["pool"] = { name: "pool" }): void {
  source = new KubernetesSource({
    client: watched,
    namespace: place.name,
    pool,
    onProblem: (key, message) => {
      problems.push(`${key}: ${message}`);
      news();
    },
    timing: { probeIntervalMs: 50, backOff: { firstMs: 20, longestMs: 50 } },
  });
  source.start((objects) => {
    notified = objects;
    news();
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds())
    await new Promise<void>((resolve) => {
      news = resolve;
    });
}

const podNames = () => (notified?.pods ?? []).map(({ name }) => name).sort();
const port = () => notified?.pool?.targetPorts[0];
const priorities = () =>
  Object.fromEntries((notified?.objectives ?? []).map(({ name, priority }) => [name, priority]));
const models = () =>
  Object.fromEntries(
    (notified?.rewrites ?? []).map(({ name, rules }) => [name, rules[0]?.targets[0]?.model]),
  );
const become = (read: () => unknown, expected: unknown) =>
  until(() => JSON.stringify(read()) === JSON.stringify(expected));

it("the source waits for the CRD of pools only, and reads every other kind once it is served", async () => {
  await place.createPod("a");
  start();
  await until(() => notified !== undefined);
  expect([notified?.pool, source.synced()]).toEqual([undefined, false]);
  expect(problems).toEqual([
    `${place.pools}: the API server does not serve this kind; install its CRD`,
  ]);

  await installPools();
  await place.createPool();
  await until(() => source.synced());
  expect(notified).toMatchObject({ pool: { name: "pool" }, objectives: [], rewrites: [] });
  expect(podNames()).toEqual(["a"]);

  await installOthers();
  await place.createObjective(newest, "o", 1);
  await place.createRewrite(older, "r", "x");
  await become(priorities, { o: 1 });
  await become(models, { r: "x" });
});

const installPools = () => installCrds(cluster, { groups: ["inference.networking.k8s.io"] });
const installOthers = () => Promise.all(looseKinds.map((kind) => installLooseCrd(cluster, kind)));

describe("with every kind served", () => {
  beforeAll(() => Promise.all([installPools(), installOthers()]), 60_000);

  describe("pools", () => {
    it("a missing pool is reported, and passed on once it is created", async () => {
      start();
      await until(() => problems.length > 0);
      expect(problems).toEqual([
        `InferencePool ${place.name}/pool: does not exist or is being deleted`,
      ]);
      expect(source.synced()).toBe(false);
      await place.createPool();
      await become(port, 8000);
      expect(source.synced()).toBe(true);
    });

    it("a deleted pool is removed while a finalizer holds it, and a new one of the same name has a new uid", async () => {
      await place.createPool();
      start();
      await become(port, 8000);
      const { uid } = notified?.pool ?? {};
      await place.patch(place.pool, { metadata: { finalizers: ["test.example/held"] } });
      await place.remove(place.pool);
      await become(port, undefined);
      expect(source.synced()).toBe(false);
      await place.patch(place.pool, { metadata: { finalizers: null } });
      await place.createPool(9000);
      await become(port, 9000);
      expect(notified?.pool?.uid).not.toBe(uid);
      expect(problems).toHaveLength(1);
    });

    it("a pool with an edited selector keeps its old pods until the new ones are listed", async () => {
      await place.createPool();
      await place.createPod("a");
      await place.createPod("b", "n");
      start();
      await become(podNames, ["a"]);
      const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
      beforeList = (path) => (path === place.pods ? held : undefined);
      await place.patch(place.pool, {
        spec: { selector: { matchLabels: { app: "n" } }, targetPorts: [{ number: 9000 }] },
      });
      await become(port, 9000);
      expect([podNames(), source.synced()]).toEqual([["a"], true]);
      letGo();
      await become(podNames, ["b"]);
      await place.createPod("c", "n");
      await become(podNames, ["b", "c"]);
      expect([...watches].filter((name) => name.startsWith(place.pods))).toEqual([
        `${place.pods} app=n,tier=t`,
      ]);
    });
  });

  describe("pods", () => {
    it("pods appear, become ready and unready, are marked as deleting, and disappear", async () => {
      await place.createPool();
      await place.createPod("other", "n");
      start();
      await until(() => source.synced());
      const state = () =>
        notified?.pods.map(({ name, ip, ready, deleting }) => [name, ip, ready, deleting]);
      await place.createPod("a");
      await become(state, [["a", "", false, false]]);
      await place.becomeReady("a", "True");
      await become(state, [["a", "10.0.0.1", true, false]]);
      await place.becomeReady("a", "False");
      await become(state, [["a", "10.0.0.1", false, false]]);
      // The node has 30 seconds to end the pod.
      await cluster.request("DELETE", `${place.pods}/a`);
      await become(state, [["a", "10.0.0.1", false, true]]);
      await place.remove(`${place.pods}/a`);
      await become(state, []);
      await place.patch(`${place.pods}/other`, { metadata: { labels: { app: "m" } } });
      await become(podNames, ["other"]);
      await place.patch(`${place.pods}/other`, { metadata: { labels: { app: "n" } } });
      await become(podNames, []);
    });

    it("pods on several list pages are all read, with the changes made while listing", async () => {
      const name = (at: number) => `pod-${String(at).padStart(4, "0")}`;
      const all = Array.from({ length: 2_000 }, (_, at) => name(at));
      await Promise.all([place.createPool(), ...all.map((each) => place.createPod(each))]);
      beforeList = async (_, query) => {
        if (query.continue === undefined || lists.filter(isPage).length > 1) return;
        await Promise.all([
          place.remove(`${place.pods}/${name(0)}`),
          place.remove(`${place.pods}/${name(1_999)}`),
        ]);
        await Promise.all([place.createPod("a-new-one"), place.becomeReady(name(1), "True")]);
      };
      const isPage = ({ path, query }: (typeof lists)[number]) =>
        path === place.pods && query.continue !== undefined;
      start();
      await until(
        () =>
          podNames().join() === ["a-new-one", ...all.slice(1, -1)].join() &&
          notified?.pods.filter(({ ready }) => ready).length === 1,
      );
      expect(
        lists.filter(({ path }) => path === place.pods).map(({ query }) => query.limit),
      ).toEqual(Array(4).fill("500"));
    });

    it("pods may be selected by labels, without a pool", async () => {
      await place.createPod("a");
      await place.createPod("b", "n");
      start({ matchLabels: { app: "m" }, targetPorts: [7000] });
      await until(() => source.synced());
      await become(podNames, ["a"]);
      expect(port()).toBe(7000);
      expect(lists.map(({ path }) => path)).toEqual([place.pods]);
    });
  });

  describe("objectives and rewrites", () => {
    it("objectives and rewrites of all groups and versions are merged, and llm-d.ai wins for one name", async () => {
      await place.createPool();
      await place.createObjective(newest, "both", 1);
      await place.createObjective(older, "both", 2);
      await place.createObjective(older, "alone", 3);
      await place.createRewrite(oldest, "both", "x");
      start();
      await until(() => notified !== undefined);
      expect([priorities(), models()]).toEqual([{ both: 1, alone: 3 }, { both: "x" }]);
      await place.createRewrite(newest, "both", "y");
      await become(models, { both: "y" });
      await place.remove(place.objective(newest, "both"));
      await become(() => priorities().both, 2);
      await place.remove(place.rewrite(newest, "both"));
      await become(models, { both: "x" });
    });

    it("invalid objectives and rewrites are left out and reported once, and read when they are fixed", async () => {
      await place.createPool();
      await place.createObjective(newest, "good", 1);
      await place.createObjective(newest, "bad", "high");
      start();
      await until(() => notified !== undefined);
      expect(priorities()).toEqual({ good: 1 });
      await place.createObjective(newest, "more", 2);
      await become(() => Object.keys(priorities()).length, 2);
      expect(problems).toEqual([
        expect.stringMatching(
          new RegExp(`^inferenceobjectives ${place.name}/bad: spec.priority: `),
        ),
      ]);
      await place.patch(place.objective(newest, "bad"), { spec: { priority: 3 } });
      await become(() => priorities().bad, 3);
    });
  });

  describe("an API server that is unreachable for a time", () => {
    it.each([
      ["resumes its watches", (version: string | undefined) => version, 0],
      // A server does not know versions older than the installation of the kind.
      ["finds them too old", () => "1", 1],
    ])("loses no change made during the outage if the source %s", async (_, from, relists) => {
      await place.createPool();
      await Promise.all([place.createPod("a"), place.createPod("b")]);
      await place.createObjective(newest, "o", 1);
      await place.createRewrite(newest, "r", "x");
      start();
      await until(() => notified !== undefined);
      await expect.poll(() => [...watches]).toContain(`${place.pods} app=m,tier=t`);
      const before = notified;
      await proxy.cut();
      await until(() => problems.some((problem) => /ECONNREFUSED/.test(problem)));
      await place.remove(place.pool);
      await place.createPool(9000);
      await Promise.all([place.remove(`${place.pods}/a`), place.createPod("c")]);
      await place.becomeReady("b", "True");
      await place.remove(place.objective(newest, "o"));
      await place.createRewrite(older, "s", "y");
      expect([notified, source.synced()]).toEqual([before, true]);

      lists = [];
      startOf = (path, version) =>
        lists.some((list) => list.path === path) ? version : from(version);
      await proxy.restore();
      await become(
        () => [port(), podNames(), priorities(), models()],
        [9000, ["b", "c"], {}, { r: "x", s: "y" }],
      );
      expect(notified?.pool?.uid).not.toBe(before?.pool?.uid);
      expect(notified?.pods.find(({ name }) => name === "b")?.ready).toBe(true);
      expect(lists.filter(({ path }) => path === place.pools)).toHaveLength(relists);
      await place.createPod("d");
      await become(podNames, ["b", "c", "d"]);
    });
  });

  it("a stopped source watches nothing and passes nothing on", async () => {
    await place.createPool();
    start();
    await until(() => source.synced());
    await expect.poll(() => [...watches]).toContain(`${place.pods} app=m,tier=t`);
    const before = notified;
    const stopped = new Promise<void>((resolve) => {
      afterEvent = () => {
        afterEvent = () => {};
        resolve(source.stop());
      };
    });
    await place.createPod("late");
    await stopped;
    expect([...watches]).toEqual([]);
    await new Promise(setImmediate);
    expect(notified).toBe(before);
  });

  it("objects of a kind that is no longer served are removed", async () => {
    await place.createPool();
    await place.createObjective(newest, "o", 1);
    await place.createObjective(older, "o", 2);
    start();
    await become(priorities, { o: 1 });
    await place.remove(`${crds}/inferenceobjectives.llm-d.ai`);
    await become(priorities, { o: 2 });
    expect(source.synced()).toBe(true);
  });
});
