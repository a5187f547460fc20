import { describe, expect, it } from "vitest";
import { explainModel } from "./explain-model.ts";
import { modelRouting } from "./model-routing.ts";
import { readLLMService } from "./read-llm-service.ts";
import { readModelRewrite } from "./read-model-rewrite.ts";
import type { LLMServiceObject } from "./registrations.ts";

const service = (name: string, models: object[], created = "2026-01-01T00:00:00Z") =>
  readLLMService({
    metadata: { name, namespace: "teams", creationTimestamp: created },
    spec: { models, poolRef: [{ name: "p", namespace: "platform" }] },
  }).service as LLMServiceObject;

const routing = (registrationRequired: boolean, services: LLMServiceObject[]) =>
  modelRouting(
    {
      group: "inference.networking.k8s.io",
      namespace: "platform",
      name: "p",
      registrationRequired,
      allowedNamespaces: ["teams"],
      modelsOf: new Map(),
      reservedModels: [],
    },
    services,
    [
      readModelRewrite({
        metadata: { name: "r", namespace: "platform" },
        spec: {
          poolRef: { name: "p" },
          rules: [
            {
              matches: [{ model: { value: "alias" } }],
              targets: [{ modelRewrite: "base" }],
            },
          ],
        },
      }),
    ],
  );

const services = [
  service("older", [
    {
      name: "npc",
      objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
      targetModels: [
        { name: "v1", weight: 3 },
        { name: "v2", weight: 1 },
      ],
    },
    { name: "alias" },
    { name: "kept", targetModels: [{ name: "later", weight: 0 }] },
  ]),
  service("younger", [{ name: "npc" }], "2026-01-02T00:00:00Z"),
];

describe("explainModel for a model", () => {
  it.each([
    [
      "npc",
      true,
      {
        outcome: "served",
        registeredBy: "teams/older",
        lostBy: ["teams/younger"],
        critical: true,
        objectiveSeconds: 0.05,
        priority: 0,
        rule: undefined,
        targets: [
          { model: "v1", share: 0.75 },
          { model: "v2", share: 0.25 },
        ],
      },
    ],
    [
      "alias",
      true,
      {
        outcome: "served",
        registeredBy: "teams/older",
        priority: -1,
        rule: { rewrite: "platform/r", index: 0 },
        targets: [{ model: "base", share: 1 }],
      },
    ],
    ["kept", true, { outcome: "reserved", registeredBy: "teams/older", targets: [] }],
    ["v1", true, { outcome: "unregistered", registeredBy: undefined, targets: [] }],
    ["v1", false, { outcome: "served", priority: undefined, targets: [{ model: "v1", share: 1 }] }],
  ])("%s, registration required %s", (model, required, expected) => {
    expect(explainModel(model, routing(required, services))).toMatchObject({ model, ...expected });
  });

  it("the priority is undefined on a pool without registrations", () => {
    expect(explainModel("m", routing(false, []))).toMatchObject({ priority: undefined });
  });
});
