import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type KubernetesClient,
  type Method,
  newKubernetesClient,
  type RequestOptions,
  type WatchOptions,
} from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { startCluster } from "../../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { upstreamCrds } from "../../../testing/api/upstream-crds.ts";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import { KubernetesSource } from "./kubernetes-source.ts";

/** LLMServices on a real API server whose CRD also accepts malformed ones. */

const group = "inference.x-k8s.io";
const version = "v1alpha1";
let cluster: Cluster;
let client: KubernetesClient;
let namespace: string;
let source: KubernetesSource;
let notified: PoolObjects | undefined;
let problems: string[];
let news: () => void = () => {};
/** Paths with an open watch. */
const watched = new Set<string>();
/** Paths whose lists are delayed until the test releases them. */
const held = new Map<string, Promise<void>>();

beforeAll(async () => {
  cluster = await startCluster({ crds: await upstreamCrds(["inference.networking.k8s.io"]) });
  client = newKubernetesClient(loadKubeConfig({ file: cluster.kubeconfig }));
}, 180_000);
afterAll(async () => {
  client?.close();
  await cluster?.stop();
});

beforeEach(async () => {
  namespace = await freshNamespace(cluster);
  problems = [];
  notified = undefined;
});
afterEach(() => source.stop());

const pools = (place: string) =>
  `/apis/inference.networking.k8s.io/v1/namespaces/${place}/inferencepools`;
const services = (place: string) => `/apis/${group}/${version}/namespaces/${place}/llmservices`;

const annotations = (admitted: readonly string[]) => ({
  "pulumi-inference/registration": "required",
  "pulumi-inference/allowed-namespaces": admitted.join(","),
});

