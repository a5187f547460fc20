import { beforeAll, expect, it } from "vitest";
import { type AttachedCluster, freshNamespace } from "../api/cluster.ts";
import { sharedCluster } from "./shared-cluster.ts";

/** The CRDs of the shared cluster are those that the projects publish. */

const collections = {
  LeaderWorkerSet: ["leaderworkerset.x-k8s.io/v1", "leaderworkersets"],
  PodGroup: ["scheduling.volcano.sh/v1beta1", "podgroups"],
  InferencePool: ["inference.networking.k8s.io/v1", "inferencepools"],
  HTTPRoute: ["gateway.networking.k8s.io/v1", "httproutes"],
  Gateway: ["gateway.networking.k8s.io/v1", "gateways"],
} as const;

type Kind = keyof typeof collections;

const podTemplate = { spec: { containers: [{ name: "engine", image: "engine:1" }] } };
const leaderWorkerTemplate = { workerTemplate: podTemplate };
const pool = {
  selector: { matchLabels: { app: "a" } },
  targetPorts: [{ number: 8000 }],
  endpointPickerRef: { name: "epp", port: { number: 9002 } },
};

/** Each kind's smallest good spec, and edits of it that a cluster refuses. */
const good: Record<Kind, object> = {
  LeaderWorkerSet: { leaderWorkerTemplate },
  PodGroup: { minMember: 2 },
  InferencePool: pool,
  HTTPRoute: { parentRefs: [{ name: "gateway" }] },
  Gateway: { gatewayClassName: "c", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
};

const bad: Array<[Kind, string, object, RegExp]> = [
  [
    "LeaderWorkerSet",
    "an unknown field",
    { leaderWorkerTemplate, replica: 1 },
    /unknown field "spec\.replica"/,
  ],
  ["LeaderWorkerSet", "no template", { leaderWorkerTemplate: {} }, /workerTemplate: Required/],
  [
    "LeaderWorkerSet",
    "fractional replicas",
    { leaderWorkerTemplate, replicas: 1.5 },
    /must be of type integer/,
  ],
  [
    "LeaderWorkerSet",
    "an unknown policy",
    { leaderWorkerTemplate, startupPolicy: "Later" },
    /Unsupported value: "Later"/,
  ],
  [
    "LeaderWorkerSet",
    "an unknown rollout",
    { leaderWorkerTemplate, rolloutStrategy: { type: "OnDelete" } },
    /Unsupported value: "OnDelete"/,
  ],
  ["PodGroup", "an unknown field", { minMembers: 2 }, /unknown field "spec\.minMembers"/],
  [
    "PodGroup",
    "a subgroup of none",
    { subGroupPolicy: [{ name: "a", subGroupSize: 0 }] },
    /greater than or equal to 1/,
  ],
  [
    "PodGroup",
    "a word as quantity",
    { minResources: { cpu: "many" } },
    /minResources\.cpu: Invalid value: "many"/,
  ],
  ["PodGroup", "a queue name with capitals", { queue: "Default" }, /spec\.queue: Invalid value/],
  [
    "InferencePool",
    "an unknown field",
    { ...pool, targetPortNumber: 8000 },
    /unknown field "spec\.targetPortNumber"/,
  ],
  ["InferencePool", "no selector", { targetPorts: pool.targetPorts }, /spec\.selector: Required/],
  [
    "InferencePool",
    "an empty selector",
    { ...pool, selector: { matchLabels: {} } },
    /should have at least 1 properties/,
  ],
  ["InferencePool", "no port", { ...pool, targetPorts: [] }, /should have at least 1 items/],
  [
    "InferencePool",
    "a port twice",
    { ...pool, targetPorts: [{ number: 1 }, { number: 1 }] },
    /spec\.targetPorts: Invalid value/,
  ],
  [
    "InferencePool",
    "a Service without port",
    { ...pool, endpointPickerRef: { name: "epp" } },
    /spec\.endpointPickerRef: Invalid value/,
  ],
  [
    "HTTPRoute",
    "an unknown field",
    { parentRef: { name: "gateway" } },
    /unknown field "spec\.parentRef"/,
  ],
  [
    "Gateway",
    "no listener",
    { gatewayClassName: "c", listeners: [] },
    /should have at least 1 items/,
  ],
];

let cluster: AttachedCluster;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
  namespace = await freshNamespace(cluster, "crds");
}, 60_000);

const create = (kind: Kind, name: string, spec: object) => {
  const [apiVersion, plural] = collections[kind];
  return cluster.request<{ spec: Record<string, unknown> }>(
    "POST",
    `/apis/${apiVersion}/namespaces/${namespace}/${plural}?fieldValidation=Strict`,
    { apiVersion, kind, metadata: { name }, spec },
  );
};

it.each(Object.keys(good) as Kind[])("the definitions accept a valid %s", async (kind) => {
  await expect(create(kind, "good", good[kind])).resolves.toBeDefined();
});

it.each(bad)("the definitions refuse a %s with %s", async (kind, _what, spec, message) => {
  await expect(create(kind, "bad", spec)).rejects.toThrow(message);
});

it("the definitions fill in defaults", async () => {
  const rolloutStrategy = { type: "RollingUpdate", rollingUpdateConfiguration: {} };
  const lws = await create("LeaderWorkerSet", "defaults", {
    leaderWorkerTemplate,
    rolloutStrategy,
  });
  expect(lws.spec).toMatchObject({
    replicas: 1,
    startupPolicy: "LeaderCreated",
    rolloutStrategy: {
      rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 0 },
    },
    leaderWorkerTemplate: { size: 1, restartPolicy: "RecreateGroupOnPodRestart" },
  });
  const podGroup = await create("PodGroup", "defaults", { subGroupPolicy: [{ name: "a" }] });
  expect(podGroup.spec).toEqual({
    queue: "default",
    subGroupPolicy: [{ name: "a", subGroupSize: 1, minSubGroups: 0 }],
  });
  const inferencePool = await create("InferencePool", "defaults", pool);
  expect(inferencePool.spec).toMatchObject({
    appProtocol: "http",
    endpointPickerRef: { group: "", kind: "Service", failureMode: "FailClose" },
  });
});

it("the definitions keep a PodGroup's status in the object itself", async () => {
  const [apiVersion] = collections.PodGroup;
  const path = `/apis/${apiVersion}/namespaces/${namespace}/podgroups/status`;
  const podGroup = {
    apiVersion,
    kind: "PodGroup",
    metadata: { name: "status" },
    status: { phase: "Running" },
  };
  await expect(cluster.apply(path, podGroup)).resolves.toMatchObject({
    status: { phase: "Running" },
  });
  await expect(cluster.request("GET", `${path}/status`)).rejects.toMatchObject({ status: 404 });
});

it("the definitions serve the scale of a LeaderWorkerSet", async () => {
  await create("LeaderWorkerSet", "scaled", { leaderWorkerTemplate, replicas: 3 });
  const [apiVersion, plural] = collections.LeaderWorkerSet;
  const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}/scaled/scale`;
  await expect(cluster.request("GET", path)).resolves.toMatchObject({ spec: { replicas: 3 } });
});
