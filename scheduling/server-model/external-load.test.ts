import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type LiveState, newLiveState } from "../endpoint.ts";
import { readingOf, sentBefore } from "../metrics-reading.ts";
import { ExternalLoadEstimate, PromptSizes } from "./external-load.ts";

/** What a server has of all pickers, and what it counted before. */
interface Has {
  readonly prefilling?: number;
  /** Requests that wait there, and do not run yet. */
  readonly waiting?: number;
  readonly decoding?: number;
  readonly ended?: number;
  /** How many answers broke off after their first token: servers do not count them as ended. */
  readonly brokenOff?: number;
  /** How many tokens of answers it has given out, where it says so. */
  readonly generated?: number;
}

/** A server that is read by one of several replicas, which has sent 40 prompts of 200 tokens and one of 20,000 before. */
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
    // 10,000 tokens a second.
    others.read(live, 0.1);
    return live.externalTokens;
  };
  return { live, read };
}

describe("prompts that other replicas sent", () => {
  it("prompts of others are as long as this one's at first, and none are left when all answers have begun", () => {
    const { read } = watched();
    expect(read(0, {})).toBe(0);
    expect(read(50, { prefilling: 1 })).toBeCloseTo((40 * 200 + 20_000) / 41);
    expect(read(100, { decoding: 1, prefilling: 1 })).toBeCloseTo((40 * 200 + 20_000) / 41);
    expect(read(150, { decoding: 2 })).toBe(0);
  });

  it("prompts of others that wait at the server count as those that it computes", () => {
    const { read } = watched();
    read(0, {});
    const mean = (40 * 200 + 20_000) / 41;
    expect(read(50, { prefilling: 1, waiting: 2 })).toBeCloseTo(3 * mean);
    expect(read(100, { prefilling: 1, waiting: 1, decoding: 1 })).toBeCloseTo(2 * mean);
  });

  it("a prompt that is computed for longer than short ones take is a document, and is so until its answer begins", () => {
    const { read } = watched();
    read(0, {});
    read(50, { prefilling: 1 });
    expect(read(100, { prefilling: 1 })).toBeCloseTo(19_500);
    expect(read(1_050, { prefilling: 1 })).toBeCloseTo(10_000);
    expect(read(1_100, { prefilling: 3 })).toBeCloseTo(9_500 + 2 * ((40 * 200 + 20_000) / 41));
    expect(read(2_050, { decoding: 3 })).toBe(0);
  });

  it("a step that takes long has a prompt of others in it, which the server does not count before its end", () => {
    const { read } = watched();
    for (let at = 0; at <= 500; at += 50)
      expect(read(at, { decoding: 2, generated: at / 5 })).toBe(0);
    expect(read(550, { decoding: 2, generated: 100 })).toBeCloseTo(19_500);
    expect(read(600, { decoding: 2, generated: 100 })).toBeCloseTo(19_000);
    // The step ended, and the prompt is a document, of which the next step computes more.
    expect(read(650, { decoding: 2, prefilling: 1, generated: 102 })).toBeCloseTo(18_500);
    expect(read(700, { decoding: 2, prefilling: 1, generated: 102 })).toBeCloseTo(18_000);
    expect(read(2_500, { decoding: 3, generated: 120 })).toBe(0);
  });

  it("a step that takes long for this picker's own prompt has none of others", () => {
    const { live, read } = watched({ runningRequests: 3 });
    for (let at = 0; at <= 500; at += 50) read(at, { decoding: 2, generated: at / 5 });
    live.runningTokens = 1_200;
    live.prompts.add({ promptTokens: 1_200 });
    read(550, { decoding: 2, generated: 110 });
    for (let at = 600; at <= 650; at += 50)
      expect(read(at, { decoding: 2, generated: 110 })).toBe(0);
    // It takes 120 ms. What is computed for longer is another's.
    expect(read(700, { decoding: 2, generated: 110 })).toBeCloseTo(19_700);
  });

  it("a prompt longer than all that were seen is taken to have as much left as it had", () => {
    const { read } = watched();
    read(0, {});
    read(50, { prefilling: 1 });
    expect(read(3_050, { prefilling: 1 })).toBeCloseTo(30_000);
  });

  it("prompts of this picker are not others', nor is the time that theirs take", () => {
    const { live, read } = watched({
      runningRequests: 1,
      prompts: new Set([{ promptTokens: 800 }]),
    });
    live.runningTokens = 800;
    read(0, {});
    expect(read(50, { prefilling: 1 })).toBe(0);
    const mean = (40 * 200 + 20_000) / 41;
    expect(read(100, { prefilling: 2 })).toBeCloseTo(mean);
    // The first 80 ms are its own prompt's.
    expect(read(180, { prefilling: 2 })).toBeCloseTo(mean);
    expect(read(230, { prefilling: 2 })).toBeCloseTo(19_500);
  });

  it("answers that break off are not missing for ever, and a server that counts otherwise has no prompts of others in the end", () => {
    const { read } = watched();
    read(0, { decoding: 3 });
    expect(read(50, { decoding: 1, brokenOff: 2 })).toBe(0);
    expect(read(100, { decoding: 1, prefilling: 1, brokenOff: 2 })).toBeGreaterThan(0);
    // Each of a hundred requests ends without a first token that counts.
    for (let at = 0; at < 100; at += 1)
      read(1_000 + 250 * at, { decoding: 1, prefilling: 2, brokenOff: 2 - at });
    read(30_000, { decoding: 1, brokenOff: -97 });
    read(40_050, { decoding: 1, brokenOff: -97 });
    expect(read(50_100, { decoding: 1, brokenOff: -97 })).toBe(0);
  });

  it("a server that does not count answers, or starts anew, has none", () => {
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
