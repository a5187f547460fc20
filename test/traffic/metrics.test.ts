import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { upstreamMetrics } from "../../runtime/epp/telemetry/upstream-metrics.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { rewriteOf, startTraffic, type TrafficStack } from "./stack.ts";

/** The metrics page of a picker after requests of every kind through a real Envoy. */

const config = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
flowControl: {maxRequests: 100, maxBytes: 1Gi}
plugins:
  - {type: decode-filter}
  - {type: prefill-filter}
  - {type: prefix-cache-scorer, name: cached}
  - {type: max-score-picker}
  - {type: always-disagg-pd-decider}
  - type: disagg-profile-handler
    parameters: {deciders: {prefill: always-disagg-pd-decider}}
schedulingProfiles:
  - name: decode
    plugins: [{pluginRef: decode-filter}, {pluginRef: cached}, {pluginRef: max-score-picker}]
  - name: prefill
    plugins: [{pluginRef: prefill-filter}, {pluginRef: max-score-picker}]
`;

let stack: TrafficStack;
let page = "";

beforeAll(async () => {
  await findEnvoy();
  const labels = (role: string) => ({ labels: { "llm-d.ai/role": role } });
  stack = await startTraffic({
    servers: [
      // Its tokens come one by one, as far as a busy machine lets them.
      { ...labels("decode"), stepMs: 20 },
      labels("prefill"),
      // Their pages cannot be read: one names an engine that is not configured, the other is gone.
      { labels: { "llm-d.ai/role": "prefill", "llm-d.ai/engine-type": "unknown" } },
      labels("encode"),
    ],
    objects: [rewriteOf("alias", "base")],
    pickerArgs: [`--config-text=${config}`],
  });
  await stack.servers[3]?.stop();
  const chat = { model: "alias", max_tokens: 4 };
  const messages = [{ role: "user" as const, content: "Once upon a time. ".repeat(100) }];
  for (const _ of [1, 2]) await stack.client.chat.completions.create({ ...chat, messages });
  await fetch(`${stack.envoy.url}/v1/chat/completions`, { method: "POST", body: "{" });
  const shown = async () =>
    (await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/metrics`)).text();
  const stream = async () => {
    const answer = await stack.client.chat.completions.create({
      ...{ ...chat, messages, stream: true },
      stream_options: { include_usage: true },
    });
    for await (const _ of answer);
  };
  await vi.waitFor(
    async () => {
      // On a busy machine all of an answer may come in one chunk, and then there is no gap between two.
      await stream();
      page = await shown();
      for (const name of ["datalayer_poll_errors_total", "request_streaming_itl_seconds"])
        expect(has(prefix + name)).toBe(true);
    },
    { timeout: 20_000, interval: 100 },
  );
}, 300_000);
afterAll(() => stack?.stop());

const prefix = "llm_d_epp_";

/** Label names of a metric's first sample, without labels of histograms; undefined if the page has none. */
function labelsOf(name: string): string[] | undefined {
  const sample = new RegExp(`^${name}(_count)?(\\{(.*)\\})? `, "m").exec(page);
  if (sample === null) return undefined;
  return [...(sample[3] ?? "").matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(
    ([, label]) => label ?? "",
  );
}
const has = (name: string) => labelsOf(name) !== undefined;

/** The values of one label of a metric. */
const valuesOf = (name: string, label: string) =>
  new Set(
    [...page.matchAll(new RegExp(`^${name}\\{.*?${label}="([^"]*)"`, "gm"))].map(([, v]) => v),
  );

const rows = Object.entries(upstreamMetrics);

describe("a metric that the upstream picker has", () => {
  it.each(rows.filter(([, { leftOut }]) => leftOut === undefined))(
    "is on the page after traffic, with its labels and older names: %s",
    (name, { labels, older = {} }) => {
      expect(labelsOf(prefix + name)?.sort()).toEqual([...labels].sort());
      const found = Object.keys(older).map((each) => [each, labelsOf(each)?.sort()]);
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(Object.entries(older).map(([each, its]) => [each, [...its].sort()])),
      );
    },
  );

  it.each(rows.filter(([, { leftOut }]) => leftOut !== undefined))(
    "is not on the page if it is listed as left out: %s",
    (name) => expect(has(prefix + name)).toBe(false),
  );
});

it("scheduler_attempts_total has the endpoint, port and target model of each attempt", () => {
  const attempts = `${prefix}scheduler_attempts_total`;
  expect(valuesOf(attempts, "endpoint_name")).toEqual(new Set(["pod-0"]));
  expect(valuesOf(attempts, "target_model_name")).toEqual(new Set(["base"]));
  expect(valuesOf(attempts, "port")).toEqual(new Set([String(stack.servers[0]?.port)]));
});

it("the label of a rewrite has no namespace", () => {
  expect(valuesOf(`${prefix}model_rewrite_decisions_total`, "model_rewrite_name")).toEqual(
    new Set(["rewrite-alias"]),
  );
});

it("plugin labels contain the names from the configuration", () => {
  expect(valuesOf(`${prefix}plugin_duration_seconds_count`, "plugin_name")).toEqual(
    new Set([
      ...["cached", "decode-filter", "prefill-filter", "max-score-picker"],
      "disagg-profile-handler",
    ]),
  );
  expect(valuesOf(`${prefix}disagg_decision_total`, "decision_type")).toEqual(
    new Set(["prefill-decode"]),
  );
});

it("the hit ratio of the prefix index is 0 for the first request with a prompt and 1 for later ones", () => {
  const ratio = `${prefix}prefix_indexer_hit_ratio`;
  const sum = new RegExp(`^${ratio}_sum\\{.*\\} (\\S+)`, "m").exec(page)?.[1];
  const count = new RegExp(`^${ratio}_count\\{.*\\} (\\S+)`, "m").exec(page)?.[1];
  // The first request with a prompt finds nothing cached, the others find all of it.
  expect(Number(count)).toBeGreaterThan(2);
  expect(sum).toBe(String(Number(count) - 1));
});

it("metrics count prompt tokens, and the tokens cached on the chosen and on the best endpoint", () => {
  const value = (name: string) =>
    Number(new RegExp(`^${prefix}${name} (\\S+)$`, "m").exec(page)?.[1]);
  const chosen = value("prompt_tokens_cached_on_chosen_total");
  const best = value("prompt_tokens_cached_on_best_total");
  expect(chosen).toBeGreaterThan(0);
  expect(best).toBeGreaterThanOrEqual(chosen);
  expect(value("prompt_tokens_total")).toBeGreaterThan(best);
});
