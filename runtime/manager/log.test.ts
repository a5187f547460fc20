import { describe, expect, it } from "vitest";
import { type LogOptions, newLog } from "./log.ts";

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = newLog({
    verbosity: 2,
    now: () => Date.UTC(2026, 0, 1),
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines: () => lines.map((line) => JSON.parse(line)), raw: lines };
}

it("the log writes one JSON object per line", () => {
  const { log, raw } = logged();
  log.info("serving", { port: 9002 });
  expect(raw).toEqual([
    '{"level":"info","ts":"2026-01-01T00:00:00.000Z","msg":"serving","port":9002}\n',
  ]);
});

it.each([
  [-1, ["error"]],
  [0, ["error", "warn", "info"]],
  [3, ["error", "warn", "info"]],
  [4, ["error", "warn", "info", "debug"]],
])("verbosity %i shows %j", (verbosity, levels) => {
  const { log, lines } = logged({ verbosity });
  log.error("m");
  log.warn("m");
  log.info("m");
  log.debug("m");
  expect(lines().map(({ level }) => level)).toEqual(levels);
});

describe("errors", () => {
  it("the messages of an error and its causes are logged", () => {
    const { log, lines } = logged();
    log.error("watch failed", new Error("list pods", { cause: new Error("ECONNREFUSED") }));
    expect(lines()[0].error).toBe("list pods: ECONNREFUSED");
  });

  it("the text that JSON.parse rejected is not logged", () => {
    const { log, raw } = logged();
    try {
      JSON.parse("my secret prompt");
    } catch (error) {
      log.error("parse", new Error("request body", { cause: error }));
    }
    expect(raw.join()).not.toContain("secret");
    expect(raw.join()).toContain("request body: SyntaxError");
  });
});

describe("repetition", () => {
  it("repeated messages are suppressed and counted", () => {
    let now = 0;
    const { log, lines } = logged({ now: () => now });
    for (let n = 0; n < 35; n += 1) log.error("scrape failed");
    expect(lines()).toHaveLength(10);
    now = 9_999;
    log.error("scrape failed");
    expect(lines()).toHaveLength(10);
    now = 10_000;
    log.error("scrape failed");
    log.error("scrape failed");
    expect(
      lines()
        .slice(10)
        .map(({ suppressed }) => suppressed),
    ).toEqual([26, undefined]);
  });

  it("each message and level is counted separately", () => {
    const { log, lines } = logged();
    for (let n = 0; n < 12; n += 1) {
      log.error("a");
      log.warn("a");
      log.error("b");
    }
    expect(lines()).toHaveLength(30);
  });
});
