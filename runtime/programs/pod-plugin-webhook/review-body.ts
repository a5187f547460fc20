import { constants, type Http2ServerRequest } from "node:http2";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { GrowingBody } from "../../epp/server/growing-body.ts";

/**
 * Reads the body of a review to its end. Closes the stream if the body is too long, exceeds the memory budget or is
 * late.
 *
 * @param withinMs timeout for the complete body, in ms
 */
export function readReviewBody(
  request: Http2ServerRequest,
  budget: BodyBudget,
  withinMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(budget, (error) => fail(error));
    const late = setTimeout(
      () => fail(new Error(`the review did not arrive within ${withinMs} ms`)),
      withinMs,
    );
    const take = (piece: Buffer) => {
      try {
        body.append(piece, false);
      } catch (error) {
        fail(error);
      }
    };
    const leave = () => {
      clearTimeout(late);
      request.off("data", take).off("end", ended).off("close", brokeOff);
      body.release();
    };
    const fail = (error: unknown) => {
      leave();
      reject(error);
      cutOff(request);
    };
    const ended = () => {
      const { bytes } = body;
      leave();
      resolve(bytes);
    };
    const brokeOff = () => fail(new Error("the review was cut off"));
    request.on("data", take).on("end", ended).on("close", brokeOff).on("error", fail);
  });
}

/** Ends a request without a response, and drops what is left of it. */
export function cutOff(request: Http2ServerRequest): void {
  if (request.httpVersionMajor === 1) {
    request.destroy();
    return;
  }
  // Without an error code, a client with more data to send would wait.
  request.stream.close(constants.NGHTTP2_CANCEL);
  request.stream.destroy();
}
