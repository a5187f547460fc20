import { describe, expect, it } from "vitest";
import { problemsOf, withHeading } from "./problems-of.fixture.ts";
import { loadPickerConfig } from "./read.ts";

const problems = (body: string) => problemsOf(withHeading(body));
const built = (body: string) => {
  const { config, warnings } = loadPickerConfig(withHeading(body), "picker.yaml");
  return { ...config, warnings };
};

const profile = (...refs: string[]) =>
  `schedulingProfiles: [{name: default, plugins: [${refs.map((ref) => `{pluginRef: ${ref}}`)}]}]`;

describe("plugins", () => {
  it("plugins of an unknown type are refused with the known types", () => {
    const [problem = "", ...others] = problems("plugins: [{type: best-scorer}]");
    expect(others).toEqual([]);
    expect(problem).toMatch(/^plugins\[0\]: type best-scorer is unknown; known types: /);
    for (const type of ["queue-scorer", "openai-parser", "approx-prefix-cache-producer"])
      expect(problem.split(/[ ,]+/)).toContain(type);
    expect(problem.split(/[ ,]+/)).not.toContain("vllmgrpc-parser");
  });

  it.each([
    ["quue-scorer", "queue-scorer"],
    ["max-score-pickr", "max-score-picker"],
    ["Prefix-Cache-Scorer", "prefix-cache-scorer"],
  ])("plugins with type %s are refused with a hint at %s", (written, meant) => {
    expect(problems(`plugins: [{type: ${written}}]`)).toEqual([
      `plugins[0]: type ${written} is unknown; did you mean ${meant}? docs/endpoint-picker-plugins.md lists all`,
    ]);
  });

  it.each(["constructor", "__proto__", "toString"])(
    "plugins cannot have the name of an inherited property as type: %s",
    (type) => {
      expect(problems(`plugins: [{type: ${type}}]`)).toEqual([
        expect.stringContaining(`type ${type} is unknown`),
      ]);
    },
  );

  it.each([
    [
      "vllmgrpc-parser",
      "plugins[0]: vllmgrpc-parser is not supported: the picker calls engines over HTTP only: use vllmhttp-parser",
    ],
    [
      "slo-headroom-tier-filter",
      "plugins[0]: slo-headroom-tier-filter is not supported: no latency is predicted: leave it out; prefill-cost-scorer weighs the expected wait",
    ],
  ])("plugins of upstream that are not supported are refused: %s", (type, expected) => {
    expect(problems(`plugins: [{type: ${type}}]`)).toEqual([expected]);
  });

  it.each([
    [
      "a name that is used twice",
      "plugins: [{type: queue-scorer}, {type: random-picker, name: queue-scorer}]",
      ["plugins[1]: two plugins are named queue-scorer"],
    ],
    [
      "an unknown parameter",
      "plugins: [{type: max-score-picker, parameters: {maxEndpoints: 1}}]",
      ['plugins[0].parameters: Unrecognized key: "maxEndpoints"'],
    ],
    [
      "a parameter out of range",
      "plugins: [{type: queue-scorer}, {type: max-score-picker, parameters: {maxNumOfEndpoints: 0}}]",
      ["plugins[1].parameters.maxNumOfEndpoints: Too small: expected number to be >=1"],
    ],
    [
      "an invalid nested parameter",
      "plugins: [{type: label-selector-filter, parameters: {matchExpressions: [{key: a, operator: In}]}}]",
      [
        "plugins[0].parameters.matchExpressions[0].values: In and NotIn need values, Exists and DoesNotExist have none",
      ],
    ],
    [
      "an invalid duration",
      "plugins: [{type: utilization-detector, parameters: {metricsStalenessThreshold: soon}}]",
      [
        'plugins[0].parameters.metricsStalenessThreshold: "soon" is not a duration above 0: write for example 200ms',
      ],
    ],
    [
      "a mix of flat and nested parameters",
      "plugins: [{type: disagg-profile-handler, parameters: {profiles: {}, decodeProfile: d}}]",
      ['plugins[0].parameters: Unrecognized key: "decodeProfile"'],
    ],
    [
      "a block size of 0 without autoTune",
      "plugins: [{type: approx-prefix-cache-producer, parameters: {autoTune: false, blockSizeTokens: 0}}]",
      ["plugins[0].parameters.blockSizeTokens: without autoTune it must be above 0"],
    ],
    [
      "an invalid path and port of metrics",
      "plugins: [{type: metrics-data-source, parameters: {path: metrics, port: 0}}]",
      [
        'plugins[0].parameters.path: Invalid string: must start with "/"',
        "plugins[0].parameters.port: Too small: expected number to be >=1",
      ],
    ],
    [
      "custom metrics",
      "plugins: [{type: core-metrics-extractor, parameters: {engineConfigs: [{name: e, customMetrics: [{}]}]}}]",
      ["plugins[0].parameters.engineConfigs[0].customMetrics: custom metrics are not read"],
    ],
    [
      "an invalid metric",
      'plugins: [{type: core-metrics-extractor, parameters: {engineConfigs: [{name: e, kvUsageSpec: "a b"}]}}]',
      [
        'plugins[0].parameters.engineConfigs[0].kvUsageSpec: "a b" is not a metric: write family or family{label=value}',
      ],
    ],
    [
      "an unknown default engine",
      "plugins: [{type: core-metrics-extractor, parameters: {defaultEngine: vlm}}]",
      [
        'plugins[0].parameters.defaultEngine: "vlm" is unknown; known engines: vllm, sglang, trtllm-serve, triton-tensorrt-llm, triton',
      ],
    ],
    [
      "a decider that is not listed",
      "plugins: [{type: disagg-profile-handler, parameters: {deciders: {prefill: pd}}}]\nschedulingProfiles: [{name: decode}, {name: prefill}]",
      ["plugins[0]: pd is not a decider among the plugins"],
    ],
    [
      "a decider of another kind",
      "plugins: [{type: disagg-profile-handler, parameters: {deciders: {prefill: disagg-profile-handler}}}]\nschedulingProfiles: [{name: decode}, {name: prefill}]",
      ["plugins[0]: disagg-profile-handler is not a decider among the plugins"],
    ],
    [
      "a producer that is not listed",
      "plugins: [{type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: other}}]",
      [
        "plugins[0].parameters.prefixMatchInfoProducerName: other is not a plugin; listed plugins: prefix-cache-scorer",
      ],
    ],
    [
      "a producer of another kind",
      "plugins: [{type: no-hit-lru-scorer, parameters: {prefixMatchInfoProducerName: queue-scorer}}, {type: queue-scorer}]",
      [
        "plugins[0].parameters.prefixMatchInfoProducerName: queue-scorer is not a prefix cache producer",
      ],
    ],
  ])("plugins are refused for %s", (_, body, expected) => {
    expect(problems(body)).toEqual(expected);
  });

  it("plugins are all reported together, without consequential problems", () => {
    const body = `
plugins:
- {type: disagg-profile-handler, parameters: {stageOrder: x}}
- {type: utilization-detector, parameters: {headroom: -1}}
- {type: prefix-based-pd-decider, parameters: {promptTokens: -1}}
- {type: pd-profile-handler}
schedulingProfiles: [{name: decode}, {name: prefill}]
`;
    expect(problems(body)).toEqual([
      'plugins[0].parameters.stageOrder: "x" is not a stage order: write decode-first or prefill-first',
      "plugins[1].parameters.headroom: Too small: expected number to be >=0",
      "plugins[2].parameters.promptTokens: Too small: expected number to be >=0",
    ]);
  });
});

