import { describe, expect, it } from "vitest";
import { problemsOf, withHeading } from "./problems-of.fixture.ts";
import { loadPickerConfig } from "./read.ts";

const gate = "featureGates: [flowControl]\n";
const problems = (body: string) => problemsOf(withHeading(gate + body));
const flowControl = (body: string) =>
  loadPickerConfig(withHeading(gate + body), "picker.yaml").config.flowControl;

const unlimited = Number.POSITIVE_INFINITY;
const fcfs = { type: "fcfs-ordering-policy" };
const strict = { type: "global-strict-fairness-policy" };
const band = { weight: 1, maxRequests: 5_000, maxBytes: 1e9, fairness: strict, ordering: fcfs };

describe("flow control", () => {
  it("is off without the feature gate, even if the section is set", () => {
    const body = "flowControl: {maxRequests: 7, usageLimitPolicyPluginRef: nobody}";
    const { config } = loadPickerConfig(withHeading(body), "picker.yaml");
    expect(config.flowControl).toBeUndefined();
  });

  it("has upstream's defaults", () => {
    expect(flowControl("")).toMatchObject({
      maxRequests: unlimited,
      maxBytes: unlimited,
      requestTtl: 60_000,
      noEndpointTtl: 60_000,
      bands: [{ priority: 0, ...band }],
      defaultBand: band,
      defaultNegativeBand: band,
      ceilings: { type: "static-usage-limit-policy", parameters: { threshold: 1 } },
      bandPolicy: "strict",
      evicts: false,
    });
  });

  it("reads every field", () => {
    const body = `
plugins:
- {name: turns, type: round-robin-fairness-policy}
- {name: soon, type: slo-deadline-ordering-policy}
- {name: soft, type: soft-reflective-ceiling-policy}
flowControl:
  maxBytes: 10Gi
  maxRequests: 1k
  defaultRequestTTL: 1m30s
  noEndpointRequestTTL: 0s
  usageLimitPolicyPluginRef: soft
  enableEviction: true
  bandPolicy: weighted
  defaultPriorityBand: {maxRequests: "7", fairnessPolicyRef: turns}
  defaultNegativePriorityBand: {maxBytes: 1M, weight: 0.5}
  priorityBands:
  - {priority: 5, orderingPolicyRef: soon, maxRequests: 0, weight: 3}
  - {priority: -3}
`;
    const turns = { name: "turns", type: "round-robin-fairness-policy" };
    expect(flowControl(body)).toMatchObject({
      maxBytes: 10 * 1024 ** 3,
      maxRequests: 1_000,
      requestTtl: 90_000,
      noEndpointTtl: unlimited,
      bands: [
        { ...band, priority: 5, ordering: { name: "soon" }, weight: 3 },
        { ...band, priority: -3 },
        { ...band, priority: 0, maxRequests: 7, fairness: turns },
      ],
      defaultBand: { ...band, maxRequests: 7, fairness: turns },
      defaultNegativeBand: { ...band, maxBytes: 1e6, weight: 0.5 },
      ceilings: { name: "soft" },
      bandPolicy: "weighted",
      evicts: true,
    });
  });

  it.each([
    ["defaultRequestTTL: 5s", 5_000, 5_000],
    ["noEndpointRequestTTL: 5s", 60_000, 5_000],
    ["defaultRequestTTL: 0s", unlimited, unlimited],
    ["defaultRequestTTL: 0s, noEndpointRequestTTL: 1ms", unlimited, 1],
  ])("sets the times to live of %s", (fields, requestTtl, noEndpointTtl) => {
    expect(flowControl(`flowControl: {${fields}}`)).toMatchObject({ requestTtl, noEndpointTtl });
  });

  it("uses defaultPriorityBand below priority 0 too, unless defaultNegativePriorityBand is set", () => {
    expect(flowControl("flowControl: {defaultPriorityBand: {maxRequests: 3}}")).toMatchObject({
      defaultNegativeBand: { maxRequests: 3 },
    });
  });
});

describe("an invalid section", () => {
  it.each([
    [
      "maxRequests: -1",
      "maxRequests: -1 is not a quantity of 0 or more: write for example 5k or 10Gi",
    ],
    [
      "maxBytes: much",
      'maxBytes: "much" is not a quantity of 0 or more: write for example 5k or 10Gi',
    ],
    [
      "defaultRequestTTL: soon",
      'defaultRequestTTL: "soon" is not a duration: write for example 60s, or 0s for no limit',
    ],
    [
      "noEndpointRequestTTL: -1s",
      'noEndpointRequestTTL: "-1s" is not a duration: write for example 60s, or 0s for no limit',
    ],
    [
      "priorityBands: [{priority: 1}, {priority: 2}, {priority: 1}]",
      "priorityBands[2].priority: two bands have priority 1",
    ],
    [
      "priorityBands: [{priority: 1, fairnessPolicyRef: nobody}]",
      "priorityBands[0].fairnessPolicyRef: nobody refers to no fairness policy among the plugins",
    ],
    [
      "defaultPriorityBand: {orderingPolicyRef: global-strict-fairness-policy}",
      "defaultPriorityBand.orderingPolicyRef: global-strict-fairness-policy refers to no ordering policy among the plugins",
    ],
    [
      "usageLimitPolicyPluginRef: u",
      "usageLimitPolicyPluginRef: u refers to no usage limit policy among the plugins",
    ],
    [
      "defaultPriorityBand: {weight: 2}",
      "defaultPriorityBand.weight: bands are served strictly by priority: set flowControl.bandPolicy to weighted, or leave the weight out",
    ],
  ])("is refused for %s", (fields, expected) => {
    expect(problems(`flowControl: {${fields}}`)).toEqual([`flowControl.${expected}`]);
  });

  it("has an invalid plugin reported once", () => {
    const body = `
plugins: [{type: weighted-fairness-policy, parameters: {defaultWeight: 0}}]
flowControl: {defaultPriorityBand: {fairnessPolicyRef: weighted-fairness-policy}}
`;
    expect(problems(body)).toEqual([
      "plugins[0].parameters.defaultWeight: Too small: expected number to be >0",
    ]);
  });
});
