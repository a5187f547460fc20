import { expect, it } from "vitest";
import { type Contender, contendersOf } from "./contenders.ts";
import { dayOf } from "./day.ts";
import { engineOf } from "./engine.ts";
import { figuresOf } from "./figures.ts";
import { runDay } from "./run.ts";

/** Half an hour of the morning, in which the load needs up to three replicas that start within a minute. */
const seed = 1;
const engine = engineOf();
const day = dayOf(seed, { from: 7.5, until: 8 }, engine);
const contenders = contendersOf({ peak: 8, mean: 1, engine });
const run = (name: string) =>
  runDay(contenders[name] as Contender, { day, engine, seed, max: 8, loadSeconds: 60 });

it.each(Object.keys(contenders))("every request is answered or lost: %s", (name) => {
  const { outcomes } = run(name);
  expect(outcomes).toHaveLength(day.arrivals.length);
  for (const { failed, tokens, request } of outcomes)
    if (!failed) expect(tokens).toBe(request.outputTokens);
});

it("a seed returns the same figures in every run", () => {
  expect(figuresOf(run("ours, minUnits 0"))).toEqual(figuresOf(run("ours, minUnits 0")));
});

it("the picker's number serves more requests in time than the queues of servers", () => {
  const attainment = (name: string) => figuresOf(run(name)).attainment;
  expect(attainment("ours, minUnits 1")).toBeGreaterThan(attainment("HPA on servers' queues"));
});

it("a fixed number of replicas never changes", () => {
  const { changes, gpuHours } = run("fixed at the peak: 8");
  expect(changes).toBe(0);
  // Half an hour, and the time of the last responses.
  expect(gpuHours).toBeGreaterThan(4);
  expect(gpuHours).toBeLessThan(4.2);
});
