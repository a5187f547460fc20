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

  it("one request takes a step per chunk of the prompt, then a step per token", () => {
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 50 }),
        (options, tokens, maxTokens) => {
          const emissions = run(new Simulation({ ...options, maxBatchedTokens: 512 }), {
            id: 1,
            prompt: text(tokens),
            maxTokens,
          });
          const step = options.stepMs + options.stepMsPerSequence;
          const first =
            Math.ceil(tokens / 512) * step + (1000 * tokens) / options.prefillTokensPerSecond;
          expect(firstAt(emissions, 1)).toBeCloseTo(first, 6);
          expect(lastAt(emissions, 1)).toBeCloseTo(first + (maxTokens - 1) * step, 6);
          expect(emissions.length).toBe(maxTokens);
        },
      ),
    );
  });

  it("each step of a full batch generates one token per request", () => {
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
    // Ten batches of eight, 101 steps each. The first request has a step of its own, for it came first, and the other
    // seven end a step later.
    expect(emissions.at(-1)?.at).toBeCloseTo(4.5 + 1009 * 8 + 7.5, 3);
  });

  it("the hit rate counts whole blocks of the common prefix", () => {
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
  expect(firstAt(emissions, 0)).toBe(165.5);
  expect(firstAt(emissions, 1)).toBe(10_006.5);
});

it("the cache evicts the least recently used blocks", () => {
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

  it("adapters are loaded once, and wait for a slot", () => {
    const simulation = new Simulation(options);
    simulation.submit(job(1, "a"), 0);
    simulation.submit(job(2, "b"), 0);
    simulation.submit(job(3, "a"), 0);
    const first = simulation.advance(61);
    expect(simulation.state).toMatchObject({
      activeAdapters: ["a"],
      waitingAdapters: ["b"],
      waiting: 1,
      running: 2,
    });
    const emissions = [...first, ...simulation.advance(1e6)];
    expect([1, 3, 2].map((id) => Math.round(firstAt(emissions, id) ?? 0))).toEqual([60, 70, 150]);
    expect(lastAt(emissions, 3)).toBeCloseTo(90, 3);
    expect(simulation.state.activeAdapters).toEqual(["b"]);
  });
});

it("a cancelled request frees its slot", () => {
  const simulation = new Simulation({ maxSequences: 1 });
  simulation.submit({ id: 1, prompt: "", maxTokens: 1e9 }, 0);
  simulation.submit({ id: 2, prompt: "", maxTokens: 1 }, 0);
  simulation.advance(100);
  simulation.cancel(1);
  expect(simulation.advance(200).map(({ id }) => id)).toEqual([2]);
  expect(simulation.state).toMatchObject({ waiting: 0, running: 0 });
});

describe("continuous batching", () => {
  const options: SimulationOptions = {
    maxBatchedTokens: 100,
    prefillTokensPerSecond: 1000,
    stepMs: 10,
    stepMsPerSequence: 0,
  };

  it("a long prompt delays the tokens of others by a chunk at a time", () => {
    const emissions = run(
      new Simulation(options),
      { id: 1, prompt: text(1), maxTokens: 50 },
      { id: 2, prompt: text(990, "y"), maxTokens: 1, at: 1 },
    );
    const times = emissions.filter(({ id }) => id === 1).map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => Math.round(at - (times[index] as number)));
    // Ten chunks of 99 tokens, because the other request uses one token of the budget.
    expect(gaps.slice(0, 12)).toEqual([...Array(10).fill(109), 10, 10]);
  });

  it("short prompts behind a long one wait for the budget", () => {
    const emissions = run(
      new Simulation(options),
      { id: 1, prompt: text(250), maxTokens: 1 },
      { id: 2, prompt: text(20, "y"), maxTokens: 1 },
    );
    expect([firstAt(emissions, 1), firstAt(emissions, 2)]).toEqual([300, 300]);
    const far = run(
      new Simulation(options),
      { id: 1, prompt: text(300), maxTokens: 1 },
      { id: 2, prompt: text(20, "y"), maxTokens: 1 },
    );
    expect([firstAt(far, 1), firstAt(far, 2)]).toEqual([330, 360]);
  });

  it("publishes the state at the end of the last step as its metrics", () => {
    const simulation = new Simulation({ ...options, maxSequences: 2 });
    for (const id of [1, 2, 3, 4]) simulation.submit({ id, prompt: text(1), maxTokens: 5 }, 0);
    expect(simulation.state).toMatchObject({ running: 1, waiting: 3 });
    expect(simulation.metrics).toMatchObject({ running: 0, waiting: 0 });
    simulation.advance(11);
    expect(simulation.metrics).toMatchObject({ running: 1, waiting: 0 });
    expect(simulation.state).toMatchObject({ running: 2, waiting: 2 });
    simulation.submit({ id: 5, prompt: text(1), maxTokens: 5 }, 12);
    simulation.advance(22);
    expect(simulation.metrics).toMatchObject({ running: 2, waiting: 2 });
  });

  it("a request waits until prompt and answer have blocks", () => {
    const simulation = new Simulation({ ...options, blockTokens: 10, cacheBlocks: 10 });
    simulation.submit({ id: 1, prompt: text(40), maxTokens: 20 }, 0);
    simulation.submit({ id: 2, prompt: text(40, "y"), maxTokens: 20 }, 0);
    simulation.advance(100);
    expect(simulation.state).toMatchObject({ running: 1, waiting: 1, cacheUsage: 0.6 });
    const emissions = simulation.advance(1e6);
    expect(emissions.at(-1)).toMatchObject({ id: 2, last: true });
    expect(simulation.state).toMatchObject({ running: 0, cacheUsage: 0 });
  });

  it("finds the previous answer in the cache when a conversation continues", () => {
    const answer = text(30, "z");
    const emissions = run(
      new Simulation({ ...options, blockTokens: 10 }),
      { id: 1, prompt: text(40), maxTokens: 31, answer },
      { id: 2, prompt: `${text(40)}${answer}${text(5, "w")}`, maxTokens: 1, at: 1e6 },
    );
    expect(emissions.at(-1)).toMatchObject({ id: 2, promptTokens: 75, cachedTokens: 70 });
  });
});

it("the cache never exceeds its size, and a released block may be read again", () => {
  const job = fc.record({
    at: fc.nat(500),
    letters: fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 }),
    maxTokens: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(job, { maxLength: 20 }), (jobs) => {
      const simulation = new Simulation({ blockTokens: 2, cacheBlocks: 24, maxBatchedTokens: 16 });
      const sorted = jobs.toSorted((a, b) => a.at - b.at);
      const emissions = run(
        simulation,
        ...sorted.map(({ at, letters, maxTokens }, id) => ({
          id,
          at,
          maxTokens,
          prompt: letters.map((letter) => letter.repeat(tokenChars)).join(""),
        })),
      );
      for (const { cachedTokens, promptTokens } of emissions)
        expect(cachedTokens).toBeLessThan(promptTokens);
      expect(emissions.filter(({ last }) => last).length).toBe(jobs.length);
      expect(simulation.state).toMatchObject({ running: 0, waiting: 0, cacheUsage: 0 });
    }),
  );
});
