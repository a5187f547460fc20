import { describe, expect, it } from "vitest";
import { Reuse } from "./reuse.ts";

/** Keys of the first blocks of a session's prompt. */
const prompt = (session: number, blocks: number) =>
  Float64Array.from({ length: blocks }, (_, block) => 1_000_000 * session + block + 1);

describe("Reuse", () => {
  it("is usual for sessions whose prompts grow, and not for documents", () => {
    const sessions = new Reuse();
    for (let turn = 1; turn <= 10; turn += 1)
      for (let session = 1; session <= 60; session += 1)
        sessions.saw(prompt(session, 100 + 10 * turn), undefined, 0);
    expect(sessions.isUsual()).toBe(true);
    const documents = new Reuse();
    for (let document = 1; document <= 200; document += 1)
      documents.saw(prompt(document, 100), undefined, 0);
    expect(documents.isUsual()).toBe(false);
  });

  it("is usual for each of several replicas, which see only a part of the repeated prompts", () => {
    const replica = new Reuse();
    for (let document = 1; document <= 400; document += 1)
      replica.saw(prompt(document % 5 === 0 ? 0 : document, 100), undefined, 0);
    expect([replica.isUsual(), replica.isUsual(3)]).toEqual([false, true]);
  });

  it("expects the next use within five mean times between uses, at most a minute", () => {
    const reuse = new Reuse();
    for (let use = 0; use < 500; use += 1) reuse.saw(prompt(1, 1), 1_000, 4_000);
    expect(reuse.withinMs).toBeCloseTo(15_000, -2);
    for (let use = 0; use < 500; use += 1) reuse.saw(prompt(1, 1), 0, 100_000);
    expect(reuse.withinMs).toBe(60_000);
  });
});
