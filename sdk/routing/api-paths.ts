import type { ParserName } from "../../scheduling/plugins/parsers.ts";

/**
 * Paths of the APIs that clients ask model servers for. Pickers read requests by them, and routes that are planned
 * without matches serve them and nothing else.
 */

/** An API whose requests a picker reads. */
export type RequestApi =
  | "completions"
  | "chat"
  | "responses"
  | "conversations"
  | "embeddings"
  | "images"
  | "messages"
  | "countTokens"
  | "generate"
  /** A JSON request at any other path: its model and the fields of engines are read, and no prompt. */
  | "other";

/** A path that a parser reads. Requests are read whose path ends in the segments of `suffix`. */
export interface ReadPath {
  /** What servers have before the suffix. */
  readonly prefix: "/" | "/v1/";
  readonly suffix: string;
  readonly api: RequestApi;
}

/**
 * What each parser reads (llm-d-router, pkg/epp/framework/plugins/requesthandling/parsers). One without paths takes every
 * request that no other does, unread.
 */
export const parserPaths: Readonly<Record<ParserName, readonly ReadPath[]>> = {
  "openai-parser": [
    { prefix: "/v1/", suffix: "chat/completions", api: "chat" },
    { prefix: "/v1/", suffix: "chat/completions/render", api: "chat" },
    { prefix: "/v1/", suffix: "completions", api: "completions" },
    { prefix: "/v1/", suffix: "completions/render", api: "completions" },
    { prefix: "/v1/", suffix: "embeddings", api: "embeddings" },
    { prefix: "/v1/", suffix: "responses", api: "responses" },
    { prefix: "/v1/", suffix: "conversations", api: "conversations" },
    { prefix: "/v1/", suffix: "images/generations", api: "images" },
  ],
  "anthropic-parser": [
    { prefix: "/v1/", suffix: "messages", api: "messages" },
    { prefix: "/v1/", suffix: "messages/count_tokens", api: "countTokens" },
  ],
  "vllmhttp-parser": [{ prefix: "/", suffix: "inference/v1/generate", api: "generate" }],
  "passthrough-parser": [],
};

/** Paths of clients' APIs that pickers pass unread. */
const unreadPaths = ["/v1/models", "/v1/audio", "/v1/rerank", "/v1/score"];

const isBelow = (path: string, other: string) => path.startsWith(`${other}/`);

/** Every path of a client's API, without those below another one. */
export const apiPaths: readonly string[] = [
  ...Object.values(parserPaths).flatMap((paths) =>
    paths.map(({ prefix, suffix }) => prefix + suffix),
  ),
  ...unreadPaths,
].filter((path, _at, all) => !all.some((other) => isBelow(path, other)));

/**
 * Matches of an HTTPRoute's rule for the paths of clients' APIs, and what is below them. Not among them is what engines
 * serve to who operates them: metrics, profiles, loading of adapters.
 */
export const apiMatches = () =>
  apiPaths.map((value) => ({ path: { type: "PathPrefix" as const, value } }));