describe("invalid references", () => {
  it.each([
    [
      "of a profile",
      `plugins: [{type: queue-scorer}, {type: random-picker, name: any}]\n${profile("queue-scorer", "random-picker")}`,
      [
        "schedulingProfiles[0].plugins[1].pluginRef: random-picker is not a plugin; listed plugins: queue-scorer, any",
      ],
    ],
    [
      "without any plugin",
      profile("queue-scorer"),
      [
        "schedulingProfiles[0].plugins[0].pluginRef: queue-scorer is not a plugin; listed plugins: none",
      ],
    ],
    [
      "to two pickers",
      `plugins: [{type: random-picker}, {type: max-score-picker}]\n${profile("random-picker", "max-score-picker")}`,
      ["schedulingProfiles[0]: profile default has more than one picker"],
    ],
    [
      "to two pickers by default",
      "plugins: [{type: random-picker}, {type: max-score-picker}]",
      ["plugins: profile default has more than one picker"],
    ],
    [
      "of a saturation detector",
      "flowControl: {saturationDetector: {pluginRef: concurrency-detector}}",
      [
        "flowControl.saturationDetector.pluginRef: concurrency-detector is not a saturation detector among the plugins",
      ],
    ],
    [
      "of a saturation detector in its older field",
      "plugins: [{type: queue-scorer}]\nsaturationDetector: {pluginRef: queue-scorer}",
      ["saturationDetector.pluginRef: queue-scorer is not a saturation detector among the plugins"],
    ],
    [
      "of parsers",
      "requestHandler: {parsers: [{pluginRef: openai-parser}, {pluginRef: openai}]}",
      [
        "requestHandler.parsers[1].pluginRef: openai is not a parser; known parsers: openai-parser, anthropic-parser, vllmhttp-parser, passthrough-parser",
      ],
    ],
    [
      "of the older parser field",
      "parser: {pluginRef: vertexai-parser}",
      [
        "parser.pluginRef: vertexai-parser is not a parser; known parsers: openai-parser, anthropic-parser, vllmhttp-parser, passthrough-parser",
      ],
    ],
    [
      "of data sources and extractors",
      "plugins: [{type: metrics-data-source, name: m}]\ndataLayer: {sources: [{pluginRef: n}, {pluginRef: m, extractors: [{pluginRef: x}]}]}",
      [
        "dataLayer.sources[0].pluginRef: n is not a plugin; listed plugins: m",
        "dataLayer.sources[1].extractors[0].pluginRef: x is not a plugin; listed plugins: m",
      ],
    ],
  ])("%s are refused", (_, body, expected) => {
    expect(problems(body)).toEqual(expected);
  });
});

