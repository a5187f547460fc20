import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type SimulationOptions, tokenChars } from "../../testing/model-server/simulation.ts";
import { closedLoop, seconds } from "./arrivals.ts";
import { drawn, isServeGen } from "./servegen.ts";
import type { Arrival, Trace } from "./trace.ts";

/** Public traces of LLM traffic, as they were published: docs/benchmarks.md names their sources. */

/** Qwen3-32B on four H200, by which all of them are played. */
export const largeEngine = {
  maxSequences: 256,
  maxBatchedTokens: 8_192,
  prefillTokensPerSecond: 31_500,
  stepMs: 7.05,
  stepMsPerSequence: 0.083,
  cacheBlocks: 25_000,
} satisfies SimulationOptions;

export interface Played {
  readonly pods: number;
  /** Second of the trace at which playing begins. Default 0. */
  readonly from?: number;
  /** How many times as fast as it was recorded. Default 1. */
  readonly speed?: number;
  /** Length of the play in seconds. Default: to the end of the trace. */
  readonly seconds?: number;
  /** Sessions of a folder; more than it has are played again, as others. Default: each of them once. */
  readonly sessions?: number;
  /** Blocks of an engine's cache. Default: the blocks of the large engine. */
  readonly cache?: number;
  /** Tokens of the longest prompt of the sessions that are played. Default: any. */
  readonly longest?: number;
}

/** Reads a trace by its path and its conditions: `FILE?pods=8&from=600&speed=4.6`. Default: 4 pods, the whole trace. */
export function playedAs(text: string): Trace {
  const [path = "", query] = text.split("?");
  const conditions = Array.from(new URLSearchParams(query), ([key, of]) => [key, Number(of)]);
  return publicTrace(path, { pods: 4, ...Object.fromEntries(conditions) });
}

/** A request as traces contain it. */
interface Recorded {
  /** Milliseconds from the beginning. */
  readonly at: number;
  readonly outputTokens: number;
  /** Returns the prompt. Only the prompts of a window are made. */
  readonly prompt: () => string;
}

/**
 * Reads a trace: a JSONL file of Mooncake, a CSV file of Azure, a folder of ServeGen's clients, or a folder of Claude Code
 * sessions, whose turns follow each other in a closed loop.
 *
 * @throws Error if the format of the file is unknown
 */
export function publicTrace(path: string, played: Played): Trace {
  const name = basename(path);
  const { pods, cache = largeEngine.cacheBlocks } = played;
  const common = { name, pods, engine: { ...largeEngine, cacheBlocks: cache }, measureFrom: 0 };
  if (statSync(path).isDirectory())
    return isServeGen(path)
      ? { ...common, requests: servegenOf(path, played) }
      : { ...common, ...sessionsOf(path, played) };
  const text = readFileSync(path, "utf8");
  const recorded = text.startsWith("{") ? mooncake(text) : azure(text, name);
  return { ...common, requests: window(recorded, played) };
}

function window(recorded: Iterable<Recorded>, played: Played): Arrival[] {
  const { from = 0, speed = 1, seconds: length = Number.POSITIVE_INFINITY } = played;
  const requests: Arrival[] = [];
  for (const { at: time, outputTokens, prompt } of recorded) {
    const at = (time - from * seconds) / speed;
    if (at >= 0 && at < length * seconds) requests.push({ at, outputTokens, prompt: prompt() });
  }
  return requests.sort((a, b) => a.at - b.at);
}

const jsonLines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Mooncake rounds arrivals to steps of three seconds; they are spread evenly over them. */
const mooncakeStepMs = 3_000;

function* mooncake(text: string): Iterable<Recorded> {
  const lines = jsonLines(text);
  const counts = new Map<number, number>();
  for (const { timestamp } of lines) counts.set(timestamp, (counts.get(timestamp) ?? 0) + 1);
  const seen = new Map<number, number>();
  for (const { timestamp, input_length, output_length, hash_ids } of lines) {
    const nth = seen.get(timestamp) ?? 0;
    seen.set(timestamp, nth + 1);
    yield {
      at: timestamp + (mooncakeStepMs * nth) / (counts.get(timestamp) as number),
      outputTokens: Math.max(1, output_length),
      prompt: () => textOf("m", hash_ids, 512, input_length),
    };
  }
}

