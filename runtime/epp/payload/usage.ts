import { limits } from "../../limits.ts";
import { isObject, type JsonObject } from "./json-body.ts";
import type { Usage } from "./payload.ts";
import { ResponseFields } from "./response-fields.ts";
import { TokenEvents } from "./token-events.ts";

/** Largest usage object that is read, in bytes. Servers write a few hundred bytes. */
const longestUsage = 16 * 1024;

const openBrace = 0x7b;
const openBracket = 0x5b;
const nothing = Buffer.alloc(0);

/**
 * Reads the token counts of a response while it passes: the last usage object of a JSON body or of an event stream.
 * Anthropic's streams report the prompt's tokens at their start, so counts that are missing in the last object are taken
 * from the first. Keeps only these two objects. If a stream contains no usage object, its events are counted.
 */
export class UsageReader {
  #fields: ResponseFields | undefined;
  #chunk: Buffer = nothing;
  /** Start of the usage object in which the last chunk ended. */
  #held: Buffer = nothing;
  #first: Buffer | undefined;
  #last: Buffer | undefined;
  /** Undefined if the response is not a stream. */
  #events: TokenEvents | undefined;

  push(chunk: Buffer): void {
    this.#fields ??= this.#fieldsOf(chunk);
    if (this.#fields === undefined) return;
    this.#chunk = chunk;
    this.#fields.push(chunk);
    this.#events?.push(chunk);
    this.#hold(this.#fields.openValueBytes);
    // A reference would keep the chunk and its network buffer in memory until the next chunk.
    this.#chunk = nothing;
  }

  /** Undefined if the response had no readable usage, for example because it is compressed. */
  usage(): Usage | undefined {
    const last = parseUsage(this.#last);
    if (last === undefined) return this.#counted();
    const first = parseUsage(this.#first);
    return {
      inputTokens: last.input ?? first?.input ?? 0,
      outputTokens: last.output ?? first?.output ?? 0,
      cachedTokens: last.cached ?? first?.cached,
    };
  }

  #counted(): Usage | undefined {
    const { count = 0 } = this.#events ?? {};
    if (count === 0) return undefined;
    return { inputTokens: undefined, outputTokens: count, cachedTokens: undefined };
  }

  /** The first byte that is not a space distinguishes JSON from events. */
  #fieldsOf(chunk: Buffer): ResponseFields | undefined {
    const first = chunk.find((byte) => byte > 0x20);
    if (first === undefined) return undefined;
    const sse = first !== openBrace && first !== openBracket;
    if (sse) this.#events = new TokenEvents();
    return new ResponseFields({
      field: "usage",
      kind: "object",
      sse,
      onValue: (start, end) => this.#remember(start, end),
    });
  }

  #remember(start: number, end: number): void {
    if (end - start > longestUsage || (start < 0 && -start !== this.#held.length)) return;
    // Copies, so that the chunks can be freed.
    const value = Buffer.concat(
      start < 0 ? [this.#held, this.#chunk.subarray(0, end)] : [this.#chunk.subarray(start, end)],
    );
    this.#first ??= value;
    this.#last = value;
  }

  #hold(open: number): void {
    if (open === 0 || open > longestUsage) this.#held = nothing;
    else if (open > this.#chunk.length) this.#held = Buffer.concat([this.#held, this.#chunk]);
    else this.#held = Buffer.from(this.#chunk.subarray(this.#chunk.length - open));
  }
}

interface Counts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached: number | undefined;
}

/** Reads the names of the completions, chat and responses APIs and of Anthropic's messages API. */
function parseUsage(json: Buffer | undefined): Counts | undefined {
  const usage = parseObject(json);
  if (usage === undefined) return undefined;
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  return {
    input: count(usage.prompt_tokens ?? usage.input_tokens),
    output: count(usage.completion_tokens ?? usage.output_tokens),
    cached: count(isObject(details) ? details.cached_tokens : usage.cache_read_input_tokens),
  };
}

function parseObject(json: Buffer | undefined): JsonObject | undefined {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const mostTokens = limits.usageTokens.value;

/** Returns a number of tokens; undefined if it is not a whole number from 0 to the limit. */
const count = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostTokens
    ? Number(value)
    : undefined;
