import { describe, expect, it } from "vitest";
import { label } from "../sdk/names.ts";
import { pickerConfigText } from "../sdk/plan/picker/endpoint-picker-config.ts";
import { routingStrategies } from "../sdk/spec/role.ts";
import { seeded } from "../testing/samples/seeded.ts";
import { upstreamProfile } from "../testing/upstream-profile.ts";
import {
  blocks,
  endpoint,
  endpointsWith,
  metrics,
  now,
  podsOf,
  type RequestChange,
  request,
} from "./cycles.fixture.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { poolSaturation } from "./endpoints/saturation.ts";
import { type BuiltConfig, built, builtText } from "./picker-configs.fixture.ts";
import type { Decision } from "./profiles/scheduler.ts";

const schedule = (
  { scheduler }: BuiltConfig,
  endpoints: readonly Endpoint[],
  change: RequestChange = {},
) => scheduler.schedule(request(change), endpoints, chance);

const scores = (
  config: BuiltConfig,
  endpoints: readonly Endpoint[],
  change: RequestChange = {},
) => [...schedule(config, endpoints, change).scores().values()];

const chance = { now, random: seeded(1) };

const serve = (decision: Decision) => decision.dispatch().end(0);

const send = (config: BuiltConfig, to: Endpoint, change: RequestChange) =>
  serve(schedule(config, [to], change));

const idle = () => ({ metrics: metrics() });
const defaultParsers = [
  "openai-parser",
  "anthropic-parser",
  "vllmhttp-parser",
  "passthrough-parser",
];

describe("upstream's default configuration", () => {
  const config = builtText(upstreamProfile);

  it("weighs queue 2, KV cache 2 and prefix cache 3, and selects the best endpoint", () => {
    const endpoints = endpointsWith(
      { metrics: metrics({ waitingRequests: 4, kvCacheUsage: 0.5 }) },
      { metrics: metrics({ waitingRequests: 0, kvCacheUsage: 0.25 }) },
      {},
    );
    const prompts = [blocks(4)];
    send(config, endpoints[0], { prompts: [blocks(3)] });
    expect(scores(config, endpoints, { prompts })).toEqual([0 + 1 + 2.25, 2 + 1.5 + 0, 0]);
    expect(podsOf(schedule(config, endpoints, { prompts }).endpoints)).toEqual(["b"]);
  });

  it("measures saturation by utilization, like upstream", () => {
    const full = endpointsWith({ metrics: metrics({ waitingRequests: 5 }) });
    expect(poolSaturation(config.scheduler.detector, full, now)).toBe(1);
    expect(poolSaturation(config.scheduler.detector, endpointsWith(idle()), now)).toBe(0);
  });

  it("reads metrics, has upstream's parsers and causes no warnings", () => {
    expect(config.scheduler.parsers).toEqual(defaultParsers);
    expect(config.metrics?.source).toEqual({
      scheme: "http",
      path: "/metrics",
      insecureSkipVerify: true,
      caCertPath: "",
      clientCertPath: "",
      clientKeyPath: "",
      interval: "",
    });
    expect(config.metrics?.engines).toEqual({});
    expect(config.warnings).toEqual([]);
  });

  it("uses metrics for 2 s, or for the configured time", () => {
    const at = (age: number) =>
      endpointsWith({ metrics: metrics({ at: now - age }) }, { metrics: metrics() });
    expect(scores(config, at(2000))[0]).toBe(4);
    expect(scores(config, at(2001))[0]).toBe(0);
    const longer = builtText(upstreamProfile, { staleAfterMs: 5_000 });
    expect(scores(longer, at(5000))[0]).toBe(4);
  });
});

