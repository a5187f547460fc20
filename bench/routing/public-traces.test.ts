import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { publicTrace } from "./public-traces.ts";
import { Random } from "./random.ts";
import { routers } from "./routers.ts";
import type { Router } from "./simulate.ts";
import { simulate } from "./simulate.ts";

const folder = mkdtempSync(join(tmpdir(), "traces-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join("\n");

/** Number of characters that two texts share from their start. */
const shared = (a: string, b: string) => [...a].findIndex((char, at) => char !== b[at]);

describe("publicTrace", () => {
  it("reads Mooncake: arrivals spread over their steps, and prompts that share blocks of 512 tokens", () => {
    const path = written(
      "mooncake.jsonl",
      lines(
        { timestamp: 3_000, input_length: 1_100, output_length: 5, hash_ids: [0, 1, 2] },
        { timestamp: 3_000, input_length: 1_030, output_length: 7, hash_ids: [0, 1, 3] },
        { timestamp: 9_000, input_length: 10, output_length: 1, hash_ids: [4] },
      ),
    );
    const { requests } = publicTrace(path, { pods: 2, from: 3, speed: 2, seconds: 2 });
    expect(requests.map(({ at, outputTokens }) => [at, outputTokens])).toEqual([
      [0, 5],
      [750, 7],
    ]);
    const [a, b] = requests.map(({ prompt }) => prompt) as [string, string];
    expect([a.length, b.length]).toEqual([4_400, 4_120]);
    expect(shared(a, b)).toBeGreaterThanOrEqual(4 * 1_024);
    expect(shared(a, b)).toBeLessThan(4 * 1_024 + 10);
  });

  it("reads Azure: times, lengths, and prompts that share nothing", () => {
    const path = written(
      "azure.csv",
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,48,10\n2023-11-16 18:17:04.0319600,31,0\n",
    );
    const { requests } = publicTrace(path, { pods: 2 });
    expect(
      requests.map(({ at, prompt, outputTokens }) => [at, prompt.length, outputTokens]),
    ).toEqual([
      [0, 192, 10],
      [52, 124, 1],
    ]);
    expect(requests[0]?.prompt[1]).not.toBe(requests[1]?.prompt[1]);
  });

  it("plays sessions in a closed loop: a turn follows the answer and its think time", () => {
    mkdirSync(join(folder, "sessions"));
    const turn = (tokens: number, think_time: number) => ({
      ...{ in: tokens, out: 3, think_time },
      hash_ids: Array.from({ length: Math.ceil(tokens / 64) }, (_, at) => at),
    });
    written(
      "sessions/a.json",
      JSON.stringify({ requests: [turn(640, 0), turn(704, 20), turn(768, 900)] }),
    );
    const trace = publicTrace(join(folder, "sessions"), { pods: 1, sessions: 2, seconds: 60 });
    const { outcomes } = simulate(trace, routers.planned?.(trace, new Random(1)) as Router);
    expect(outcomes).toHaveLength(6);
    const own = outcomes.filter(({ request }) => request.prompt.startsWith("s0."));
    const pauses = own.slice(1).map(({ request }, at) => request.at - (own[at]?.endAt ?? 0));
    expect(pauses.map(Math.round)).toEqual([2_000, 3_000]);
    expect(own.map(({ cachedTokens }) => cachedTokens)).toEqual([0, 640, 704]);
  });

  it("draws ServeGen's clients: rates, lengths, and the same requests in any window", () => {
    mkdirSync(join(folder, "servegen"));
    const client = (name: string, rows: string, input_tokens: string) => {
      written(`servegen/${name}-trace.csv`, rows);
      const none = { input_tokens: "{}", output_tokens: "{}" };
      const lengths = { input_tokens, output_tokens: "{7: 1.0}" };
      written(`servegen/${name}-dataset.json`, JSON.stringify({ 0: none, 600: lengths }));
    };
    client("chunk-0", "0,9,1,Gamma,0.5,1\n600,2,1,Gamma,0.5,1\n", "{100: 0.25, 300: 0.75}");
    client("chunk-1", "0,0,0,,0,0\n600,1,3,Weibull,0.4,1\n", "{40: 1.0}");
    const play = (from: number, seconds: number) =>
      publicTrace(join(folder, "servegen"), { pods: 1, from, seconds }).requests;
    const all = play(0, 1_200);
    const of = (tenant: string) => all.filter((request) => request.tenant === tenant);
    expect([of("chunk-0").length, of("chunk-1").length]).toEqual([1_200, 600]);
    expect(all.every(({ at }) => at >= 600_000)).toBe(true);
    expect(new Set(of("chunk-1").map(({ prompt }) => prompt.length))).toEqual(new Set([160]));
    const long = of("chunk-0").filter(({ prompt }) => prompt.length === 1_200).length;
    expect(long / of("chunk-0").length).toBeCloseTo(0.75, 1);
    const times = (requests: readonly { at: number }[]) => requests.map(({ at }) => Math.round(at));
    const part = all.filter(({ at }) => at >= 700_000 && at < 800_000);
    expect(times(play(700, 100))).toEqual(times(part.map(({ at }) => ({ at: at - 700_000 }))));
  });

  it("refuses a file of another form", () => {
    expect(() => publicTrace(written("x.csv", "a,b\n1,2\n"), { pods: 1 })).toThrow(
      "x.csv: is neither a trace of Mooncake nor of Azure",
    );
  });
});
