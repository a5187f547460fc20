import fc from "fast-check";
import { expect, it } from "vitest";
import { buildScheduler } from "../../../scheduling/build.ts";
import { loadPickerConfig } from "../../../scheduling/config/read.ts";
import { blocks, endpoint, metrics, now, request } from "../../../scheduling/cycles.fixture.ts";
import { newSchedulingRecord } from "../../../scheduling/profiles/scheduling-record.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { label } from "../../../sdk/names.ts";
import { endpointPickerConfig } from "../../../sdk/plan/picker/endpoint-picker-config.ts";
import { seeded } from "../../../testing/samples/seeded.ts";
import { type DecisionRecord, DecisionRing } from "./decision-ring.ts";
import { explained, explainPage } from "./explain-page.ts";

const labels = {
  ...{ service: undefined, model: "m", targetModel: "m" },
  ...{ fairnessId: "default-flow", priority: 0 },
};
const strategies = [
  "prefix-cache",
  "kv-cache-utilization",
  "queue-size",
  "lora-affinity",
  "pd-disaggregation",
] as const;

const schedulerOf = (strategy: (typeof strategies)[number]) => {
  const text = JSON.stringify(endpointPickerConfig(strategy));
  return buildScheduler(loadPickerConfig(text, strategy).config);
};

const pod = (index: number, role: string, live: object) =>
  endpoint(`pod-${index}`, {
    ip: `10.0.0.${index + 1}`,
    labels: { [label.componentType]: role },
    live,
  });

const record = (ring: DecisionRing, id: string) =>
  ring.begin(id, labels, undefined, now) as DecisionRecord;