function* azure(text: string, name: string): Iterable<Recorded> {
  const [head = "", ...lines] = text.trim().split(/\r?\n/);
  if (!head.startsWith("TIMESTAMP,ContextTokens,GeneratedTokens"))
    throw new Error(`${name}: is neither a trace of Mooncake nor of Azure`);
  const rows = lines.map((line) => line.split(","));
  const timeOf = (written = "") => Date.parse(`${written.replace(" ", "T").slice(0, 23)}Z`);
  const start = timeOf(rows[0]?.[0]);
  for (const [at, [time, input, output]] of rows.entries())
    yield {
      at: timeOf(time) - start,
      outputTokens: Math.max(1, Number(output)),
      prompt: () => textOf(`a${at}`, [at], Number(input), Number(input)),
    };
}

/** Each client of ServeGen is a tenant; its prompts share nothing. */
function servegenOf(folder: string, { from = 0, speed = 1, seconds: length = 60 }: Played) {
  return drawn(folder, from, from + length * speed).map(
    (request, number): Arrival => ({
      at: ((request.at - from) * seconds) / speed,
      prompt: textOf(`g${number}`, [number], request.inputTokens, request.inputTokens),
      outputTokens: request.outputTokens,
      tenant: request.client,
    }),
  );
}

interface SessionTurn {
  readonly in: number;
  readonly out: number;
  readonly hash_ids?: readonly number[];
  readonly think_time: number;
}

interface Session {
  readonly requests: readonly SessionTurn[];
}

/** Tokens of a hash in a session. */
const sessionBlock = 64;

/** Turns of a session at most, seconds within which sessions begin, and the longest think time, a tenth of the recorded one. */
const [turns, beginWithin, longestThink, thinkShare] = [10, 20, 30, 0.1];

function sessionsOf(folder: string, played: Played): Pick<Trace, "requests" | "endsAt"> {
  const { speed = 1, seconds: length = 120, longest = Number.POSITIVE_INFINITY } = played;
  const all = readdirSync(folder)
    .sort()
    .map((file) => turnsOf(JSON.parse(readFileSync(join(folder, file), "utf8"))))
    .filter((own) => own.length > 0 && own.every((turn) => turn.in <= longest));
  const { sessions = all.length } = played;
  const requests = Array.from({ length: sessions }, (_, at) => ({
    ...loopOf(`s${at}`, all[at % all.length] as SessionTurn[]),
    at: (at * beginWithin * seconds) / sessions / speed,
  }));
  return { requests, endsAt: length * seconds };
}

const turnsOf = ({ requests }: Session): SessionTurn[] =>
  requests.filter(({ hash_ids }) => hash_ids !== undefined).slice(0, turns);

const loopOf = (scope: string, all: readonly SessionTurn[]): Arrival =>
  closedLoop(
    all,
    ({ in: tokens, out, hash_ids = [] }) => ({
      prompt: textOf(scope, hash_ids, sessionBlock, tokens),
      outputTokens: Math.max(1, out),
    }),
    ({ think_time }) => Math.min(longestThink, think_time) * thinkShare * seconds,
  );

/** Returns text of a number of tokens. Its blocks are equal if their hashes are. */
function textOf(scope: string, hashes: readonly number[], blockTokens: number, tokens: number) {
  const chars = blockTokens * tokenChars;
  const blocks = hashes.map((hash) => {
    const mark = `${scope}.${hash} `;
    return mark.repeat(Math.ceil(chars / mark.length)).slice(0, chars);
  });
  return blocks
    .join("")
    .slice(0, tokens * tokenChars)
    .padEnd(tokens * tokenChars, ".");
}
