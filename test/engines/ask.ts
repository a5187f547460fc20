/** Requests of four APIs, streamed and not, and the text of their answers. */

export const apis = ["completions", "chat", "messages", "responses"] as const;
export type Api = (typeof apis)[number];

export interface Question {
  readonly api: Api;
  readonly stream: boolean;
  readonly prompt: string;
}

const paths: Readonly<Record<Api, string>> = {
  completions: "/v1/completions",
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

const tokens = 12;

function bodyOf({ api, prompt, stream }: Question, model: string, more: object): object {
  const messages = [{ role: "user", content: prompt }];
  const common = { model, temperature: 0, ...(stream && { stream }), ...more };
  switch (api) {
    case "completions":
      return { ...common, prompt, max_tokens: tokens };
    case "chat":
      return { ...common, messages, max_tokens: tokens };
    case "messages":
      return { ...common, messages, max_tokens: tokens };
    case "responses":
      return { ...common, input: prompt, max_output_tokens: tokens };
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly raw: string;
  readonly text: string;
  readonly milliseconds: number;
}

/** @param more members to add to the body of the question */
export async function ask(
  url: string,
  model: string,
  question: Question,
  {
    more = {},
    headers = {},
  }: { readonly more?: object; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(url + paths[question.api], {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(bodyOf(question, model, more)),
  });
  const raw = await response.text();
  return {
    ...{ status: response.status, headers: response.headers, raw },
    text: response.ok ? textOf(question, raw) : "",
    milliseconds: performance.now() - began,
  };
}

function textOf({ api, stream }: Question, raw: string): string {
  if (!stream) return wholeText[api](JSON.parse(raw));
  return raw
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => pieceOf[api](JSON.parse(line.slice("data: ".length))) ?? "")
    .join("");
}

// biome-ignore lint/suspicious/noExplicitAny: answers of four APIs have four shapes
type Json = any;

const wholeText: Readonly<Record<Api, (answer: Json) => string>> = {
  completions: ({ choices }) => choices[0].text,
  chat: ({ choices }) => choices[0].message.content,
  messages: ({ content }) => content.map(({ text }: Json) => text ?? "").join(""),
  responses: ({ output }) =>
    output
      .flatMap(({ content }: Json) => content ?? [])
      .map(({ text }: Json) => text ?? "")
      .join(""),
};

const pieceOf: Readonly<Record<Api, (event: Json) => string | undefined>> = {
  completions: ({ choices }) => choices?.[0]?.text,
  chat: ({ choices }) => choices?.[0]?.delta?.content,
  messages: ({ type, delta }) => (type === "content_block_delta" ? delta.text : undefined),
  responses: ({ type, delta }) => (type === "response.output_text.delta" ? delta : undefined),
};

/** Returns the cached prompt tokens in the usage of an answer: 0 if it does not report them. */
export function cachedTokensOf(api: Api, { raw }: Answer): number {
  const { usage } = JSON.parse(raw) as Json;
  switch (api) {
    case "messages":
      return usage.cache_read_input_tokens ?? 0;
    case "responses":
      return usage.input_tokens_details?.cached_tokens ?? 0;
    default:
      return usage.prompt_tokens_details?.cached_tokens ?? 0;
  }
}