describe("defaults of omitted settings", () => {
  const busy = () =>
    endpointsWith({ metrics: metrics({ kvCacheUsage: 0.5 }) }, { metrics: metrics() });

  it("an omitted weight is 1", () => {
    const profile = "schedulingProfiles: [{name: p, plugins: [{pluginRef: kv}]}]";
    const config = built(`plugins: [{type: kv-cache-utilization-scorer, name: kv}]\n${profile}`);
    expect(scores(config, busy())).toEqual([0.5, 1]);
  });

  it("the default profile uses every filter, scorer and picker", () => {
    const config = built(`
plugins:
- {type: kv-cache-utilization-scorer}
- {type: queue-scorer}
- {type: label-selector-filter, parameters: {matchLabels: {app: m}}}
- {type: max-score-picker, parameters: {maxNumOfEndpoints: 2}}
`);
    const labels = { app: "m" };
    const live = { metrics: metrics({ kvCacheUsage: 0.5 }) };
    const endpoints = [endpoint("a", { labels, live }), endpoint("b", { labels }), endpoint("c")];
    const decision = schedule(config, endpoints);
    expect(podsOf(decision.endpoints)).toEqual(["a", "b"]);
    expect(scores(config, [endpoint("a", { labels, live })])).toEqual([1.5]);
  });

  it("a configuration without plugins scores all endpoints 0 and measures saturation by metrics", () => {
    const config = built("");
    expect(scores(config, busy())).toEqual([0, 0]);
    expect(poolSaturation(config.scheduler.detector, [], now)).toBe(1);
  });

  it("a profile that lists no picker uses the configured picker", () => {
    const config = built(`
plugins: [{type: random-picker, parameters: {maxNumOfEndpoints: 2}}, {type: queue-scorer}]
schedulingProfiles: [{name: p, plugins: [{pluginRef: queue-scorer}]}]
`);
    expect(schedule(config, busy()).endpoints).toHaveLength(2);
  });

  it("the saturation detector is free-endpoint-detector, or utilization-detector with flow control", () => {
    const lives = [{ metrics: metrics({ waitingRequests: 50 }) }, { metrics: metrics({}) }, {}];
    const saturation = (body: string) =>
      poolSaturation(built(body).scheduler.detector, endpointsWith(...lives), now);
    expect(saturation("")).toBe(0);
    expect(saturation("plugins: [{type: utilization-detector}]")).toBe(11 / 3);
    expect(saturation("featureGates: [flowControl]")).toBe(11 / 3);
  });

  it("a listed utilization-detector is the default, and flowControl.saturationDetector overrides saturationDetector", () => {
    const detector = "{type: utilization-detector, parameters: {queueDepthThreshold: 10}}";
    const waiting = endpointsWith({ metrics: metrics({ waitingRequests: 5 }) });
    const saturation = (body: string) =>
      poolSaturation(built(body).scheduler.detector, waiting, now);
    expect(saturation("")).toBe(1);
    expect(saturation(`plugins: [${detector}]`)).toBe(0.5);
    expect(saturation(`plugins: [${detector}]\nflowControl: {saturationDetector: {}}`)).toBe(0.5);
    const both = `plugins: [${detector}, {type: concurrency-detector}]
saturationDetector: {pluginRef: utilization-detector}
`;
    expect(saturation(both)).toBe(0.5);
    const newer = "flowControl: {saturationDetector: {pluginRef: concurrency-detector}}";
    expect(saturation(both + newer)).toBe(0);
  });

  it("parsers are upstream's unless requestHandler or parser names some", () => {
    const parsers = (body: string) => built(body).scheduler.parsers;
    expect(parsers("requestHandler: {}")).toEqual(defaultParsers);
    expect(parsers("parser: {pluginRef: openai-parser}")).toEqual(["openai-parser"]);
    const named = "plugins: [{name: p, type: passthrough-parser}]\n";
    const list = "requestHandler: {parsers: [{pluginRef: p}, {pluginRef: openai-parser}]}\n";
    const both = `${named}${list}parser: {pluginRef: anthropic-parser}`;
    expect(parsers(both)).toEqual(["passthrough-parser", "openai-parser"]);
  });

  it("metrics are read unless injectDefaults is false and no source is named", () => {
    const source = "plugins: [{name: m, type: metrics-data-source, parameters: {port: 9}}]\n";
    const off = "dataLayer: {injectDefaults: false}";
    expect(built("").metrics?.source.port).toBeUndefined();
    expect(built(source).metrics?.source.port).toBe(9);
    expect(built(off).metrics).toBeUndefined();
    expect(built(source + off).metrics).toBeUndefined();
    const named = "dataLayer: {injectDefaults: false, sources: [{pluginRef: m}]}";
    expect(built(source + named).metrics?.source.port).toBe(9);
  });

  it("scorers share one prefix cache unless they name a producer", () => {
    const config = built(`
plugins:
- {name: small, type: approx-prefix-cache-producer, parameters: {blockSizeTokens: 128}}
- {name: large, type: approx-prefix-cache-producer, parameters: {blockSizeTokens: 256}}
- {type: prefix-cache-scorer}
- {name: by-large, type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: large}}
`);
    const [to] = endpointsWith({});
    send(config, to, { prompts: [blocks(4)] });
    // The 4 cached of 5 blocks are 2 of 3 blocks of 128 tokens, and 1 of 2 blocks of 256 tokens.
    expect(scores(config, [to], { prompts: [blocks(5)] })).toEqual([2 / 3 + 1 / 2]);
  });
});

