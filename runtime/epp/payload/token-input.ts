import type { RequestApi } from "../../../sdk/routing/api-paths.ts";
import { isTokenList } from "./input-prompts.ts";
import { isObject, type JsonBody } from "./json-body.ts";
import { hasPromptEmbeds } from "./request-apis.ts";
import { tokenizeMembers } from "./tokenize-members.ts";

/** What the tokens of a request's prompts are found from. */
export type TokenInput =
  /** The client sent tokens. */
  | { readonly kind: "tokens"; readonly tokens: ReadonlyArray<readonly number[]> }
  /** A model server tells them. */
  | { readonly kind: "text"; readonly question: TokenQuestion };

/** How vLLM is asked which tokens it makes of a request. */
export interface TokenQuestion {
  /** Takes the request as it is. */
  readonly renderPath: string;
  /** Members of a request for `/tokenize`, as the client wrote them; undefined where it knows no such request. */
  readonly tokenize: ReadonlyArray<readonly [name: string, value: Buffer]> | undefined;
}

/** What has other inputs than text. An engine hashes their content, which no list of tokens tells. */
const media = ['_url"', '"input_audio"', '"input_image"', '"input_file"', '"image"'];

/** Undefined where nobody can tell. */
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
      // What came before is kept by the server.
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
  // Several prompts are several questions, and few send them.
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

/** Tokens that a server tells: of `render` for one request or a list of them, or of `/tokenize`. Undefined where it tells none. */
export function tokensOfAnswer(answer: unknown): number[][] | undefined {
  const answers = Array.isArray(answer) ? answer : [answer];
  const tokens = answers.map((each) => {
    if (!isObject(each) || (each.features ?? null) !== null) return undefined;
    const list = each.token_ids ?? each.tokens;
    return isTokenList(list) ? (list as number[]) : undefined;
  });
  return tokens.length > 0 && tokens.every((list) => list !== undefined) ? tokens : undefined;
}
