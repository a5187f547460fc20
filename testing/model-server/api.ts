/** The APIs of a model server: what a request asks for, and how answers look. */

export interface Asked {
  readonly api: "completions" | "chat" | "responses" | "messages";
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

export interface Answered {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly tokens: readonly string[];
}

const paths: Readonly<Record<string, Asked["api"]>> = {
  "/v1/completions": "completions",
  "/v1/chat/completions": "chat",
  "/v1/responses": "responses",
  "/v1/messages": "messages",
};

const defaultTokens = 16;

/** Undefined for a path that is none of an API. */
export function readAsked(path: string, body: Record<string, unknown>): Asked | undefined {
  const api = paths[path];
  if (api === undefined) return undefined;
  const tokens = body.max_completion_tokens ?? body.max_output_tokens ?? body.max_tokens;
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  return {
    api,
    model: String(body.model ?? ""),
    prompt: textOf(body.prompt ?? body.messages ?? body.input ?? ""),
    maxTokens: Math.max(1, Number(tokens ?? defaultTokens)),
    stream: body.stream === true,
    includeUsage: options?.include_usage === true,
  };
}

/** All text of a prompt, messages or content parts. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (value === null || typeof value !== "object") return "";
  const { role = "", content, text } = value as Record<string, unknown>;
  return `${role}${textOf(content ?? text ?? "")}`;
}

const chatUsage = ({ promptTokens, cachedTokens, tokens }: Answered) => ({
  prompt_tokens: promptTokens,
  completion_tokens: tokens.length,
  total_tokens: promptTokens + tokens.length,
  prompt_tokens_details: { cached_tokens: cachedTokens },
});

const otherUsage = ({ promptTokens, cachedTokens, tokens }: Answered) => ({
  input_tokens: promptTokens,
  output_tokens: tokens.length,
  cache_read_input_tokens: cachedTokens,
  input_tokens_details: { cached_tokens: cachedTokens },
});

/** The answer to a request that asked for no stream. */
export function whole(api: Asked["api"], answered: Answered): object {
  const { id, model, tokens } = answered;
  const text = tokens.join("");
  switch (api) {
    case "completions":
      return {
        ...{ id, object: "text_completion", created: 0, model },
        choices: [{ index: 0, text, logprobs: null, finish_reason: "length" }],
        usage: chatUsage(answered),
      };
    case "chat":
      return {
        ...{ id, object: "chat.completion", created: 0, model },
        choices: [
          { index: 0, message: { role: "assistant", content: text }, finish_reason: "length" },
        ],
        usage: chatUsage(answered),
      };
    case "responses":
      return {
        ...{ id, object: "response", created_at: 0, model, status: "completed" },
        output: [
          {
            ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ],
        usage: otherUsage(answered),
      };
    case "messages":
      return {
        ...{ id, type: "message", role: "assistant", model },
        content: [{ type: "text", text }],
        stop_reason: "max_tokens",
        usage: otherUsage(answered),
      };
  }
}

/** Server-sent events of one token; `last` adds those that end the stream. */
export function events(asked: Asked, answered: Answered, last: boolean): string {
  const { id, model, tokens } = answered;
  const token = tokens.at(-1) as string;
  const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const named = (value: { type: string }) => `event: ${value.type}\n${data(value)}`;
  const finish_reason = last ? "length" : null;
  switch (asked.api) {
    case "completions":
    case "chat": {
      const object = asked.api === "chat" ? "chat.completion.chunk" : "text_completion";
      const head = { id, object, created: 0, model };
      const choice =
        asked.api === "chat"
          ? { index: 0, delta: { content: token }, finish_reason }
          : { index: 0, text: token, finish_reason };
      const usage = { ...head, choices: [], usage: chatUsage(answered) };
      const end = `${asked.includeUsage ? data(usage) : ""}data: [DONE]\n\n`;
      return data({ ...head, choices: [choice] }) + (last ? end : "");
    }
    case "responses":
      return (
        (tokens.length === 1
          ? named({ type: "response.created", response: { id, model } } as { type: string })
          : "") +
        named({ type: "response.output_text.delta", delta: token } as { type: string }) +
        (last
          ? named({ type: "response.completed", response: whole("responses", answered) } as {
              type: string;
            })
          : "")
      );
    case "messages":
      return (
        (tokens.length === 1
          ? named({
              type: "message_start",
              message: { ...whole("messages", answered), content: [] },
            } as { type: string })
          : "") +
        named({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: token },
        } as {
          type: string;
        }) +
        (last
          ? named({ type: "message_delta", usage: otherUsage(answered) } as { type: string }) +
            named({ type: "message_stop" })
          : "")
      );
  }
}
