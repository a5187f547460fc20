import { describe, expect, it } from "vitest";
import { problemsOf, withHeading } from "./problems-of.fixture.ts";
import { readPickerConfig } from "./read.ts";

const older = (body: string) =>
  `apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\n${body}`;
const plugin = (type: string, parameters?: object, name?: string) =>
  JSON.stringify({ type, name, parameters });
const plugins = (...list: string[]) => `plugins: [${list.join(", ")}]`;

function read(text: string) {
  const { config, problems, warnings } = readPickerConfig(text);
  expect(problems).toEqual([]);
  if (config === undefined) throw new Error("no configuration");
  return { config, warnings };
}

/** Returns the prefix caches of a configuration with one prefix-cache-scorer. */
const caches = (parameters: object) => {
  const { config, warnings } = read(
    withHeading(plugins(plugin("prefix-cache-scorer", parameters))),
  );
  return { caches: Object.fromEntries(config.prefixCaches), warnings, scorer: config.plugins[0] };
};

describe("older parameters of prefix-cache-scorer", () => {
  it.each([
    // Until 1.3 of the inference extension, block sizes were in characters.
    [{ hashBlockSize: 64 }, { blockSizeTokens: 16 }],
    [{ blockSize: 256 }, { blockSizeTokens: 64 }],
    [{ hashBlockSize: 2 }, { blockSizeTokens: 1 }],
    [{ blockSizeTokens: 32, blockSize: 256 }, { blockSizeTokens: 32 }],
    [{ autoTune: false }, { autoTune: false }],
    [
      { maxPrefixBlocksToMatch: 256, lruCapacityPerServer: 9 },
      { maxPrefixBlocksToMatch: 256, maxPrefixTokensToMatch: 0, lruCapacityPerServer: 9 },
    ],
    [{ mode: "estimate", autoTune: true }, { autoTune: true }],
  ])("%j is read as %j of an approx-prefix-cache-producer", (given, expected) => {
    const { caches: found, warnings, scorer } = caches(given);
    expect(found).toMatchObject({
      "approx-prefix-cache-producer": { kind: "approximate", parameters: expected },
    });
    expect(scorer?.prefixCache).toBe("approx-prefix-cache-producer");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("the parameters now belong to approx-prefix-cache-producer");
  });

  it("mode cache_tracking is read as a precise-prefix-cache-producer", () => {
    const { caches: found, warnings } = caches({
      mode: "cache_tracking",
      kvEventsConfig: { topicFilter: "kv@m" },
      kvCacheRedisAddr: "redis:6379",
    });
    expect(found).toMatchObject({
      "precise-prefix-cache-producer": {
        kind: "precise",
        parameters: { kvEventsConfig: { topicFilter: "kv@m" } },
      },
    });
    expect(warnings[0]).toMatch(
      /^plugins\[0\]: mode: cache_tracking, kvEventsConfig, kvCacheRedisAddr of prefix-cache-scorer is an older form; .* kvCacheRedisAddr is not used$/,
    );
  });

  it("parameters of a second scorer create a separate producer", () => {
    const { config } = read(
      withHeading(
        plugins(
          plugin("prefix-cache-scorer", { blockSizeTokens: 16 }),
          plugin("prefix-cache-scorer", { blockSizeTokens: 64 }, "far"),
        ),
      ),
    );
    expect([...config.prefixCaches.keys()]).toEqual([
      "approx-prefix-cache-producer",
      "far-producer",
    ]);
  });

  it("invalid values are reported for the plugin that contains them", () => {
    const wrong = plugins(plugin("queue-scorer"), plugin("prefix-cache-scorer", { autoTune: 1 }));
    expect(problemsOf(withHeading(wrong))).toEqual([
      "plugins[1].parameters.autoTune: Invalid input: expected boolean, received number",
    ]);
    expect(
      problemsOf(withHeading(plugins(plugin("prefix-cache-scorer", { mode: "cache-tracking" })))),
    ).toEqual(['plugins[0].parameters: Unrecognized key: "mode"']);
  });

  it("current parameters are read without a warning", () => {
    expect(caches({ matchLengthWeight: 0.5 }).warnings).toEqual([]);
  });
});

