import { describe, expect, it } from "vitest";
import { kinds } from "../kubernetes/kinds/index.ts";
import { layOut } from "../sdk/topology/role-layout.ts";
import { parseInferenceService } from "../sdk/validate/inference-service.ts";
import { withReadiness } from "./children.ts";
import { minimumGroups, timeoutsOf } from "./readiness.ts";

const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.30.0",
        args: [
          "--kv-transfer-config.kv_connector",
          "NixlConnector",
          "--kv-transfer-config.kv_role",
          "kv_both",
        ],
        resources: { limits: { "nvidia.com/gpu": 8 } },
      },
    ],
  },
};

function layoutsOf(spec: object) {
  const service = parseInferenceService({ metadata: { name: "s" }, spec });
  return layOut("s", service.spec);
}

describe("minimumGroups", () => {
  it("counts the groups of a role that has one LeaderWorkerSet", () => {
    const roles = [{ name: "w", componentType: "worker", replicas: 5, minReplicas: 2, template }];
    expect(minimumGroups(layoutsOf({ roles }))).toEqual(new Map([["s-w", 2]]));
  });

  it("uses the first replicas if each has its own LeaderWorkerSet", () => {
    const multinode = { nodeCount: 2 };
    const roles = [
      { name: "p", componentType: "prefiller", replicas: 1, multinode, template },
      { name: "d", componentType: "decoder", replicas: 3, minReplicas: 2, multinode, template },
    ];
    expect(minimumGroups(layoutsOf({ roles }))).toEqual(
      new Map([
        ["s-p-0", 1],
        ["s-d-0", 1],
        ["s-d-1", 1],
      ]),
    );
  });

  it("awaits nothing of a role with zero replicas", () => {
    const roles = [{ name: "w", componentType: "worker", replicas: 0, template }];
    expect(minimumGroups(layoutsOf({ roles }))).toEqual(new Map());
  });
});

describe("withReadiness", () => {
  const minimums = new Map([["s-w", 2]]);
  const object = (kind: string, name: string, annotations?: Record<string, string>) => ({
    apiVersion: "v1",
    kind,
    metadata: { name, ...(annotations && { annotations }) },
  });
  const skip = { "pulumi.com/skipAwait": "true" };

  it.each([
    ["Deployment", "s-epp", "none", skip],
    ["Deployment", "s-epp", "replicas", undefined],
    ["Deployment", "s-epp", "available", skip],
    ["Service", "s-epp", "none", skip],
    ["Service", "s-epp", "replicas", skip],
    ["LeaderWorkerSet", "s-w", "none", undefined],
    ["LeaderWorkerSet", "s-w", "available", undefined],
    ["LeaderWorkerSet", "s-other", "replicas", undefined],
    ["PodGroup", "s", "replicas", undefined],
    ["InferenceService", "s", "replicas", undefined],
    ["InferenceService", "s", "available", { "pulumi.com/waitFor": "condition=Available" }],
    ["InferencePool", "s-pool", "replicas", undefined],
    ["HTTPRoute", "s-httproute", "none", undefined],
    [
      "HTTPRoute",
      "s-httproute",
      "replicas",
      { "pulumi.com/waitFor": kinds.HTTPRoute.readiness.waitFor },
    ],
  ] as const)("annotates %s %s for waitFor %s", (kind, name, wait, annotations) => {
    const made = withReadiness(object(kind, name), kind, { wait, minimums });
    expect(made.metadata.annotations).toEqual(annotations);
  });

  it("awaits the minimum of ready groups of a LeaderWorkerSet for up to an hour", () => {
    const readiness = { wait: "replicas", minimums } as const;
    const made = withReadiness(object("LeaderWorkerSet", "s-w"), "LeaderWorkerSet", readiness);
    expect(made.metadata.annotations?.["pulumi.com/waitFor"]).toContain("@.readyReplicas > 1 ");
    expect(timeoutsOf("LeaderWorkerSet", readiness)).toEqual({ create: "3600s", update: "3600s" });
    expect(timeoutsOf("LeaderWorkerSet", { wait: "none", minimums })).toBeUndefined();
    expect(timeoutsOf("Deployment", readiness)).toBeUndefined();
  });

  it("keeps annotations of the service, and does not change the planned object", () => {
    const planned = object("Service", "s-epp", { "pulumi.com/skipAwait": "false", team: "ml" });
    const made = withReadiness(planned, "Service", { wait: "none", minimums });
    expect(made.metadata.annotations).toEqual({ "pulumi.com/skipAwait": "false", team: "ml" });
    const untouched = object("PodGroup", "s");
    expect(withReadiness(untouched, "PodGroup", { wait: "replicas", minimums })).toBe(untouched);
  });
});
