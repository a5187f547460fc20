import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { label, lwsLabel } from "../../sdk/topology/names.ts";
import type { Cluster } from "../../testing/cluster.ts";

/** Each service has a LeaderWorkerSet and three pods; LLMServices and rewrites are all about one pool. */
export const counts = {
  services: 1_000,
  podsOfService: 3,
  llmServices: 4_000,
  rewrites: 998,
} as const;

/** With the pool, and the LLMServerPool that it belongs to. */
export const objectCount =
  counts.services * (2 + counts.podsOfService) + counts.llmServices + counts.rewrites + 2;

/** Collections whose objects get a status. */
export const collections = {
  services: "fusioninfer.io/v1alpha1/inferenceservices",
  llmServices: "inference.x-k8s.io/v1alpha1/llmservices",
  rewrites: "inference.networking.x-k8s.io/v1alpha2/inferencemodelrewrites",
  serverPools: "inference.x-k8s.io/v1alpha1/llmserverpools",
} as const;

/** Path of a collection given as group, version and plural. */
export function pathOf(namespace: string, collection: string, name = ""): string {
  const parts = collection.split("/");
  const plural = parts.pop();
  const root = parts.length > 1 ? "/apis" : "/api";
  return `${root}/${parts.join("/")}/namespaces/${namespace}/${plural}${name && `/${name}`}`;
}

export const podName = (service: number, pod: number) => `s${service}-w-0-${pod}`;
export const modelOf = (llmService: number) => `model-${llmService}`;

type Make = readonly [collection: string, object: object, status?: object];

export async function makeObjects(cluster: Cluster, namespace: string): Promise<void> {
  const queue = everything()[Symbol.iterator]();
  const worker = async () => {
    for (const [collection, object, status] of queue) {
      const { metadata } = object as { metadata: { name: string } };
      await cluster.request("POST", pathOf(namespace, collection), object);
      if (status === undefined) continue;
      const path = `${pathOf(namespace, collection, metadata.name)}/status`;
      await cluster.request("PATCH", path, { status }, mergePatchType);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function* everything(): Generator<Make> {
  const selector = { app: "engine" };
  yield [
    "inference.networking.k8s.io/v1/inferencepools",
    {
      apiVersion: "inference.networking.k8s.io/v1",
      kind: "InferencePool",
      metadata: { name: "p" },
      spec: {
        selector: { matchLabels: selector },
        targetPorts: [{ number: 8000 }],
        endpointPickerRef: { name: "p-epp", port: { number: 9002 } },
      },
    },
  ];
  yield [
    collections.serverPools,
    {
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMServerPool",
      metadata: { name: "p" },
      spec: { modelServerSelector: selector },
    },
  ];
  for (let at = 0; at < counts.services; at += 1) yield* serviceObjects(at);
  for (let at = 0; at < counts.llmServices; at += 1)
    yield [
      collections.llmServices,
      {
        apiVersion: "inference.x-k8s.io/v1alpha1",
        kind: "LLMService",
        metadata: { name: `l${at}` },
        spec: { models: [{ name: modelOf(at) }], poolRef: [{ name: "p" }] },
      },
    ];
  for (let at = 0; at < counts.rewrites; at += 1)
    yield [
      collections.rewrites,
      {
        apiVersion: "inference.networking.x-k8s.io/v1alpha2",
        kind: "InferenceModelRewrite",
        metadata: { name: `r${at}` },
        spec: rewriteSpec(modelOf(at)),
      },
    ];
}

export const rewriteSpec = (model: string) => ({
  poolRef: { name: "p" },
  rules: [{ matches: [{ model: { value: model } }], targets: [{ modelRewrite: "t" }] }],
});

function* serviceObjects(at: number): Generator<Make> {
  const name = `s${at}`;
  const resources = { limits: { "nvidia.com/gpu": "8" } };
  const containers = [{ name: "vllm", image: "vllm/vllm-openai:v0.11.0", resources }];
  const labels = { [label.service]: name, [label.roleName]: "w" };
  yield [
    collections.services,
    {
      apiVersion: "fusioninfer.io/v1alpha1",
      kind: "InferenceService",
      metadata: { name },
      spec: {
        roles: [
          {
            name: "w",
            componentType: "worker",
            multinode: { nodeCount: counts.podsOfService, executor: "mp" },
            template: { spec: { containers } },
          },
        ],
      },
    },
  ];
  yield [
    "leaderworkerset.x-k8s.io/v1/leaderworkersets",
    {
      apiVersion: "leaderworkerset.x-k8s.io/v1",
      kind: "LeaderWorkerSet",
      metadata: { name: `${name}-w-0`, labels },
      spec: { leaderWorkerTemplate: { workerTemplate: { spec: { containers } } } },
    },
    { replicas: 1, updatedReplicas: 1 },
  ];
  for (let pod = 0; pod < counts.podsOfService; pod += 1)
    yield [
      "v1/pods",
      {
        metadata: {
          name: podName(at, pod),
          labels: { ...labels, app: "engine", [lwsLabel.groupKey]: `${name}-0` },
        },
        spec: { nodeName: "node", containers },
      },
      readiness(true),
    ];
}

export const readiness = (ready: boolean) => ({
  conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
});