const createPool = (admitted: readonly string[] = []) =>
  cluster.request("POST", pools(namespace), {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "pool", annotations: annotations(admitted) },
    spec: {
      selector: { matchLabels: { app: "m" } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  });

const patch = (path: string, change: object) =>
  cluster.request("PATCH", path, change, mergePatchType);

const admit = (...admitted: string[]) =>
  patch(`${pools(namespace)}/pool`, { metadata: { annotations: annotations(admitted) } });

const create = (place: string, name: string, spec: object) =>
  cluster.request("POST", services(place), {
    apiVersion: `${group}/${version}`,
    kind: "LLMService",
    metadata: { name },
    spec,
  });

const spec = (...models: string[]) => ({
  models: models.map((name) => ({ name })),
  poolRef: [{ name: "pool", namespace }],
});

function start(): void {
  const counting: Pick<KubernetesClient, "request" | "watch"> = {
    async request<T>(method: Method, path: string, options?: RequestOptions) {
      await held.get(path);
      return client.request<T>(method, path, options);
    },
    async *watch<T>(path: string, options: WatchOptions) {
      watched.add(path);
      try {
        yield* client.watch<T>(path, options);
      } finally {
        watched.delete(path);
      }
    },
  };
  source = new KubernetesSource({
    client: counting,
    namespace,
    pool: { name: "pool" },
    onProblem: (key, message) => {
      problems.push(`${key}: ${message}`);
      news();
    },
    timing: { probeIntervalMs: 50 },
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

const aMoment = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Models by service, in the latest objects. */
const models = () =>
  Object.fromEntries(
    (notified?.services ?? []).map((service) => [
      `${service.namespace}/${service.name}`,
      service.models.map(({ name }) => name).join(),
    ]),
  );
const become = (expected: Record<string, string>) =>
  until(() => {
    const now = models();
    const names = Object.keys(expected);
    return (
      Object.keys(now).length === names.length &&
      names.every((name) => now[name] === expected[name])
    );
  });

async function installCrd(): Promise<void> {
  await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `llmservices.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, test" },
    },
    spec: {
      group,
      names: {
        kind: "LLMService",
        plural: "llmservices",
        singular: "llmservice",
        listKind: "LLMServiceList",
      },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  });
}

it("the pool is read before the LLMService kind is served, and services once it is", async () => {
  await createPool();
  start();
  await until(() => source.synced() && notified !== undefined);
  expect(notified).toMatchObject({ pool: { registrationRequired: true }, services: [] });
  expect(problems).toEqual([]);
  await installCrd();
  // An API server serves a kind only some time after its CRD exists.
  for (;;) {
    const made = await create(namespace, "a", spec("m")).then(
      () => true,
      () => false,
    );
    if (made) break;
    await aMoment();
  }
  await become({ [`${namespace}/a`]: "m" });
});

describe("services", () => {
  it("services are followed when they are created, edited and deleted", async () => {
    await createPool();
    await create(namespace, "a", spec("m"));
    start();
    await become({ [`${namespace}/a`]: "m" });
    expect(notified?.services[0]).toMatchObject({
      creationTimestamp: expect.stringMatching(/Z$/),
      pools: [{ namespace, name: "pool" }],
    });
    await patch(`${services(namespace)}/a`, { spec: spec("n", "o") });
    await become({ [`${namespace}/a`]: "n,o" });
    await cluster.request("DELETE", `${services(namespace)}/a`);
    await become({});
  });

  it("services of other namespaces are followed while the pool admits them, without a restart", async () => {
    const [one, other] = [await freshNamespace(cluster), await freshNamespace(cluster)];
    await createPool([one]);
    await create(namespace, "a", spec("m"));
    await create(one, "b", spec("n"));
    await create(other, "c", spec("o"));
    start();
    await until(() => notified !== undefined);
    // The first objects contain the services of every admitted namespace.
    expect(models()).toEqual({ [`${namespace}/a`]: "m", [`${one}/b`]: "n" });
    await admit(one, other);
    await become({ [`${namespace}/a`]: "m", [`${one}/b`]: "n", [`${other}/c`]: "o" });
    await patch(`${services(other)}/c`, { spec: spec("p") });
    await become({ [`${namespace}/a`]: "m", [`${one}/b`]: "n", [`${other}/c`]: "p" });
    await admit(other);
    await become({ [`${namespace}/a`]: "m", [`${other}/c`]: "p" });
    while (watched.has(services(one))) await aMoment();
    await admit();
    await become({ [`${namespace}/a`]: "m" });
    await admit(one);
    await become({ [`${namespace}/a`]: "m", [`${one}/b`]: "n" });
    await source.stop();
    expect([...watched]).toEqual([]);
  });

  it("services of an admitted namespace delay the first snapshot, but not a later one", async () => {
    const [one, other] = [await freshNamespace(cluster), await freshNamespace(cluster)];
    const hold = (place: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(services(place), promise);
      return resolve;
    };
    const [letOne, letOther] = [hold(one), hold(other)];
    await createPool([one]);
    await create(one, "b", spec("n"));
    await create(other, "c", spec("o"));
    start();
    while (!watched.has(`/api/v1/namespaces/${namespace}/pods`)) await aMoment();
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect([notified, source.synced()]).toEqual([undefined, false]);
    letOne();
    await become({ [`${one}/b`]: "n" });
    await admit(one, other);
    await patch(`${pools(namespace)}/pool`, { spec: { targetPorts: [{ number: 9000 }] } });
    await until(() => notified?.pool?.targetPorts[0] === 9000);
    expect([models(), source.synced()]).toEqual([{ [`${one}/b`]: "n" }, true]);
    letOther();
    await become({ [`${one}/b`]: "n", [`${other}/c`]: "o" });
  });

  it("malformed services or models are left out and reported once each", async () => {
    await createPool();
    await create(namespace, "good", spec("m"));
    await create(namespace, "partly", {
      LLMServices: [{ modelName: "n" }, { objective: {} }],
      poolRef: [{ name: "pool" }, { kind: "Service", name: "s" }],
    });
    await create(namespace, "unreadable", { models: "m" });
    start();
    await until(() => notified !== undefined);
    expect(models()).toEqual({ [`${namespace}/good`]: "m", [`${namespace}/partly`]: "n" });
    expect(problems.sort()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^llmservices ${namespace}/partly: spec.LLMServices\\[1\\]: give a name; spec.poolRef\\[1\\]: kind: `,
        ),
      ),
      expect.stringMatching(new RegExp(`^llmservices ${namespace}/unreadable: spec.models: `)),
    ]);
    await create(namespace, "more", spec("o"));
    await become({
      [`${namespace}/good`]: "m",
      [`${namespace}/partly`]: "n",
      [`${namespace}/more`]: "o",
    });
    expect(problems).toHaveLength(2);
  });

  it("services of a namespace that does not exist delay nothing", async () => {
    await createPool(["no-such-namespace", "Not A Name"]);
    await create(namespace, "a", spec("m"));
    start();
    await become({ [`${namespace}/a`]: "m" });
    expect(problems).toEqual([]);
  });
});

it("the list of services stays the same array when another object changes", async () => {
  await createPool();
  await create(namespace, "a", spec("m"));
  start();
  await become({ [`${namespace}/a`]: "m" });
  const before = notified?.services;
  await patch(`${pools(namespace)}/pool`, { spec: { targetPorts: [{ number: 9000 }] } });
  await until(() => notified?.pool?.targetPorts[0] === 9000);
  expect(notified?.services).toBe(before);
});
