import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpecError } from "../sdk/errors.ts";
import { planInferenceService } from "../sdk/plan/inference-service.ts";
import { endpointPickerConfig } from "../sdk/plan/picker/endpoint-picker-config.ts";
import { router, service, worker } from "../testing/samples/sample-service.ts";
import { buildScheduler } from "./build.ts";
import { formatConfigProblem } from "./config/config-error.ts";
import { readPickerConfig } from "./config/read.ts";
import { endpoint } from "./cycles.fixture.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { builtText } from "./picker-configs.fixture.ts";
import { knownTypes } from "./plugins/index.ts";

/** Any configuration. Most are nearly valid, because types and references are drawn from one short list. */
const type = fc.constantFrom(...knownTypes, "queue-scorrer", "constructor", "vllmgrpc-parser");
const reference = fc.oneof(type, fc.constantFrom("a", "b"));
const parameters = fc.oneof(
  fc.constant(undefined),
  fc.constant({}),
  fc.constant(null),
  fc.dictionary(
    fc.constantFrom("threshold", "headroom", "deciderPluginName", "deciders", "profiles", "label"),
    fc.oneof(
      fc.integer(),
      fc.constantFrom("a", "always-disagg-pd-decider", {}, [], { prefill: "a" }),
    ),
    { maxKeys: 2 },
  ),
);
const configuration = fc.record(
  {
    featureGates: fc.subarray(["flowControl", "dataLayer"]),
    plugins: fc.array(
      fc.record(
        { type, name: fc.constantFrom("a", "b", "c"), parameters },
        { requiredKeys: ["type"] },
      ),
      { maxLength: 4 },
    ),
    schedulingProfiles: fc.array(
      fc.record({
        name: fc.constantFrom("default", "decode", "prefill"),
        plugins: fc.array(fc.record({ pluginRef: reference }), { maxLength: 3 }),
      }),
      { maxLength: 2 },
    ),
    parser: fc.record({ pluginRef: reference }),
    saturationDetector: fc.record({ pluginRef: reference }),
  },
  { requiredKeys: ["plugins"] },
);

describe("canAnswer", () => {
  const [prefiller, decoder] = ["prefill", "decode"].map((role) =>
    endpoint(role, { labels: { "llm-d.ai/role": role } }),
  ) as [Endpoint, Endpoint];

  it.each([
    { strategy: "pd-disaggregation", endpoints: [], can: false },
    { strategy: "pd-disaggregation", endpoints: [prefiller], can: false },
    { strategy: "pd-disaggregation", endpoints: [decoder], can: true },
    { strategy: "pd-disaggregation", endpoints: [prefiller, decoder], can: true },
    { strategy: "prefix-cache", endpoints: [], can: false },
    { strategy: "prefix-cache", endpoints: [prefiller], can: true },
  ] as const)(
    "is $can for strategy $strategy with endpoints $endpoints",
    ({ strategy, endpoints, can }) => {
      const { scheduler } = builtText(JSON.stringify(endpointPickerConfig(strategy)));
      expect(scheduler.canAnswer(endpoints)).toBe(can);
    },
  );
});

const textOf = (body: object) =>
  JSON.stringify({ apiVersion: "llm-d.ai/v1alpha1", kind: "EndpointPickerConfig", ...body });

/** Returns the configuration problems that a preview reports. */
function refusals(endpointPickerConfig: string): string[] {
  try {
    planInferenceService(service([worker(), router({ endpointPickerConfig })]));
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.problems.map(({ given }) => given);
  }
  return [];
}

describe("any configuration", () => {
  it("is accepted by a preview if a picker starts with it, and refused with the same messages otherwise", () => {
    let accepted = 0;
    fc.assert(
      fc.property(configuration, (body) => {
        const text = textOf(body);
        const { config, problems } = readPickerConfig(text);
        expect(config === undefined).toBe(problems.length > 0);
        const words = problems.map((problem) => `is not valid: ${formatConfigProblem(problem)}`);
        expect(new Set(refusals(text))).toEqual(new Set(words));
        if (config === undefined) return;
        accepted += 1;
        buildScheduler(config);
      }),
      { numRuns: 1_200, seed: 11 },
    );
    expect(accepted).toBeGreaterThan(5);
  });

  it("is read or refused without an exception if it consists of arbitrary characters", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const { config, problems } = readPickerConfig(text);
        expect(config).toBeUndefined();
        expect(problems.length).toBeGreaterThan(0);
      }),
    );
  });
});
