import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type LiveState, newLiveState } from "../endpoints/endpoint.ts";
import { readingOf, sentBefore } from "../endpoints/metrics-reading.ts";
import { ExternalLoadEstimate, PromptSizes } from "./external-load.ts";

/** Requests at a server from all pickers, and its counters. */
interface Has {
  readonly prefilling?: number;
  /** Requests that wait there and do not run yet. */
  readonly waiting?: number;
  readonly decoding?: number;
  readonly ended?: number;
  /** Responses that broke off after their first token. The server does not count them as ended. */
  readonly brokenOff?: number;
  /** Generated tokens; undefined if the server does not count them. */
  readonly generated?: number;
}

/**
 * A server that is read by one of several replicas. This replica has sent 40 prompts of 200 tokens and one of 20,000.
 */
function watched(own: Partial<LiveState> = {}) {
  const sizes = new PromptSizes();
  for (let at = 0; at < 40; at += 1) sizes.sent(200);
  sizes.sent(20_000);
  const others = new ExternalLoadEstimate(sizes);
  const live: LiveState = { ...newLiveState(), ...own };
  const read = (
    at: number,
    { prefilling = 0, waiting = 0, decoding = 0, ended = 0, brokenOff = 0, generated }: Has,
  ): number => {
    const told = metrics({
      ...{ at, runningRequests: prefilling + decoding, waitingRequests: waiting },
      reportsRequests: true,
      ...{ endedRequests: ended, firstTokens: ended + decoding + brokenOff },
      generatedTokens: generated,
    });
    live.metrics = told;
    live.reading = readingOf(live, told, sentBefore(live));
    // 10,000 tokens per second.
    others.read(live, 0.1);
    return live.externalTokens;
  };
  return { live, read };
}

describe("ExternalLoadEstimate", () => {
  it("assumes this picker's mean prompt length at first, and 0 tokens once all responses have begun", () => {
    const { read } = watched();
    expect(read(0, {})).toBe(0);
    expect(read(50, { prefilling: 1 })).toBeCloseTo((40 * 200 + 20_000) / 41);
    expect(read(100, { decoding: 1, prefilling: 1 })).toBeCloseTo((40 * 200 + 20_000) / 41);
    expect(read(150, { decoding: 2 })).toBe(0);
  });

  it("counts waiting prompts like running ones", () => {
    const { read } = watched();
    read(0, {});
    const mean = (40 * 200 + 20_000) / 41;
    expect(read(50, { prefilling: 1, waiting: 2 })).toBeCloseTo(3 * mean);
    expect(read(100, { prefilling: 1, waiting: 1, decoding: 1 })).toBeCloseTo(2 * mean);
  });

  it("recognizes a document by its computing time, until its response begins", () => {
    const { read } = watched();
    read(0, {});
    read(50, { prefilling: 1 });
    expect(read(100, { prefilling: 1 })).toBeCloseTo(19_500);
    expect(read(1_050, { prefilling: 1 })).toBeCloseTo(10_000);
    expect(read(1_100, { prefilling: 3 })).toBeCloseTo(9_500 + 2 * ((40 * 200 + 20_000) / 41));
    expect(read(2_050, { decoding: 3 })).toBe(0);
  });

  it("assumes another picker's prompt in a long step before the server counts it", () => {
    const { read } = watched();
    for (let at = 0; at <= 500; at += 50)
      expect(read(at, { decoding: 2, generated: at / 5 })).toBe(0);
    expect(read(550, { decoding: 2, generated: 100 })).toBeCloseTo(19_500);
    expect(read(600, { decoding: 2, generated: 100 })).toBeCloseTo(19_000);
    // The step ended. The prompt is a document, and the next step computes more of it.
    expect(read(650, { decoding: 2, prefilling: 1, generated: 102 })).toBeCloseTo(18_500);
    expect(read(700, { decoding: 2, prefilling: 1, generated: 102 })).toBeCloseTo(18_000);
    expect(read(2_500, { decoding: 3, generated: 120 })).toBe(0);
  });

  it("assumes no other prompt in a step that is long because of this picker's prompt", () => {
    const { live, read } = watched({ runningRequests: 3 });
    for (let at = 0; at <= 500; at += 50) read(at, { decoding: 2, generated: at / 5 });
    live.runningTokens = 1_200;
    live.prompts.add({ promptTokens: 1_200 });
    read(550, { decoding: 2, generated: 110 });
    for (let at = 600; at <= 650; at += 50)
      expect(read(at, { decoding: 2, generated: 110 })).toBe(0);
    // This picker's prompt takes 120 ms. The rest of the time belongs to another picker's prompt.
    expect(read(700, { decoding: 2, generated: 110 })).toBeCloseTo(19_700);
  });

  it("expects a prompt longer than all recent ones to have twice its computed tokens", () => {
    const { read } = watched();
    read(0, {});
    read(50, { prefilling: 1 });
    expect(read(3_050, { prefilling: 1 })).toBeCloseTo(30_000);
  });

  it("excludes this picker's prompts and the time that they take", () => {
    const { live, read } = watched({
      runningRequests: 1,
      prompts: new Set([{ promptTokens: 800 }]),
    });
    live.runningTokens = 800;
    read(0, {});
    expect(read(50, { prefilling: 1 })).toBe(0);
    const mean = (40 * 200 + 20_000) / 41;
    expect(read(100, { prefilling: 2 })).toBeCloseTo(mean);
    // The first 80 ms belong to this picker's prompt.
    expect(read(180, { prefilling: 2 })).toBeCloseTo(mean);
    expect(read(230, { prefilling: 2 })).toBeCloseTo(19_500);
  });

  it("forgets responses that broke off, and returns to 0 if the server's counters drift", () => {
    const { read } = watched();
    read(0, { decoding: 3 });
    expect(read(50, { decoding: 1, brokenOff: 2 })).toBe(0);
    expect(read(100, { decoding: 1, prefilling: 1, brokenOff: 2 })).toBeGreaterThan(0);
    // Each of 100 requests ends without a counted first token.
    for (let at = 0; at < 100; at += 1)
      read(1_000 + 250 * at, { decoding: 1, prefilling: 2, brokenOff: 2 - at });
    read(30_000, { decoding: 1, brokenOff: -97 });
    read(40_050, { decoding: 1, brokenOff: -97 });
    expect(read(50_100, { decoding: 1, brokenOff: -97 })).toBe(0);
  });

  it("is 0 for a server that does not count responses or has restarted", () => {
    const { live, read } = watched();
    read(0, { ended: 1_000 });
    read(50, { ended: 1_000, prefilling: 1 });
    expect(read(100, { decoding: 1 })).toBe(0);
    live.metrics = metrics({ runningRequests: 4 });
    live.externalTokens = 7;
    live.reading = readingOf(live, live.metrics, sentBefore(live));
    new ExternalLoadEstimate(new PromptSizes()).read(live, 0.1);
    expect(live.externalTokens).toBe(0);
  });
});
