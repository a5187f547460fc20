import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { limits } from "../../limits.ts";
import { ScrapeBudget } from "./scrape-budget.ts";

const budgetOf = (servers: number, busy: number, pageMs = 0) => {
  const budget = new ScrapeBudget();
  for (let at = 0; at < servers; at += 1) budget.count(1, at < busy ? 1 : 0);
  for (let page = 0; page < 200; page += 1) budget.read(pageMs, true);
  return budget;
};

it("the configured interval is kept as long as the budget is sufficient", () => {
  const budget = budgetOf(200, 100);
  expect([budget.intervalMs(50, true), budget.intervalMs(50, false)]).toEqual([50, 50]);
});

it("idle servers of a large pool are scraped rarely, and busy ones often", () => {
  const budget = budgetOf(5_000, 100);
  expect(budget.intervalMs(50, true)).toBe(50);
  expect(budget.intervalMs(50, false)).toBeCloseTo(1_500, -2);
});

it("servers with costly pages are scraped less often", () => {
  expect(budgetOf(100, 100, 0.45).intervalMs(50, true)).toBeCloseTo(267, 0);
});

it("scrapes that are due together start over several turns of the event loop", async () => {
  const budget = new ScrapeBudget();
  let [started, inTurn, most] = [0, 0, 0];
  for (let scrape = 0; scrape < 100; scrape += 1)
    budget.start(() => {
      started += 1;
      inTurn += 1;
      most = Math.max(most, inTurn);
    });
  while (started < 100) {
    inTurn = 0;
    await setImmediate();
  }
  expect(most).toBe(limits.scrapeStarts.value);
});

it("a new connection counts as several pages", () => {
  const reopening = new ScrapeBudget();
  for (let at = 0; at < 1_000; at += 1) reopening.count(1, 1);
  for (let page = 0; page < 200; page += 1) reopening.read(0, false);
  expect(reopening.intervalMs(50, true)).toBeGreaterThan(
    4 * budgetOf(1_000, 1_000).intervalMs(50, true),
  );
});

it("the interval follows added, removed, busy and idle servers", () => {
  const budget = budgetOf(1_000, 0);
  for (let at = 0; at < 1_000; at += 1) budget.turned(1);
  expect(budget.intervalMs(50, true)).toBeCloseTo(267, 0);
  for (let at = 0; at < 900; at += 1) budget.count(-1, 1);
  expect(budget.intervalMs(50, true)).toBe(50);
});

it("scrapes stay within a quarter of a core, unless idle servers would become stale", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (servers, share, pageMs) => {
        const busy = Math.floor(servers * share);
        const budget = budgetOf(servers, busy, pageMs);
        const idle = budget.intervalMs(50, false);
        const cores =
          (0.05 + pageMs) * (busy / budget.intervalMs(50, true) + (servers - busy) / idle);
        return idle === 1_500 || cores <= 0.2501;
      },
    ),
  );
});
