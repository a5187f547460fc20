import { expect, it } from "vitest";
import { randomTrace } from "./random-traces.ts";

const numbers = Array.from({ length: 40 }, (_, at) => at + 1);

it("a random trace has requests in order of time, names only existing pods, and depends only on its number", () => {
  const kinds = new Set<string>();
  for (const number of numbers) {
    const {
      name,
      pods,
      engine,
      requests,
      measureFrom,
      changes = [],
      prefillers = [],
    } = randomTrace(number);
    kinds.add(name.split(/: |,/)[1] as string);
    const times = requests.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.filter((at) => at >= measureFrom).length).toBeGreaterThan(0);
    for (const pod of [...changes.map((change) => change.pod), ...prefillers])
      expect(pod).toBeLessThan(pods);
    const room = 16 * (engine?.cacheBlocks ?? 0);
    for (const { prompt, outputTokens } of requests)
      expect(prompt.length / 4 + outputTokens).toBeLessThan(room);
  }
  expect(kinds.size).toBe(11);
  expect(randomTrace(7)).toEqual(randomTrace(7));
});
