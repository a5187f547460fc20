import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Emission,
  type Job,
  Simulation,
  type SimulationOptions,
  tokenChars,
} from "./simulation.ts";

const run = (simulation: Simulation, ...jobs: Array<Job & { at?: number }>): Emission[] => {
  const emissions: Emission[] = [];
  for (const { at = 0, ...job } of jobs) {
    emissions.push(...simulation.advance(at));
    simulation.submit(job, at);
  }
  return [...emissions, ...simulation.advance(1e9)];
};
const text = (tokens: number, seed = "x") =>
  seed.repeat(tokens * tokenChars).slice(0, tokens * tokenChars);
const firstAt = (emissions: Emission[], id: number) => emissions.find((each) => each.id === id)?.at;
const lastAt = (emissions: Emission[], id: number) =>
  emissions.findLast((each) => each.id === id)?.at;

describe("the closed formula", () => {
  const times = fc.record({
    prefillTokensPerSecond: fc.integer({ min: 100, max: 100_000 }),
    stepMs: fc.integer({ min: 1, max: 50 }),
    stepMsPerSequence: fc.integer({ min: 0, max: 5 }),
  });

  it("of one request: time to first token, then a step a token", () => {
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 50 }),
        (options, tokens, maxTokens) => {
          const emissions = run(new Simulation(options), {
            id: 1,
            prompt: text(tokens),
            maxTokens,
          });
          const first = (1000 * tokens) / options.prefillTokensPerSecond;
          expect(firstAt(emissions, 1)).toBeCloseTo(first, 6);
          expect(lastAt(emissions, 1)).toBeCloseTo(
            first + (maxTokens - 1) * (options.stepMs + options.stepMsPerSequence),
            6,
          );
          expect(emissions.length).toBe(maxTokens);
        },
      ),
    );
  });

  it("of a full batch: its size by the length of a step", () => {
    const options = {
      maxSequences: 8,
      stepMs: 4,
      stepMsPerSequence: 0.5,
      prefillTokensPerSecond: 1e12,
    };
    const jobs = Array.from({ length: 80 }, (_, id) => ({
      id,
      prompt: text(1, String(id)),
      maxTokens: 101,
    }));
    const emissions = run(new Simulation(options), ...jobs);
    // Ten batches of eight: a token with the prefill, then a hundred steps. The first step begins when one of the
    // eight is prefilled and is as short as for one; the others join it.
    expect(emissions.at(-1)?.at).toBeCloseTo(10 * (4.5 + 99 * 8), 3);
  });

  it("of the hit rate: whole blocks of the common prefix", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 1, max: 100 }),
        (common, own) => {
          const prompts = ["a", "b"].map((seed) => text(common) + text(own, seed));
          const emissions = run(
            new Simulation({ blockTokens: 16 }),
            ...prompts.map((prompt, id) => ({ id, prompt, maxTokens: 1, at: id * 1e6 })),
          );
          expect(emissions.map(({ cachedTokens }) => cachedTokens)).toEqual([
            0,
            Math.floor(common / 16) * 16,
          ]);
        },
      ),
    );
  });
});

it("a cached prompt is prefilled in the time of the rest", () => {
  const options = { blockTokens: 16, prefillTokensPerSecond: 1000 };
  const jobs = [0, 1].map((id) => ({ id, prompt: text(160), maxTokens: 1, at: id * 10_000 }));
  const emissions = run(new Simulation(options), ...jobs);
  expect(firstAt(emissions, 0)).toBe(160);
  expect(firstAt(emissions, 1)).toBe(10_001);
});

it("forgets what was not used longest", () => {
  const simulation = new Simulation({ blockTokens: 1, cacheBlocks: 4 });
  const prompts = ["aaaa", "bbbb", "aaaa", "cccc"].map((seed) => seed.repeat(2));
  const jobs = [...prompts, "aaaa".repeat(2), "bbbb".repeat(2)].map((prompt, id) => ({
    id,
    prompt,
    maxTokens: 1,
    at: id * 1000,
  }));
  expect(run(simulation, ...jobs).map(({ cachedTokens }) => cachedTokens)).toEqual([
    0, 0, 1, 0, 1, 0,
  ]);
});

describe("adapters", () => {
  const options: SimulationOptions = {
    adapterSlots: 1,
    adapterLoadMs: 50,
    prefillTokensPerSecond: 1e12,
    stepMs: 10,
    stepMsPerSequence: 0,
  };
  const job = (id: number, adapter: string) => ({ id, prompt: "", adapter, maxTokens: 3 });

  it("are loaded once, and wait for a slot", () => {
    const simulation = new Simulation(options);
    simulation.submit(job(1, "a"), 0);
    simulation.submit(job(2, "b"), 0);
    simulation.submit(job(3, "a"), 0);
    expect(simulation.state).toMatchObject({
      activeAdapters: ["a"],
      waitingAdapters: ["b"],
      waiting: 1,
      running: 2,
    });
    const emissions = simulation.advance(1e6);
    for (const id of [1, 3]) expect(firstAt(emissions, id)).toBeCloseTo(50, 3);
    expect(firstAt(emissions, 2)).toBeCloseTo(Number(lastAt(emissions, 3)) + 50, 3);
    expect(simulation.state.activeAdapters).toEqual(["b"]);
  });
});

it("a cancelled request makes room", () => {
  const simulation = new Simulation({ maxSequences: 1 });
  simulation.submit({ id: 1, prompt: "", maxTokens: 1e9 }, 0);
  simulation.submit({ id: 2, prompt: "", maxTokens: 1 }, 0);
  simulation.advance(100);
  simulation.cancel(1, 100);
  expect(simulation.advance(200).map(({ id }) => id)).toEqual([2]);
  expect(simulation.state).toMatchObject({ waiting: 0, running: 0 });
});
