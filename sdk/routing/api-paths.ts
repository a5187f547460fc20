import type { ParserName } from "../../scheduling/plugins/parsers.ts";

/**
 * Paths of the APIs that clients call on model servers. Pickers choose the parser of a request by its path, and a
 * planned route without matches serves only these paths.
 */

/** An API whose requests a picker parses. */
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
  /** A JSON request at any other path. The picker reads its model and the engine's fields, but no prompt. */
  | "other";

/** A path that a parser reads. It matches every request whose path ends in the segments of `suffix`. */
export interface ReadPath {
  /** The path of model servers before the suffix. */
  readonly prefix: "/" | "/v1/";
  readonly suffix: string;
  readonly api: RequestApi;
}

/**
 * Paths of each parser (llm-d-router, pkg/epp/framework/plugins/requesthandling/parsers). A parser without paths takes
 * every request that no other parser takes, and does not read its body.
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

/** API paths whose requests pickers forward without reading the body. */
const unreadPaths = ["/v1/models", "/v1/audio", "/v1/rerank", "/v1/score"];

const isBelow = (path: string, other: string) => path.startsWith(`${other}/`);

/** Paths of all APIs for clients, without paths that are below another one. */
export const apiPaths: readonly string[] = [
  ...Object.values(parserPaths).flatMap((paths) =>
    paths.map(({ prefix, suffix }) => prefix + suffix),
  ),
  ...unreadPaths,
].filter((path, _at, all) => !all.some((other) => isBelow(path, other)));

/**
 * Returns the matches of an HTTPRoute rule for the API paths of clients and the paths below them. They do not include
 * what engines serve to operators: metrics, profiles, loading of adapters.
 */
export const apiMatches = () =>
  apiPaths.map((value) => ({ path: { type: "PathPrefix" as const, value } }));
