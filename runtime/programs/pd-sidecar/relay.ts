import type { IncomingMessage, ServerResponse } from "node:http";
import type { FieldRewriter } from "../../epp/payload/field-rewriter.ts";
import { answerHeaders, type RawHeaders, refusalHeaders } from "./headers.ts";
import { StreamedBody } from "./streamed-body.ts";
import type { WriteTurns } from "./write-turns.ts";

export interface RelayOptions {
  /** Changes values in the body as it passes; undefined where every byte stays. */
  readonly rewriter?: FieldRewriter | undefined;
  /** Headers that are added to the answer's. */
  readonly added?: RawHeaders;
}

const nothing = Buffer.alloc(0);

/**
 * Hands an engine's answer to the client as it comes, no faster than the client reads. Resolves with the number of bytes
 * when the answer has ended; an answer that breaks off breaks off for the client too.
 */
export function relay(
  answer: IncomingMessage,
  response: ServerResponse,
  turns: WriteTurns,
  { rewriter, added = [] }: RelayOptions = {},
): Promise<number> {
  const without = rewriter === undefined ? undefined : "content-length";
  // The engine's words beside the status could hold what Node.js refuses to write, and nobody reads them.
  response.writeHead(
    answer.statusCode as number,
    answerHeaders(answer, without, added) as string[],
  );
  const body = bodyOf(answer, response, turns);
  return new Promise((resolve) => {
    let bytes = 0;
    const write = (chunk: Buffer) => {
      bytes += chunk.length;
      const passed = rewriter === undefined ? chunk : rewriter.push(chunk, false);
      if (passed.length > 0 && !body.write(passed)) answer.pause();
    };
    const end = () => {
      const last = rewriter?.push(nothing, true) ?? nothing;
      if (last.length > 0) body.write(last);
      body.end();
    };
    const resume = () => answer.resume();
    const finish = () => {
      response.off("drain", resume);
      resolve(bytes);
    };
    response.on("drain", resume);
    answer
      .on("data", write)
      .once("end", end)
      .once("close", () => {
        if (!answer.complete) {
          if (body instanceof StreamedBody) body.flush();
          response.destroy();
        }
        finish();
      })
      // It breaks off: `close` follows.
      .on("error", () => {});
  });
}

/** A stream's first event may be far off, so that its head goes at once. The head of another answer goes with its body. */
function bodyOf(answer: IncomingMessage, response: ServerResponse, turns: WriteTurns) {
  if (answer.headers["content-length"] !== undefined) return response;
  response.flushHeaders();
  return new StreamedBody(response, turns);
}

/** Hands on the refusal of an engine that serves no client, whose body has been read. */
export function refuseWith(answer: IncomingMessage, body: Buffer, response: ServerResponse): void {
  response.writeHead(answer.statusCode as number, refusalHeaders(answer, body));
  response.end(body);
}
