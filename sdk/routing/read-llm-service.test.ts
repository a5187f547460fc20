import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { reasonOf } from "./object-identity.ts";
import { readLLMService } from "./read-llm-service.ts";

const metadata = {
  name: "bots",
  namespace: "team",
  uid: "u",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const read = (spec: unknown, change: object = {}) =>
  readLLMService({ metadata: { ...metadata, ...change }, spec });
const models = (...list: unknown[]) => {
  const { service, problems } = read({ models: list, poolRef: [{ name: "pool" }] });
  return { models: service?.models, problems };
};
const plain = {
  critical: false,
  objectiveSeconds: undefined,
  firstTokenSeconds: undefined,
  targets: [],
};

it("readLLMService returns models with objective, targets and weights, and pools", () => {
  const spec = parse(`
    models:
    - name: sql-code-assist
    - name: npc-bot
      objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: 50ms }
      targetModels:
      - { name: npc-bot-v1, weight: 50 }
      - { name: npc-bot-v2, weight: 0 }
    - name: urgent
      objective: {}
      targetModels: [{ name: a }, { name: b }]
    poolRef:
    - { name: llama-2-pool }
    - { kind: InferencePool, name: gemini-pool, namespace: platform }
  `);
  expect(read(spec)).toEqual({
    service: {
      ...metadata,
      share: 1,
      models: [
        { ...plain, name: "sql-code-assist" },
        {
          name: "npc-bot",
          critical: true,
          objectiveSeconds: 0.05,
          firstTokenSeconds: undefined,
          targets: [
            { model: "npc-bot-v1", weight: 50 },
            { model: "npc-bot-v2", weight: 0 },
          ],
        },
        {
          name: "urgent",
          critical: true,
          objectiveSeconds: undefined,
          firstTokenSeconds: undefined,
          targets: [
            { model: "a", weight: undefined },
            { model: "b", weight: undefined },
          ],
        },
      ],
      pools: [
        { namespace: "team", name: "llama-2-pool" },
        { namespace: "platform", name: "gemini-pool" },
      ],
    },
    problems: [],
  });
});

it("readLLMService accepts the field names of the proposal's YAML", () => {
  const { service, problems } = read({
    LLMServices: [
      { modelName: "m", targetModels: [{ targetModelName: "t", weight: 1 }] },
      { modelName: "n", targetModels: null, objective: null },
    ],
    poolRef: [{ kind: "LLMServerPool", apiVersion: "inference.x-k8s.io/v1alpha1", name: "pool" }],
  });
  expect(service?.models).toEqual([
    { ...plain, name: "m", targets: [{ model: "t", weight: 1 }] },
    { ...plain, name: "n" },
  ]);
  expect(problems).toEqual([]);
});

describe("a faulty model is left out and the other models stay", () => {
  const desired = "desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests";
  it.each([
    [{}, /^spec\.models\[1\]: give a name$/],
    [{ name: 7 }, /^spec\.models\[1\]: name: /],
    [{ name: "" }, /^spec\.models\[1\]: name: /],
    [null, /^spec\.models\[1\]: /],
    [
      { name: "x", targetModels: [{ name: "t" }, { weight: 1 }] },
      /^spec\.models\[1\]: targetModels\[1\]: give a name$/,
    ],
    [
      { name: "x", targetModels: [{ name: "t", weight: -1 }] },
      /^spec\.models\[1\]: targetModels\[0\]\.weight: /,
    ],
    [
      { name: "x", targetModels: [{ name: "t", weight: 1_000_001 }] },
      /^spec\.models\[1\]: targetModels\[0\]\.weight: /,
    ],
    [
      { name: "x", targetModels: [{ name: "t", weight: "5" }] },
      /^spec\.models\[1\]: targetModels\[0\]\.weight: /,
    ],
    [
      { name: "x", objective: { [desired]: "soon" } },
      /^spec\.models\[1\]: objective\.desired\w+: "soon" is not a duration such as 50ms$/,
    ],
    [{ name: "x", objective: { [desired]: "0s" } }, /"0s" is not a duration/],
    [{ name: "x", objective: "fast" }, /^spec\.models\[1\]: objective: /],
    [{ name: "m" }, /^spec\.models: m is listed twice; the first entry applies$/],
  ])("%j", (wrong, message) => {
    const reading = models({ name: "m" }, wrong, { name: "n" });
    expect(reading.models).toEqual([
      { ...plain, name: "m" },
      { ...plain, name: "n" },
    ]);
    expect(reading.problems).toEqual([expect.stringMatching(message)]);
  });
});

it("references to anything but a pool are left out and reported", () => {
  const { service, problems } = read({
    models: [],
    poolRef: [{ kind: "Service", name: "s" }, { namespace: "x" }, { name: "pool" }],
  });
  expect(service?.pools).toEqual([{ namespace: "team", name: "pool" }]);
  expect(problems).toEqual([
    expect.stringMatching(/^spec\.poolRef\[0\]: kind: .*LLMServerPool/),
    expect.stringMatching(/^spec\.poolRef\[1\]: name: /),
  ]);
});

it("an LLMService that is being deleted has no service", () => {
  expect(read({ models: [] }, { deletionTimestamp: "2026-01-02T00:00:00Z" })).toEqual({
    service: undefined,
    problems: [],
  });
});

it.each([undefined, {}, { models: "m" }, []])(
  "an unreadable spec %j throws, and an empty spec has no models",
  (spec) => {
    if (spec !== undefined && !Array.isArray(spec) && Object.keys(spec).length === 0) {
      expect(read(spec).service).toMatchObject({ models: [], pools: [] });
      return;
    }
    let reason = "";
    try {
      read(spec);
    } catch (error) {
      reason = reasonOf(error);
    }
    expect(reason).toMatch(/^spec/);
  },
);

it("readLLMService returns the objective for the time to the first token", () => {
  const objective = { desiredTimeToFirstTokenAtP95OverMultipleRequests: "500ms" };
  const { service } = read({ models: [{ name: "m", objective }] });
  expect(service?.models).toMatchObject([{ critical: true, firstTokenSeconds: 0.5 }]);
});

it("an unreadable share is reported and becomes 1", () => {
  const models = [{ name: "m" }];
  expect(read({ models, share: 5 }).service?.share).toBe(5);
  const { service, problems } = read({ models, share: 5_000 });
  expect(service).toMatchObject({ share: 1, models });
  expect(problems).toEqual([expect.stringMatching(/^spec\.share: /)]);
});
