import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ConfigError } from "./config-error.ts";
import { problemsOf as problems, withHeading } from "./problems-of.fixture.ts";
import { loadPickerConfig } from "./read.ts";
import { EndpointPickerConfig } from "./schema.ts";

const load = (text: string) => loadPickerConfig(text, "picker.yaml");
const shape = (text: string) => EndpointPickerConfig.parse(parse(text));

describe("a valid document", () => {
  it.each(["llm-d.ai/v1alpha1", "inference.networking.x-k8s.io/v1alpha1"])(
    "loads with apiVersion %s",
    (apiVersion) => {
      const { config } = load(`{apiVersion: ${apiVersion}, kind: EndpointPickerConfig}`);
      expect(config).toMatchObject({
        plugins: [],
        profiles: [{ name: "default", plugins: [], picker: { type: "max-score-picker" } }],
        handler: { type: "single-profile-handler" },
        detector: { type: "free-endpoint-detector" },
      });
    },
  );

  it("loads as JSON", () => {
    const config = { apiVersion: "llm-d.ai/v1alpha1", kind: "EndpointPickerConfig" };
    expect(load(JSON.stringify(config)).warnings).toEqual([]);
  });

  it("loads with every field", () => {
    const text = `
featureGates: [flowControl]
plugins:
- {name: q, type: queue-scorer, parameters: {}}
- {type: max-score-picker, parameters: null}
schedulingProfiles:
- name: default
  plugins: [{pluginRef: q, weight: 0.5}, {pluginRef: max-score-picker}]
saturationDetector: {pluginRef: utilization-detector}
parser: {pluginRef: openai-parser}
requestHandler: {parsers: [{pluginRef: openai-parser}]}
dataLayer:
  injectDefaults: true
  sources: [{pluginRef: metrics-data-source, extractors: [{pluginRef: core-metrics-extractor}]}]
  discovery: {pluginRef: d}
  peerDiscovery: {pluginRef: p}
  crossReplicaSyncerPluginRef: s
  crossReplicaSyncInterval: 1s
flowControl:
  saturationDetector: {}
  maxBytes: 10Gi
  maxRequests: 1000
  defaultRequestTTL: 60s
  noEndpointRequestTTL: 5s
  defaultPriorityBand: {maxBytes: 1Gi, maxRequests: 5k}
  defaultNegativePriorityBand: {maxRequests: 1}
  priorityBands: [{priority: -10, fairnessPolicyRef: f, orderingPolicyRef: o}]
  usageLimitPolicyPluginRef: u
  enableEviction: true
`;
    const config = shape(withHeading(text));
    expect(config.schedulingProfiles[0]?.plugins[0]).toEqual({ pluginRef: "q", weight: 0.5 });
    expect(config.flowControl?.priorityBands?.[0]?.priority).toBe(-10);
  });
});

describe("an invalid document", () => {
  it.each([
    ["an unknown field", "plugin: []", ['Unrecognized key: "plugin"']],
    [
      "unknown nested fields",
      "plugins: [{type: t, params: {}}]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: t, wieght: 1}]}]",
      [
        'plugins[0]: Unrecognized key: "params"',
        'schedulingProfiles[0].plugins[0]: Unrecognized key: "wieght"',
      ],
    ],
    [
      "a threshold in the detector's reference, as in older pickers",
      "saturationDetector: {pluginRef: utilization-detector, metricsStalenessThreshold: 200ms}",
      ['saturationDetector: Unrecognized key: "metricsStalenessThreshold"'],
    ],
    [
      "a plugin without type",
      "plugins: [{name: q}]",
      ["plugins[0].type: Invalid input: expected string, received undefined"],
    ],
    [
      "an empty type",
      'plugins: [{type: ""}]',
      ["plugins[0].type: Too small: expected string to have >=1 characters"],
    ],
    [
      "parameters that are not a map",
      "plugins: [{type: queue-scorer, parameters: [1]}]",
      ["plugins[0].parameters: Invalid input: expected record, received array"],
    ],
    [
      "a profile without name",
      "schedulingProfiles: [{plugins: []}]",
      ["schedulingProfiles[0].name: Invalid input: expected string, received undefined"],
    ],
    [
      "a reference without a plugin",
      "schedulingProfiles: [{name: p, plugins: [{weight: 1}]}]",
      [
        "schedulingProfiles[0].plugins[0].pluginRef: Invalid input: expected string, received undefined",
      ],
    ],
    [
      "a negative weight",
      "schedulingProfiles: [{name: p, plugins: [{pluginRef: q, weight: -1}]}]",
      ["schedulingProfiles[0].plugins[0].weight: Too small: expected number to be >=0"],
    ],
    [
      "a weight in quotes",
      'schedulingProfiles: [{name: p, plugins: [{pluginRef: q, weight: "1"}]}]',
      ["schedulingProfiles[0].plugins[0].weight: Invalid input: expected number, received string"],
    ],
    [
      "a band without priority",
      "flowControl: {priorityBands: [{maxRequests: 1}]}",
      ["flowControl.priorityBands[0].priority: Invalid input: expected number, received undefined"],
    ],
  ])("is refused for %s", (_, body, expected) => {
    expect(problems(withHeading(body))).toEqual(expected);
  });

  it.each([
    [
      "apiVersion: llm-d.ai/v2\nkind: EndpointPickerConfig",
      [
        'apiVersion: Invalid option: expected one of "llm-d.ai/v1alpha1"|"llm-d.ai/v1"|"inference.networking.x-k8s.io/v1alpha1"',
      ],
    ],
    [
      "apiVersion: llm-d.ai/v1alpha1\nkind: Config",
      ['kind: Invalid input: expected "EndpointPickerConfig"'],
    ],
    [
      "plugins: []",
      [
        'apiVersion: Invalid option: expected one of "llm-d.ai/v1alpha1"|"llm-d.ai/v1"|"inference.networking.x-k8s.io/v1alpha1"',
        'kind: Invalid input: expected "EndpointPickerConfig"',
      ],
    ],
    ["", ["Invalid input: expected object, received null"]],
    ["- 1", ["Invalid input: expected object, received array"]],
  ])("is refused for %j", (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it("is refused with the position of a YAML syntax error", () => {
    const error = (text: string) => {
      try {
        return load(text);
      } catch (caught) {
        return caught;
      }
    };
    const found = error("plugins: [\nkind: x: y");
    expect(found).toBeInstanceOf(ConfigError);
    expect((found as Error).message).toMatch(
      /^picker\.yaml cannot be used:\n.* at line 2, column/s,
    );
    expect((error("a: 1\na: 2") as Error).message).toContain("Map keys must be unique");
  });

  it.each([
    ["plugins: *nobody", "Unresolved alias"],
    ["a: 1\n---\nb: 2", "multiple documents"],
  ])("is refused for YAML that yields no value: %j", (text, message) => {
    expect(problems(text)).toEqual([expect.stringContaining(message)]);
  });
});
