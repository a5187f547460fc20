import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** Result of a completion or a chat. */
export interface Answer {
  readonly text: string;
  readonly finishReason: string | undefined;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
  /** Time of the first piece of a stream, in milliseconds of `now`. */
  readonly firstTokenAt: number | undefined;
}

interface Body {
  readonly choices?: ReadonlyArray<{
    readonly text?: string;
    readonly message?: { readonly content?: string | null; readonly reasoning_content?: string };
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string };
    readonly finish_reason?: string | null;
  }>;
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
  readonly error?: { readonly message?: string };
}

/** Reads a response, either whole or as a stream of events. */
export async function readAnswer(
  response: IncomingMessage,
  onText: (piece: string) => void,
  now: () => number,
): Promise<Answer> {
  const streamed = (response.headers["content-type"] ?? "").includes("text/event-stream");
  if (!streamed) {
    const body = JSON.parse(await text(response)) as Body;
    const reported = textOf(body);
    onText(reported);
    return { text: reported, ...endOf([body]), firstTokenAt: undefined };
  }
  const bodies: Body[] = [];
  let reported = "";
  let firstTokenAt: number | undefined;
  for await (const data of events(response)) {
    const body = JSON.parse(data) as Body;
    if (body.error !== undefined) throw new Error(`the stream ended early: ${body.error.message}`);
    const piece = textOf(body);
    if (piece !== "") firstTokenAt ??= now();
    bodies.push({ ...body, choices: body.choices ?? [] });
    reported += piece;
    onText(piece);
  }
  return { text: reported, ...endOf(bodies), firstTokenAt };
}

function textOf({ choices: [choice] = [] }: Body): string {
  const { text: plain, message, delta } = choice ?? {};
  const part = message ?? delta;
  return plain ?? part?.content ?? part?.reasoning_content ?? "";
}

function endOf(bodies: readonly Body[]) {
  const usage = bodies.findLast((body) => body.usage)?.usage;
  const reasons = bodies.map(({ choices }) => choices?.[0]?.finish_reason ?? undefined);
  return {
    finishReason: reasons.findLast((reason) => reason !== undefined),
    usage: usage
      ? { promptTokens: usage.prompt_tokens ?? 0, completionTokens: usage.completion_tokens ?? 0 }
      : undefined,
  };
}

/** The data of server-sent events up to `[DONE]`. */
async function* events(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data:")) continue;
      const data = line.slice(5).trim();
      if (data === "[DONE]") return;
      yield data;
    }
  }
}
