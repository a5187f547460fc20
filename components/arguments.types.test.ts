import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import type { InferenceServiceArgs, PodTemplateArgs, RoleArgs } from "./index.ts";

/**
 * Programs that the type checker accepts, and errors that it must report at these lines: an expected error that is not
 * reported is an error.
 */
const name = "engine";
const resources = { limits: { "nvidia.com/gpu": 8 } };
const engine = (container: Partial<k8s.types.input.core.v1.Container>): RoleArgs => ({
  name,
  componentType: "worker",
  template: { spec: { containers: [{ name, ...container, resources }] } },
});

/** Helpers of a program that do not depend on this project. */
const image = pulumi.output("vllm/vllm-openai:v0.11.0");
const podTemplate: k8s.types.input.core.v1.PodTemplateSpec = {
  metadata: pulumi.output({ labels: { team: "ml" } }),
  spec: pulumi.output({
    containers: [{ name, image, args: pulumi.output(["--model", "m"]) }],
    nodeSelector: { gpu: "yes" },
  }),
};
const probe: k8s.types.input.core.v1.Probe = { httpGet: { path: "/health", port: "http" } };

const accepted: InferenceServiceArgs = {
  metadata: { namespace: pulumi.output("inference") },
  waitFor: "Available",
  roles: [
    { name: "prefill", componentType: "prefiller", template: podTemplate },
    engine({ readinessProbe: probe, args: ["--model", image] }),
    {
      name: "router",
      componentType: "router",
      gateway: {
        gatewayClassName: "envoy",
        listeners: [
          {
            name: "https",
            port: 443,
            protocol: "HTTPS",
            tls: { certificateRefs: [{ name: "certificate" }] },
            allowedRoutes: { namespaces: { from: "All" } },
          },
        ],
      },
      httproute: {
        rules: [
          {
            matches: [{ path: { value: "/v1" }, headers: [{ name: "tenant", value: "a" }] }],
            filters: [
              { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["cookie"] } },
            ],
            timeouts: { request: "0s" },
          },
        ],
      },
    },
  ],
};

const volumes: PodTemplateArgs = {
  spec: {
    // @ts-expect-error emptyDir
    volumes: [{ name: "shm", emptydir: {} }],
    containers: [{ name }],
  },
};
const tolerations: PodTemplateArgs = {
  // @ts-expect-error operator
  spec: { containers: [{ name }], tolerations: [{ key: "gpu", oprator: "Exists" }] },
};
const affinity: PodTemplateArgs = {
  // @ts-expect-error nodeAffinity
  spec: { containers: [{ name }], affinity: { nodeAfinity: {} } },
};
const mounts: PodTemplateArgs = {
  // @ts-expect-error mountPath
  spec: { containers: [{ name, volumeMounts: [{ name: "shm", mountpath: "/dev/shm" }] }] },
};
const probes: PodTemplateArgs = {
  // @ts-expect-error httpGet
  spec: { containers: [{ name, readinessProbe: { httpGett: { port: 8000 } } }] },
};
const limits: PodTemplateArgs = {
  // @ts-expect-error limits
  spec: { containers: [{ name, resources: { limit: { cpu: 1 } } }] },
};

const router = { name: "router", componentType: "router" } as const;
const gateway: RoleArgs = {
  ...router,
  // @ts-expect-error gatewayClassName
  gateway: { className: "envoy", listeners: [] },
};
const listener: RoleArgs = {
  ...router,
  gateway: {
    gatewayClassName: "envoy",
    // @ts-expect-error protocol
    listeners: [{ name: "http", port: 80, protcol: "HTTP" }],
  },
};
const rules: RoleArgs = {
  ...router,
  // @ts-expect-error path
  httproute: { rules: [{ matches: [{ paths: { value: "/v1" } }] }] },
};
const parents: RoleArgs = {
  ...router,
  // @ts-expect-error sectionName
  httproute: { parentRefs: [{ name: "gateway", section: "http" }] },
};

// @ts-expect-error what pods do with requests is the router's
const worker: RoleArgs = { ...engine({}), endpointPickerConfig: "plugins: []" };
// @ts-expect-error a router has no pods of an engine
const routerWithPods: RoleArgs = { ...router, template: { spec: { containers: [{ name }] } } };
const engineOfModel: RoleArgs = { name, componentType: "worker" };
// @ts-expect-error Available
const waiting: InferenceServiceArgs = { roles: [], waitFor: "available" };

describe("argument types", () => {
  it("tsc accepts the arguments, and refuses an unused expected error", () => {
    const refused = [volumes, tolerations, affinity, mounts, probes, limits, gateway, listener];
    const wrong = [rules, parents, worker, routerWithPods, engineOfModel, waiting];
    expect([accepted, ...refused, ...wrong]).toHaveLength(15);
  });
});
