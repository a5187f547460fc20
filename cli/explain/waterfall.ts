import type { ExplainedDecision } from "../../sdk/routing/explained-decision.ts";

type Timeline = NonNullable<ExplainedDecision["timeline"]>;

/** Width of the bars, in columns. */
const columns = 40;

/**
 * Returns rows with the parts of a request in order: name, ms, and a bar that starts at the end of the previous part.
 * Scheduling takes only microseconds and is part of the time until the first bytes.
 */
export function formatWaterfall(timeline: Timeline): string[][] {
  const { readMilliseconds, scheduledMilliseconds, firstBytesMilliseconds, endMilliseconds } =
    timeline;
  const ends: Array<readonly [name: string, end: number]> = [
    ["read the request", readMilliseconds],
    ["wait for a turn", scheduledMilliseconds],
    ...(firstBytesMilliseconds === null
      ? []
      : [["until first bytes", firstBytesMilliseconds] as const]),
    ["rest of the response", endMilliseconds],
  ];
  let begin = 0;
  const rows = ends.map(([name, end]) => {
    const row = [name, (end - begin).toFixed(1), bar(begin, end, endMilliseconds)];
    begin = end;
    return row;
  });
  return [["TIME", "MS", `0 TO ${Math.round(endMilliseconds)} MS`], ...rows];
}

/** Returns a bar of at least one character. */
function bar(begin: number, end: number, total: number): string {
  if (end <= begin || total === 0) return "";
  const at = (time: number) => Math.round((columns * time) / total);
  const first = Math.min(at(begin), columns - 1);
  return " ".repeat(first) + "█".repeat(Math.max(1, at(end) - first));
}