it("weighted scores explain the chosen endpoint in 1,000 decisions of each strategy", () => {
  const reading = fc.record({
    waitingRequests: fc.integer({ min: 0, max: 20 }),
    runningRequests: fc.integer({ min: 0, max: 20 }),
    kvCacheUsage: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const live = fc.record({
    runningTokens: fc.integer({ min: 0, max: 50_000 }),
    runningRequests: fc.integer({ min: 0, max: 30 }),
    metrics: fc.option(reading.map(metrics), { nil: undefined }),
    isDown: fc.boolean(),
  });
  const lives = fc.array(live, { minLength: 2, maxLength: 6 });
  const prompt = fc.integer({ min: 0, max: 40 });
  for (const strategy of strategies) {
    const scheduler = schedulerOf(strategy);
    const ring = new DecisionRing(1_000);
    const random = seeded(3);
    fc.assert(
      fc.property(lives, prompt, (lives, count) => {
        const candidates = lives.map((each, at) =>
          pod(at, at % 2 === 0 ? "prefiller" : "decoder", each),
        );
        const one = record(ring, "id");
        const decision = scheduler.schedule(
          request({ prompts: [blocks(count)] }),
          candidates,
          { now, random },
          one.scheduling,
        );
        one.chosen = decision.endpoints;
        const { profiles, chosen } = explained(one, now);
        for (const { scored, picked, scorers } of profiles) {
          const totals = scored.map(({ scores }) =>
            scores.reduce((sum, score, at) => sum + score * (scorers[at]?.weight ?? 0), 0),
          );
          const best = Math.max(...totals);
          expect(scored.find(({ endpoint }) => endpoint === picked[0])?.total).toBe(best);
        }
        // Decoders are chosen first, then prefillers for them.
        const [answering] = profiles;
        expect(chosen[0]).toBe(answering?.picked[0]);
        for (const { endpoint, total } of answering?.scored ?? [])
          expect(decision.scores().get(endpoint)).toBe(total);
      }),
    );
  }
});

it("the parts of the cost in 1,000 decisions give each endpoint's score, and a down endpoint has none", () => {
  const scheduler = schedulerOf("prefix-cache");
  const live = fc.record({
    runningTokens: fc.integer({ min: 0, max: 50_000 }),
    runningRequests: fc.integer({ min: 0, max: 30 }),
    slowness: fc.constantFrom(1, 1.5, 4),
    metrics: fc
      .record({ waitingRequests: fc.integer({ min: 0, max: 20 }) })
      .map((reading) => metrics(reading)),
    isDown: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(live, { minLength: 2, maxLength: 6 }),
      fc.integer({ max: 40, min: 0 }),
      (lives, count) => {
        const one = record(new DecisionRing(1), "id");
        scheduler.schedule(
          request({ prompts: [blocks(count)] }),
          lives.map((each, at) => pod(at, "decoder", each)),
          { now, random: seeded(3) },
          one.scheduling,
        );
        for (const { scored, scorers } of explained(one, now).profiles) {
          const at = scorers.findIndex(({ type }) => type === "prefill-cost-scorer");
          const costs = scored.map(({ parts }) => costOfParts(parts?.[at] ?? null));
          const least = Math.min(...costs);
          expect(scored.map(({ scores }) => scores[at])).toEqual(
            costs.map((cost) => (cost === Number.POSITIVE_INFINITY ? 0 : least / cost)),
          );
        }
      },
    ),
  );
});

/** Returns the cost that the scorer compares. The cost of the prompt is rounded up to 64 tokens, and all other cost down. */
function costOfParts(parts: Readonly<Record<string, number>> | null): number {
  if (parts === null) return Number.POSITIVE_INFINITY;
  const sum = (...names: string[]) => names.reduce((all, name) => all + (parts[name] as number), 0);
  const own = sum("uncached", "duplication", "slowness");
  return 1 + Math.ceil(own / 64) + Math.floor(sum("ahead", "requests", "slots") / 64);
}

it("a decision contains no parts of the cost if more than 128 endpoints were scored", () => {
  const one = record(new DecisionRing(1), "id");
  const candidates = Array.from({ length: 129 }, (_, at) => endpoint(`pod-${at}`));
  const decide = (among: typeof candidates) => {
    one.scheduling = newSchedulingRecord();
    schedulerOf("prefix-cache").schedule(
      request(),
      among,
      { now, random: seeded(1) },
      one.scheduling,
    );
    return explained(one, now).profiles[0]?.scored[0]?.parts;
  };
  expect(decide(candidates)).toContain(null);
  expect(decide(candidates.slice(1))).not.toContain(null);
});

it("a decision shows the filter that dropped an endpoint, the cached blocks per endpoint, and the endpoint that served", () => {
  const scheduler = schedulerOf("pd-disaggregation");
  const candidates = [pod(0, "prefiller", {}), pod(1, "decoder", {})];
  const ring = new DecisionRing(2);
  const prompts = [blocks(4)];
  const schedule = (one: DecisionRecord) =>
    scheduler.schedule(
      request({ prompts }),
      candidates,
      { now, random: seeded(1) },
      one.scheduling,
    );
  schedule(record(ring, "first")).dispatch();
  const second = record(ring, "second");
  second.chosen = schedule(second).endpoints;
  second.response = {
    ...{ seconds: 1, firstTokenSeconds: 0.1, streaming: true, bytes: 1, processingSeconds: 0 },
    ...{ status: 200, usage: undefined, served: candidates[1] },
  } as DecisionRecord["response"];
  second.startedAt = now - 5;
  second.scheduledAt = now + 20;
  expect(explained(second, now + 250)).toMatchObject({
    requestId: "second",
    ageMilliseconds: 250,
    candidates: [
      { endpoint: "10.0.0.1:8000", pod: "default/pod-0", cachedBlocks: 4 },
      { endpoint: "10.0.0.2:8000", pod: "default/pod-1", cachedBlocks: 4 },
    ],
    prefix: { blockTokens: 64, totalBlocks: 4 },
    profiles: [
      {
        name: "decode",
        dropped: [{ endpoint: "10.0.0.1:8000", by: "decode-pods" }],
        scorers: [{ type: "prefill-cost-scorer", weight: 100 }],
        picked: ["10.0.0.2:8000"],
      },
      { name: "prefill", dropped: [{ endpoint: "10.0.0.2:8000", by: "prefill-pods" }] },
    ],
    chosen: ["10.0.0.2:8000"],
    served: { endpoint: "10.0.0.2:8000", status: 200 },
    timeline: {
      readMilliseconds: 5,
      scheduledMilliseconds: 25,
      firstBytesMilliseconds: 100,
      endMilliseconds: 1_000,
    },
  });
});

it("a decision on a refused request shows the reason", () => {
  const scheduler = schedulerOf("pd-disaggregation");
  const one = record(new DecisionRing(1), "refused");
  const among = [pod(0, "prefiller", {})];
  expect(() =>
    scheduler.schedule(request(), among, { now, random: seeded(1) }, one.scheduling),
  ).toThrow(RequestError);
  one.refusal = new RequestError("ResourceExhausted", "no endpoints");
  expect(explained(one, now)).toMatchObject({
    profiles: [{ dropped: [{ endpoint: "10.0.0.1:8000", by: "decode-pods" }], picked: [] }],
    chosen: [],
    refusal: { code: "ResourceExhausted", message: "no endpoints" },
    served: null,
    timeline: null,
  });
});

it("a ring keeps the last decisions, every decision on a retried request, and none if its size is 0", () => {
  const ring = new DecisionRing(3);
  for (const id of ["a", "b", "a", "c"]) record(ring, id);
  const page = (query: string) => explainPage(ring, new URLSearchParams(query), now);
  expect(page("").last?.map(({ requestId }) => requestId)).toEqual(["c", "a", "b"]);
  expect(page("request-id=a").decisions).toHaveLength(1);
  record(ring, "a");
  expect(page("request-id=a").decisions).toHaveLength(2);
  expect(new DecisionRing(0).begin("a", labels, undefined, now)).toBeUndefined();
});