describe("older types", () => {
  it.each([
    ["kv-cache-scorer", "kv-cache-utilization-scorer"],
    ["model-server-protocol-metrics", "core-metrics-extractor"],
    ["model-server-protocol-models", "models-data-extractor"],
    ["predicted-latency-scorer", "latency-scorer"],
  ])("%s is read as %s with a warning, and references may use the older name", (given, present) => {
    const profile = `schedulingProfiles: [{name: default, plugins: [{pluginRef: ${given}}]}]`;
    const { warnings } = read(older(`${plugins(plugin(given))}\n${profile}`));
    expect(warnings[0]).toBe(`plugins[0]: the present name of ${given} is ${present}`);
  });

  it("data is read as dataLayer", () => {
    const { config, warnings } = read(older("data: {injectDefaults: false}"));
    expect(config.metrics).toBeUndefined();
    expect(warnings).toEqual(["data: use its present name, dataLayer"]);
  });
});

describe("pd-profile-handler of earlier versions", () => {
  const profiles = "schedulingProfiles: [{name: decode}, {name: prefill}]";
  const decider = (parameters?: object) =>
    read(
      older(`${plugins(plugin("pd-profile-handler", parameters))}\n${profiles}`),
    ).config.plugins.at(-1);

  it("converts its threshold from characters to the tokens of a decider", () => {
    expect(decider({ threshold: 40, hashBlockSize: 64 })).toMatchObject({
      type: "prefix-based-pd-decider",
      parameters: { nonCachedTokens: 10 },
    });
  });

  it.each([[undefined], [{ threshold: 0 }]])(
    "uses a prefiller for every request without a threshold: %j",
    (parameters) => {
      expect(decider(parameters)).toMatchObject({ type: "always-disagg-pd-decider" });
    },
  );

  it("uses the listed decider", () => {
    const both = plugins(
      plugin("pd-profile-handler", { threshold: 40 }),
      plugin("prefix-based-pd-decider", { nonCachedTokens: 7 }),
    );
    const { config, warnings } = read(older(`${both}\n${profiles}`));
    expect(config.plugins).toHaveLength(2);
    expect(warnings).toEqual([
      "plugins[0]: threshold of pd-profile-handler is ignored: its decider decides",
    ]);
  });
});

describe("upstream plugins that this picker does not support", () => {
  it("unsupported scorers are omitted, with one warning per type", () => {
    const twice = plugins(
      plugin("latency-scorer"),
      plugin("latency-scorer", {}, "again"),
      plugin("queue-scorer"),
    );
    const profile =
      "schedulingProfiles: [{name: default, plugins: [{pluginRef: latency-scorer}, {pluginRef: again}, {pluginRef: queue-scorer}]}]";
    const { config, warnings } = read(withHeading(`${twice}\n${profile}`));
    expect(config.profiles[0]?.plugins.map(({ plugin: { type } }) => type)).toEqual([
      "queue-scorer",
    ]);
    expect(warnings).toEqual([
      "latency-scorer is omitted: no latency is predicted; prefill-cost-scorer weighs the expected wait",
    ]);
  });

  it("unsupported filters are refused once, even if a profile names them", () => {
    const profile =
      "schedulingProfiles: [{name: default, plugins: [{pluginRef: endpoint-attribute-filter}]}]";
    expect(
      problemsOf(withHeading(`${plugins(plugin("endpoint-attribute-filter"))}\n${profile}`)),
    ).toEqual([
      "plugins[0]: endpoint-attribute-filter is not supported: the picker does not know attributes of endpoints: use utilization-filter, which reads requests and KV cache",
    ]);
  });

  it("misspelt types are refused with the closest known type", () => {
    expect(problemsOf(withHeading(plugins(plugin("latency-scorerr"))))).toEqual([
      "plugins[0]: type latency-scorerr is unknown; did you mean latency-scorer? docs/endpoint-picker-plugins.md lists all",
    ]);
  });
});