describe("the loader", () => {
  const two = "schedulingProfiles: [{name: a}, {name: b}]";

  it.each([
    [
      "two profiles of one name",
      "plugins: [{type: header-profile-handler}]\nschedulingProfiles: [{name: a}, {name: a}]",
      ["schedulingProfiles[1].name: two profiles are named a"],
    ],
    [
      "several profiles without a handler",
      two,
      ["plugins: several profiles need a profile handler, but none is listed"],
    ],
    [
      "several profiles for single-profile-handler",
      `plugins: [{type: single-profile-handler, name: one}]\n${two}`,
      ["schedulingProfiles: one runs one profile, not 2"],
    ],
    [
      "several profiles for data-parallel-profile-handler",
      `plugins: [{type: data-parallel-profile-handler}]\n${two}`,
      ["schedulingProfiles: data-parallel-profile-handler runs one profile, not 2"],
    ],
    [
      "two handlers",
      "plugins: [{type: single-profile-handler}, {type: header-profile-handler}]",
      [
        "plugins: at most one profile handler is allowed, found: single-profile-handler, header-profile-handler",
      ],
    ],
    [
      "a handler whose profile is not defined",
      `plugins: [{type: disagg-profile-handler, parameters: {profiles: {decode: a, prefill: c}, deciders: {prefill: always-disagg-pd-decider}}}, {type: always-disagg-pd-decider}]\n${two}`,
      ["schedulingProfiles: disagg-profile-handler runs profile c, which is not defined"],
    ],
    [
      "a parameter that only upstream supports",
      "plugins: [{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}]",
      [
        "plugins[0]: inflight-load-producer: addEstimatedOutputTokens: true is not supported, since response tokens are not estimated: set it to false or leave it out",
      ],
    ],
    [
      "pd-profile-handler without its decider",
      "plugins: [{type: pd-profile-handler}]\nschedulingProfiles: [{name: decode}, {name: prefill}]",
      ["plugins[0]: prefix-based-pd-decider is not a decider among the plugins"],
    ],
  ])("refuses %s", (_, body, expected) => {
    expect(problems(body)).toEqual(expected);
  });
});

describe("warnings", () => {
  it.each([
    ["plugins: [{type: inflight-load-producer}, {type: agent-identity}]", []],
    [
      "plugins: [{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: false}}]",
      [],
    ],
    [
      "plugins: [{type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {zmqEndpoint: 'tcp://*:5557', discoverPods: false}, speculativeTTL: 2s}}]",
      [
        "plugins[0]: kvEventsConfig.zmqEndpoint is ignored: the picker connects to the engines, not the engines to the picker",
        "plugins[0]: kvEventsConfig.discoverPods is false: no events are received, and caches are estimated",
        "plugins[0]: speculativeTTL is not used: a prefix that was sent counts until its response begins",
      ],
    ],
    [
      "plugins: [{type: precise-prefix-cache-scorer}, {type: token-producer, parameters: {vllm: {}}}]",
      [],
    ],
    [
      "plugins: [{type: token-producer, parameters: {vllm: {url: 'http://t'}}}]",
      [
        "plugins[0]: tokens are estimated by length; vllm is asked only for a precise-prefix-cache-producer",
      ],
    ],
    ["plugins: [{type: token-producer, parameters: {estimate: {}}}, {type: tokenizer}]", []],
    [
      "plugins: [{type: token-producer, parameters: {modelName: m, udsTokenizerConfig: {}}}]",
      [
        "plugins[0]: modelName, udsTokenizerConfig of a tokenizer is ignored: tokens come only from model servers",
      ],
    ],
    [
      "plugins: [{type: metrics-data-source, parameters: {interval: 1s}}]",
      ["metrics-data-source: interval is ignored; --refresh-metrics-interval applies"],
    ],
    [
      "dataLayer: {discovery: {pluginRef: d}, crossReplicaSyncInterval: 1s}",
      ["dataLayer.discovery is not used", "dataLayer.crossReplicaSyncInterval is not used"],
    ],
    ["featureGates: [flowControl]\nflowControl: {maxRequests: 1}", []],
    [
      "flowControl: {maxRequests: 1}",
      [
        "flowControl is not used without featureGates: [flowControl]: requests are admitted without queues, sheddable ones refused while the pool is full",
      ],
    ],
    ["flowControl: {saturationDetector: {}}\nfeatureGates: [flowControl=false]", []],
    [
      "featureGates: [dataLayer, haPopulateNonLeaderDatastore=true]",
      [
        "featureGates: dataLayer has no effect",
        "featureGates: haPopulateNonLeaderDatastore=true has no effect",
      ],
    ],
  ])("warnings are given for %s", (body, expected) => {
    expect(built(body).warnings).toEqual(expected);
  });
});
