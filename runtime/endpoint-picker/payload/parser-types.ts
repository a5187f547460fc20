import type { ParserName } from "../../../sdk/picker-config/plugins/parsers.ts";
import type { RequestApi } from "./request-apis.ts";

/** A path that a parser reads: requests whose path ends in these segments. */
export interface PathClaim {
  readonly suffix: string;
  readonly api: RequestApi;
}

/** What a parser reads. Without claims it takes every request that no other does, unread. */
export interface ParserType {
  readonly claims: readonly PathClaim[];
}

/** What each parser reads (llm-d-router, pkg/epp/framework/plugins/requesthandling/parsers). */
export const parserTypes: ReadonlyMap<string, ParserType> = new Map(
  Object.entries<ParserType>({
    "openai-parser": {
      claims: [
        { suffix: "chat/completions", api: "chat" },
        { suffix: "chat/completions/render", api: "chat" },
        { suffix: "completions", api: "completions" },
        { suffix: "completions/render", api: "completions" },
        { suffix: "embeddings", api: "embeddings" },
        { suffix: "responses", api: "responses" },
        { suffix: "conversations", api: "conversations" },
        { suffix: "images/generations", api: "images" },
      ],
    },
    "anthropic-parser": {
      claims: [
        { suffix: "messages", api: "messages" },
        { suffix: "messages/count_tokens", api: "countTokens" },
      ],
    },
    "vllmhttp-parser": { claims: [{ suffix: "inference/v1/generate", api: "generate" }] },
    "passthrough-parser": { claims: [] },
  } satisfies Record<ParserName, ParserType>),
);

/** The parser that reads a request; without an API it passes the body unread. */
export interface ParserChoice {
  readonly parser: string;
  readonly api: RequestApi | undefined;
}

/**
 * The parser whose claim is the longest suffix of the path, else the one that takes everything.
 * @param path of the request; a query string and a trailing slash do not count.
 */
export function parserOfPath(path: string, parsers: readonly string[]): ParserChoice | undefined {
  const segments = `/${withoutQuery(path).trim().replace(/\/$/, "")}`;
  let longest = "";
  let choice: ParserChoice | undefined;
  for (const parser of parsers) {
    for (const { suffix, api } of claimsOf(parser)) {
      if (suffix.length <= longest.length || !segments.endsWith(`/${suffix}`)) continue;
      longest = suffix;
      choice = { parser, api };
    }
  }
  return choice ?? fallbackParser(parsers);
}

/** The first of the parsers that reads one of the APIs, the likelier APIs first. */
export function parserOfApi(
  apis: readonly RequestApi[],
  parsers: readonly string[],
): ParserChoice | undefined {
  for (const api of apis) {
    const parser = parsers.find((type) => claimsOf(type).some((claim) => claim.api === api));
    if (parser !== undefined) return { parser, api };
  }
  return fallbackParser(parsers);
}

function fallbackParser(parsers: readonly string[]): ParserChoice | undefined {
  const parser = parsers.find((type) => parserTypes.get(type)?.claims.length === 0);
  return parser === undefined ? undefined : { parser, api: undefined };
}

function withoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

const claimsOf = (parser: string) => parserTypes.get(parser)?.claims ?? [];