describe("the planner's strategies", () => {
  const load = (strategy: (typeof routingStrategies)[number]) =>
    builtText(pickerConfigText({ strategy }, strategy));

  it.each(routingStrategies)("%s loads without a warning", (strategy) => {
    expect(load(strategy).warnings).toEqual([]);
  });

  const adapters = { activeModels: new Set(["m"]), maxActiveModels: 1 };
  it.each([
    [
      "kv-cache-utilization",
      metrics({ kvCacheUsage: 0 }),
      metrics({ kvCacheUsage: 0.5 }),
      // The usage has weight 40, and the cost of a request 60.
      [100, 40 / 2 + 60],
    ],
    // The queue has weight 20. Each of the two requests costs one grain, plus 32 because it waits for a slot.
    [
      "queue-size",
      metrics({ waitingRequests: 0 }),
      metrics({ waitingRequests: 2 }),
      [100, 80 / (1 + 2 * 33)],
    ],
    ["lora-affinity", metrics(adapters), metrics(), [100, 60]],
  ] as const)("%s weighs its metric and the load", (strategy, best, other, expected) => {
    const endpoints = endpointsWith({ metrics: best }, { metrics: other });
    expect(scores(load(strategy), endpoints)).toEqual(expected.map((each) => expect.closeTo(each)));
  });

  it("prefix-cache matches at most 16384 tokens", () => {
    const config = load("prefix-cache");
    const [warm, cold] = endpointsWith({}, {});
    send(config, warm, { prompts: [blocks(256)] });
    const onCold = (count: number) => scores(config, [warm, cold], { prompts: [blocks(count)] })[1];
    // An uncached block costs double, and blocks beyond 256 are not matched.
    expect(onCold(256)).toBeCloseTo(100 / (1 + 2 * 256));
    expect(onCold(512)).toBeCloseTo((100 * (1 + 2 * 256)) / (1 + 2 * 512));
  });

  it("pd-disaggregation selects a decoder and sends it the prefiller's address", () => {
    const pod = (name: string, componentType: string, ip: string) =>
      endpoint(name, { ip, labels: { [label.componentType]: componentType } });
    const prefiller = pod("p", "prefiller", "10.0.0.1");
    const decoder = pod("d", "decoder", "10.0.0.2");
    const config = load("pd-disaggregation");
    const decision = schedule(config, [prefiller, decoder], { prompts: [blocks(2)] });
    expect(podsOf(decision.endpoints)).toEqual(["d"]);
    expect(decision.headers).toEqual([["x-prefiller-host-port", "10.0.0.1:8000"]]);
    expect(schedule(config, [decoder]).headers).toEqual([]);
    expect(() => schedule(config, [prefiller])).toThrow("failed to find endpoint candidates");
  });
});

describe("configurations of upstream's guides", () => {
  it("the optimized baseline scores queue, KV cache, prefix and least recent use", () => {
    const config = built(`
plugins:
- type: approx-prefix-cache-producer
  parameters: {autoTune: true, blockSizeTokens: 64, maxPrefixTokensToMatch: 131072, lruCapacityPerServer: 31250}
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: no-hit-lru-scorer
- {type: max-score-picker, parameters: {maxNumOfEndpoints: 1}}
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: no-hit-lru-scorer, weight: 2}
  - {pluginRef: max-score-picker}
`);
    const endpoints = endpointsWith(idle(), idle());
    const cold = { prompts: [blocks(2)] };
    expect(scores(config, endpoints, cold)).toEqual([6, 4]);
    send(config, endpoints[0], cold);
    expect(scores(config, endpoints, { prompts: [blocks(2, "y")] })).toEqual([4, 6]);
    expect(scores(config, endpoints, cold)).toEqual([8, 5]);
  });

  it("the prefill/decode guide selects a prefiller only for long uncached prompts", () => {
    const config = built(`
plugins:
- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 128}}
- type: disagg-profile-handler
  parameters: {deciders: {prefill: prefix-based-pd-decider}}
- type: disagg-headers-handler
- type: prefill-filter
- type: decode-filter
- type: prefix-cache-scorer
- type: active-request-scorer
- type: max-score-picker
schedulingProfiles:
- name: prefill
  plugins: [{pluginRef: prefill-filter}, {pluginRef: active-request-scorer}, {pluginRef: max-score-picker}]
- name: decode
  plugins: [{pluginRef: decode-filter}, {pluginRef: prefix-cache-scorer, weight: 2}, {pluginRef: max-score-picker}]
`);
    const roles = ["prefill", "decode"].map((role, at) =>
      endpoint(role, { ip: `10.0.0.${at + 1}`, labels: { "llm-d.ai/role": role } }),
    );
    const headers = (count: number) =>
      schedule(config, roles, { prompts: [blocks(count)] }).headers.map(([, value]) => value);
    expect(headers(1)).toEqual([]);
    expect(headers(2)).toEqual(["10.0.0.1:8000"]);
    const prompts = [blocks(2)];
    serve(schedule(config, roles, { prompts }));
    expect(headers(3)).toEqual([]);
    expect(headers(4)).toEqual(["10.0.0.1:8000"]);
  });
});

it("four pickers send equal shares of one short prompt to servers that report equal load", () => {
  const pickers = Array.from({ length: 4 }, (_, at) => ({
    config: builtText(pickerConfigText({ strategy: "prefix-cache" }, "prefix-cache"), {
      replicas: { count: 4 },
    }),
    random: seeded(at + 1),
  }));
  const endpoints = endpointsWith(idle(), idle(), idle(), idle());
  const sent = new Map(endpoints.map(({ pod }) => [pod, 0]));
  const prompts = ["x".repeat(4 * 120)];
  for (let at = 0; at < 400; at += 1) {
    const { config, random } = pickers[at % 4] as (typeof pickers)[number];
    const asked = request({ prompts });
    const decision = config.scheduler.schedule(asked, endpoints, { now, random });
    const pod = decision.endpoints[0]?.pod as string;
    sent.set(pod, (sent.get(pod) as number) + 1);
    serve(decision);
  }
  for (const count of sent.values()) expect(Math.abs(count / 4 - 25)).toBeLessThan(10);
});
