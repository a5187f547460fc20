import { expect, it } from "vitest";
import { planInferenceService } from "../plan/inference-service.ts";
import type { InferenceServiceSpecInput } from "../spec/inference-service.ts";
import { layOut } from "../topology/role-layout.ts";
import { statusOf } from "./inference-service-status.ts";
import { objectsOf, parsed, t0 } from "./service-objects.fixture.ts";
import { type ServiceManifests, serviceOfObjects } from "./service-of-objects.ts";

const container = {
  name: "vllm",
  image: "vllm/vllm-openai:v0.11.0",
  args: ["--model", "m", "--kv-transfer-config.kv_connector", "NixlConnector"],
  ports: [{ containerPort: 8000 }],
  resources: { limits: { "nvidia.com/gpu": "8" } },
};
const template = { spec: { containers: [container] } };
const role = (name: string, componentType: "worker" | "prefiller" | "decoder", rest = {}) => ({
  ...{ name, componentType, template },
  ...rest,
});
const router = { name: "router", componentType: "router" as const };
const gateways = { httproute: { parentRefs: [{ name: "gateway" }] } };

function manifestsOf(spec: InferenceServiceSpecInput): ServiceManifests {
  const planned = planInferenceService({ metadata: { name: "svc" }, spec });
  const one = (kind: string) => planned.find((manifest) => manifest.kind === kind);
  return {
    workloads: planned.filter(({ kind }) => kind === "LeaderWorkerSet"),
    podGroup: one("PodGroup"),
    picker: one("Deployment"),
    pool: one("InferencePool"),
    route: one("HTTPRoute"),
    gateway: one("Gateway"),
  };
}

const pair = [
  role("prefill", "prefiller", { replicas: 2, multinode: { nodeCount: 2 } }),
  role("decode", "decoder", { replicas: 3, minReplicas: 2 }),
];

const simplePair = [role("prefill", "prefiller"), role("decode", "decoder", { replicas: 3 })];

const specs: Record<string, InferenceServiceSpecInput> = {
  "one role": { roles: [role("w", "worker", { replicas: 3 })] },
  "several nodes, with a router": {
    roles: [role("w", "worker", { replicas: 2, multinode: { nodeCount: 4 } }), router],
  },
  "prefillers and decoders, with a route": { roles: [...pair, { ...router, ...gateways }] },
  "a gang of tasks": { roles: simplePair, schedulingStrategy: { gang: { layout: "task" } } },
  "no gang": { roles: simplePair, schedulingStrategy: { gang: { layout: "none" } } },
  "a workload per role": { roles: pair, workload: "perRole" },
  "a workload per replica": {
    roles: [role("w", "worker", { replicas: 2 })],
    workload: "perReplica",
  },
  "workloads per role and per replica": {
    roles: [
      role("w", "worker", { replicas: 2 }),
      role("m", "worker", { multinode: { nodeCount: 2 } }),
    ],
  },
  "a gateway of its own": {
    roles: [
      role("w", "worker"),
      {
        ...router,
        gateway: {
          gatewayClassName: "c",
          listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
        },
      },
    ],
  },
};

it.each(Object.keys(specs))(
  "the objects of %s have the same layout and status as the spec",
  (name) => {
    const spec = specs[name] as InferenceServiceSpecInput;
    const service = parsed({ metadata: { name: "svc" }, spec });
    const reported = serviceOfObjects({ namespace: "default", name: "svc" }, manifestsOf(spec));
    const counts = (of: typeof service) =>
      layOut("svc", of.spec).map(({ role, ...layout }) => [role.name, role.componentType, layout]);
    expect(reported && counts(reported.service)).toEqual(counts(service));
    for (const ready of [false, true]) {
      const objects = objectsOf(service, () => ({ ready }));
      const status = (of: typeof service) =>
        statusOf(of, objects, undefined, { now: t0, generation: undefined }).status;
      expect(reported && status(reported.service)).toEqual(status(service));
    }
  },
);

it("counts missing roles of the gang and a missing replica between two others", () => {
  const { workloads, ...others } = manifestsOf({ roles: pair });
  const left = (workloads as Array<{ metadata: { name: string } }>).filter(
    ({ metadata }) => metadata.name === "svc-decode-0" || metadata.name === "svc-decode-2",
  );
  const reported = serviceOfObjects(
    { namespace: "default", name: "svc" },
    { ...others, workloads: left },
  );
  expect(reported?.service.spec.roles.map(({ name, replicas }) => [name, replicas])).toEqual([
    ["decode", 3],
    ["prefill", 1],
  ]);
});

it("returns undefined without objects", () => {
  const none = { podGroup: undefined, picker: undefined, pool: undefined, route: undefined };
  expect(
    serviceOfObjects(
      { namespace: "default", name: "svc" },
      { ...none, workloads: [], gateway: undefined },
    ),
  ).toBeUndefined();
});
