import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  decoder,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../inference-service.ts";

/** A service whose pods serve on several ports, one for each data-parallel rank. */

const targetPorts = [8000, 8001, 8002];
const ports = targetPorts.map((containerPort, rank) => ({ name: `rank-${rank}`, containerPort }));
const ranks = worker({ template: vllmTemplate(8, { ports }) });
const plan = (fields: object, engines = ranks) =>
  planInferenceService(service([engines, router(fields)]));
const specOf = (manifests: readonly Manifest[], kind: string, name?: string) =>
  manifests.find(
    (each) => each.kind === kind && (name === undefined || each.metadata.name === name),
  )?.spec as Record<string, never>;

const grpc = vllmTemplate(8, { args: ["--model", "m", "--grpc"] });

it.each([
  ["HTTP engines", [ranks], undefined],
  ["gRPC engines", [worker({ template: grpc })], "kubernetes.io/h2c"],
  ["one gRPC engine of two", [worker({ template: grpc }), { ...ranks, name: "b" }], undefined],
])("the pool of %s has their protocol", (_, engines, appProtocol) => {
  const manifests = planInferenceService(service([...engines, router()]));
  expect(specOf(manifests, "InferencePool").appProtocol).toBe(appProtocol);
});

describe("targetPorts of a router", () => {
  it("targetPorts become the pool's targetPorts, in their order", () => {
    expect(specOf(plan({ targetPorts }), "InferencePool").targetPorts).toEqual(
      targetPorts.map((number) => ({ number })),
    );
  });

  it("targetPorts are open to the picker and the gateway", () => {
    const { ingress } = specOf(plan({ targetPorts }), "NetworkPolicy", "svc-engines");
    expect(JSON.stringify(ingress)).toContain(
      JSON.stringify(targetPorts.map((port) => ({ protocol: "TCP", port }))),
    );
  });

  it("the first of targetPorts is probed on a leader if no port is named http", () => {
    const multinode = { nodeCount: 2 };
    const template = vllmTemplate(8, { ports, args: ["--model", "m"] });
    const set = specOf(plan({ targetPorts }, worker({ template, multinode })), "LeaderWorkerSet");
    expect(JSON.stringify(set)).toContain(
      '"readinessProbe":{"httpGet":{"path":"/health","port":8000',
    );
  });

  it("the first of targetPorts is checked by GKE's health check", () => {
    const { default: check } = specOf(
      plan({ targetPorts, gateway: { type: "gke" } }),
      "HealthCheckPolicy",
    );
    expect(JSON.stringify(check)).toContain('"port":8000');
  });

  it("one targetPorts entry gives the same plan as targetPort", () => {
    const withoutRevision = (manifests: readonly Manifest[]) =>
      JSON.stringify(manifests).replace(/"fusioninfer.io\/revision":"[^"]*"/g, "");
    expect(withoutRevision(plan({ targetPorts: [8001] }))).toEqual(
      withoutRevision(plan({ targetPort: 8001 })),
    );
  });

  it("several targetPorts are allowed for decoders without a planned sidecar", () => {
    const roles = [prefiller(), decoder({ sidecar: false }), router({ targetPorts })];
    expect(specOf(planInferenceService(service(roles)), "InferencePool").targetPorts).toHaveLength(
      3,
    );
  });
});
