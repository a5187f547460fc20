import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { isTokenList } from "./input-prompts.ts";
import { isObject, type JsonBody } from "./json-body.ts";
import { hasPromptEmbeds } from "./request-apis.ts";
import { tokenizeMembers } from "./tokenize-members.ts";

/** Source of the tokens of a request's prompts. */
export type TokenInput =
  /** The client sent tokens. */
  | { readonly kind: "tokens"; readonly tokens: ReadonlyArray<readonly number[]> }
  /** A model server returns them. */
  | { readonly kind: "text"; readonly question: TokenQuestion };

/** Requests to vLLM for the tokens of a request. */
export interface TokenQuestion {
  /** Path that accepts the request unchanged. */
  readonly renderPath: string;
  /**
   * Members of a request to `/tokenize`, as the client wrote them; undefined if `/tokenize` does not support the API.
   */
  readonly tokenize: ReadonlyArray<readonly [name: string, value: Buffer]> | undefined;
}

/** Signs of other inputs than text. An engine hashes their content, which a list of tokens does not contain. */
const media = ['_url"', '"input_audio"', '"input_image"', '"input_file"', '"image"'];

/** Returns the source of a request's tokens; undefined if they cannot be found. */
export function tokenInputOf(api: RequestApi, body: JsonBody): TokenInput | undefined {
  switch (api) {
    case "completions":
      return ofPrompt(body);
    case "generate":
      return { kind: "tokens", tokens: [body.value("token_ids") as number[]] };
    case "chat":
      return asked("/v1/chat/completions/render", body, tokenizeMembers.chat);
    case "messages":
      return asked("/v1/messages/render", body);
    case "responses":
      // The server keeps the earlier turns.
      return body.isGiven("previous_response_id") ? undefined : asked("/v1/responses/render", body);
    default:
      return undefined;
  }
}

function ofPrompt(body: JsonBody): TokenInput | undefined {
  // Embeddings have no tokens.
  if (hasPromptEmbeds(body)) return undefined;
  const prompt = body.value("prompt");
  if (isTokenList(prompt)) return { kind: "tokens", tokens: [prompt as number[]] };
  if (Array.isArray(prompt) && isTokenList(prompt[0]))
    return { kind: "tokens", tokens: prompt as number[][] };
  // Several prompts would need several requests to the server, and few clients send them.
  if (typeof prompt !== "string") return undefined;
  return asked("/v1/completions/render", body, tokenizeMembers.completions);
}

function asked(
  renderPath: string,
  body: JsonBody,
  members?: readonly string[],
): TokenInput | undefined {
  if (members !== tokenizeMembers.completions && media.some((text) => body.bytes.includes(text)))
    return undefined;
  const tokenize = members?.flatMap((name) => {
    const member = body.member(name);
    return member === undefined
      ? []
      : [[name, body.bytes.subarray(member.start, member.end)] as const];
  });
  return { kind: "text", question: { renderPath, tokenize } };
}

/**
 * Returns the tokens in a server's response: of `render`, for one request or a list of them, or of `/tokenize`.
 * Undefined if it contains none.
 */
export function tokensOfAnswer(answer: unknown): number[][] | undefined {
  const answers = Array.isArray(answer) ? answer : [answer];
  const tokens = answers.map((each) => {
    if (!isObject(each) || (each.features ?? null) !== null) return undefined;
    const list = each.token_ids ?? each.tokens;
    return isTokenList(list) ? (list as number[]) : undefined;
  });
  return tokens.length > 0 && tokens.every((list) => list !== undefined) ? tokens : undefined;
}
