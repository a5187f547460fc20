import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liveTable, type Screen, table } from "./table.ts";

const served = (requests: number) => [
  ["POD", "ROLE", "REQUESTS", "PREFILLED ELSEWHERE", "PROMPT TOKENS", "CACHED", "HITS"],
  ...["decode-0-0", "decode-1-0", "prefill-0-0"].map((pod) => [
    `qwen-inference-service-${pod}`,
    pod.startsWith("decode") ? "decoder" : "prefiller",
    ...[requests, requests, 100 * requests, 64 * requests].map(String),
    "64 %",
  ]),
];

/** A terminal that wraps what is wider than it is. */
function terminal(columns: number, rows?: number): Screen & { lines(): string[] } {
  let shown = [""];
  return {
    ...{ isTTY: true, columns, rows },
    write(text) {
      const [erased, written = erased] = text.split("\u001b[J");
      if (written !== erased) {
        const up = Number(erased?.replace("\u001b[", "").replace("A", ""));
        shown = [...shown.slice(0, shown.length - 1 - up), ""];
      }
      for (const [at, line] of (written ?? "").split("\n").entries()) {
        if (at > 0) shown.push("");
        const whole = `${shown.pop()}${line}`;
        shown.push(...(whole.match(new RegExp(`.{1,${columns}}`, "g")) ?? [""]));
      }
    },
    lines: () => shown,
  };
}

describe("a table", () => {
  it("folds headings and cuts names on a terminal of 80 columns", () => {
    expect(`\n${table(served(5), 80)}`).toBe(`
  POD                       ROLE       REQUESTS  PREFILLED  PROMPT  CACHED  HITS
                                                 ELSEWHERE  TOKENS
  qwen-infere…e-decode-0-0  decoder    5         5          500     320     64 %
  qwen-infere…e-decode-1-0  decoder    5         5          500     320     64 %
  qwen-infere…-prefill-0-0  prefiller  5         5          500     320     64 %`);
  });

  it("has no line that is wider than the terminal, however narrow, and loses no short word", () => {
    const cell = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 12, max: 200 }), (rows, width) => {
        const lines = table(rows, width).split("\n");
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("a table that is shown again and again", () => {
  it("replaces the previous table on a terminal that is narrower than its rows", () => {
    const screen = terminal(80);
    const live = liveTable(screen);
    screen.write("Traffic\n");
    for (const requests of [1, 2, 30]) live.show(served(requests));
    live.end();
    expect(screen.lines()).toEqual(["Traffic", ...table(served(30), 80).split("\n"), ""]);
  });

  it("is shown once without a terminal, or on a terminal with too few lines", () => {
    let piped = "";
    for (const screen of [{ write: (text: string) => (piped += text) }, terminal(80, 4)]) {
      const live = liveTable(screen);
      for (const requests of [1, 2, 30]) live.show(served(requests));
      live.end();
      const shown = "lines" in screen ? screen.lines().join("\n") : piped;
      expect(shown).toBe(`${table(served(30), 80)}\n`);
    }
  });
});
