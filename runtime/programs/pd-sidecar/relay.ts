import type { IncomingMessage, ServerResponse } from "node:http";
import type { FieldRewriter } from "../../epp/payload/field-rewriter.ts";
import { answerHeaders, type RawHeaders, refusalHeaders } from "./headers.ts";
import { StreamedBody } from "./streamed-body.ts";
import type { WriteTurns } from "./write-turns.ts";

export interface RelayOptions {
  /** Rewrites values in the body; undefined if the body is relayed unchanged. */
  readonly rewriter?: FieldRewriter | undefined;
  /** Headers added to the response. */
  readonly added?: RawHeaders;
}

const nothing = Buffer.alloc(0);

/**
 * Streams an engine's response to the client, no faster than the client reads. Resolves with the number of bytes when
 * the response has ended. If the engine's response breaks off, the client's response is aborted.
 */
export function relay(
  answer: IncomingMessage,
  response: ServerResponse,
  turns: WriteTurns,
  { rewriter, added = [] }: RelayOptions = {},
): Promise<number> {
  const without = rewriter === undefined ? undefined : "content-length";
  // Omits the engine's reason phrase: it may contain characters that Node.js refuses to write.
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
      // `close` follows and handles a response that breaks off.
      .on("error", () => {});
  });
}

/** Sends the head of a stream immediately, because its first event may be late. Other heads are sent with the body. */
function bodyOf(answer: IncomingMessage, response: ServerResponse, turns: WriteTurns) {
  if (answer.headers["content-length"] !== undefined) return response;
  response.flushHeaders();
  return new StreamedBody(response, turns);
}

/** Relays the refusal of a prefiller or an encoder, whose body has been read. */
export function refuseWith(answer: IncomingMessage, body: Buffer, response: ServerResponse): void {
  response.writeHead(answer.statusCode as number, refusalHeaders(answer, body));
  response.end(body);
}
