import { z } from "zod";

/** Upper bounds of the histogram of times to the first token, in seconds. Each is 1.25 times the one before. */
export const firstTokenBounds: readonly number[] = Array.from(
  { length: 52 },
  (_, at) => 0.002 * 1.25 ** at,
);

/** Responses of one or more model servers. */
export interface ResponseCounts {
  /** Number of requests that were sent. */
  readonly requests: number;
  /** Number of responses that began. */
  readonly responses: number;
  /** Number of responses with status 500 or above. */
  readonly errors: number;
  /** Number of streamed responses by their time to the first token, one for each of `firstTokenBounds`. */
  readonly firstTokens: readonly number[];
}

/** Responses of a model server since the picker started. */
export interface EndpointResponses extends ResponseCounts {
  readonly uid: string;
  /** LeaderWorkerSet of the pod, and the hash of its template. Empty for a pod of another workload. */
  readonly set: string;
  readonly revision: string;
}

/** Content of the page `/responses` of an endpoint picker. */
export interface ResponsesPage {
  readonly endpoints: readonly EndpointResponses[];
}

const count = z.int().nonnegative();

/** Parser of the page `/responses`. */
export const responsesPage: z.ZodType<ResponsesPage> = z.object({
  endpoints: z.array(
    z.object({
      ...{ uid: z.string(), set: z.string(), revision: z.string() },
      ...{ requests: count, responses: count, errors: count },
      firstTokens: z.array(count).length(firstTokenBounds.length),
    }),
  ),
});

export const noResponses: ResponseCounts = {
  requests: 0,
  responses: 0,
  errors: 0,
  firstTokens: firstTokenBounds.map(() => 0),
};

/** Returns the index of the bound of a time. A longer time than the last bound counts there. */
export function firstTokenBin(seconds: number): number {
  const at = firstTokenBounds.findIndex((bound) => seconds <= bound);
  return at === -1 ? firstTokenBounds.length - 1 : at;
}

export const sumOf = (a: ResponseCounts, b: ResponseCounts): ResponseCounts =>
  combined(a, b, (x, y) => x + y);

/** Returns the responses since an earlier page. A picker that restarted has counted all of its responses since then. */
export const since = (earlier: ResponseCounts, now: ResponseCounts): ResponseCounts =>
  now.requests < earlier.requests ? now : combined(now, earlier, (x, y) => Math.max(0, x - y));

function combined(
  a: ResponseCounts,
  b: ResponseCounts,
  by: (x: number, y: number) => number,
): ResponseCounts {
  return {
    requests: by(a.requests, b.requests),
    responses: by(a.responses, b.responses),
    errors: by(a.errors, b.errors),
    firstTokens: a.firstTokens.map((count, at) => by(count, b.firstTokens[at] ?? 0)),
  };
}

/** Returns the number of streamed responses. */
export const streamedOf = ({ firstTokens }: ResponseCounts): number =>
  firstTokens.reduce((sum, count) => sum + count, 0);

/** Returns the median time to the first token in seconds, accurate to 25 %; undefined without streamed responses. */
export function medianFirstToken(counts: ResponseCounts): number | undefined {
  let rest = streamedOf(counts) / 2;
  if (rest === 0) return undefined;
  return firstTokenBounds.find((_, at) => {
    rest -= counts.firstTokens[at] ?? 0;
    return rest <= 0;
  });
}
