import { expect, it } from "vitest";
import { planDocument } from "../../sdk/plan/document.ts";
import { checkCrds } from "./check-crds.ts";
import type { ClusterObservation } from "./observation.ts";

it("a missing PodGroup names the setting with which a service needs no Volcano", () => {
  const findings = checkCrds({ crds: {} } as unknown as ClusterObservation);
  for (const check of ["crd-podgroup", "crd-queue"])
    expect(findings.find((each) => each.check === check)).toMatchObject({
      level: "error",
      seen: expect.stringContaining("schedulingStrategy.gang.layout: none"),
    });
});

it.each([
  ["subGroup", true],
  ["none", false],
])("a plan with the layout %s needs Volcano: %s", (layout, needsVolcano) => {
  const template = {
    spec: {
      containers: [
        {
          name: "vllm",
          image: "vllm/vllm-openai:v0.32.0",
          args: ["--model", "m"],
          resources: { limits: { "nvidia.com/gpu": "8" } },
        },
      ],
    },
  };
  const { manifests } = planDocument({
    apiVersion: "fusioninfer.io/v1alpha1",
    kind: "InferenceService",
    metadata: { name: "a" },
    spec: {
      schedulingStrategy: { gang: { layout } },
      roles: [{ name: "w", componentType: "worker", multinode: { nodeCount: 2 }, template }],
    },
  });
  expect(/volcano/.test(JSON.stringify(manifests))).toBe(needsVolcano);
});
