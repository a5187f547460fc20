import { z } from "zod";
import { clientGroups } from "./client-group.ts";

/** Upper bounds of the histogram of times to the first token, in seconds. Each is 1.25 times the one before. */
export const firstTokenBounds: readonly number[] = Array.from(
  { length: 52 },
  (_, at) => 0.002 * 1.25 ** at,
);

/** A client that ends a request earlier means nothing for the model server. */
export const unansweredSeconds = 30;

/** Responses of one or more model servers. */
export interface ResponseCounts {
  /** Number of requests whose response began, or that waited for it for `unansweredSeconds`. */
  readonly requests: number;
  /** Number of responses that began, without status 400 to 499, which clients cause. */
  readonly responses: number;
  /** Number of responses with status 500 or above. */
  readonly errors: number;
  /** Number of streamed responses by their time to the first token, one for each of `firstTokenBounds`. */
  readonly firstTokens: readonly number[];
  /** `responses` by the group of their client, one for each of `clientGroups`. */
  readonly clientResponses: readonly number[];
  /** `errors` by the group of their client. */
  readonly clientErrors: readonly number[];
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
  /** Random name of the picker's process. Its counts began at zero, and never fall. */
  readonly process: string;
  readonly endpoints: readonly EndpointResponses[];
}

const count = z.int().nonnegative();
const counts = (length: number) =>
  z.custom<readonly number[]>(
    (value) =>
      Array.isArray(value) &&
      value.length === length &&
      value.every((each) => Number.isSafeInteger(each) && each >= 0),
    `not ${length} counts`,
  );

/** Parser of the page `/responses`. */
export const responsesPage: z.ZodType<ResponsesPage> = z.object({
  process: z.string(),
  endpoints: z.array(
    z
      .object({
        ...{ uid: z.string(), set: z.string(), revision: z.string() },
        ...{ requests: count, responses: count, errors: count },
        firstTokens: counts(firstTokenBounds.length),
        clientResponses: counts(clientGroups),
        clientErrors: counts(clientGroups),
      })
      .refine(isConsistent, "the counts contradict each other"),
  ),
});

function isConsistent(counts: ResponseCounts): boolean {
  const { requests, responses, errors, clientResponses, clientErrors } = counts;
  return (
    responses <= requests &&
    streamedOf(counts) <= responses &&
    total(clientResponses) === responses &&
    total(clientErrors) === errors &&
    clientErrors.every((each, at) => each <= (clientResponses[at] ?? 0))
  );
}

export const noResponses: ResponseCounts = {
  requests: 0,
  responses: 0,
  errors: 0,
  firstTokens: firstTokenBounds.map(() => 0),
  clientResponses: Array.from({ length: clientGroups }, () => 0),
  clientErrors: Array.from({ length: clientGroups }, () => 0),
};

/** Returns the index of the first bound that the time does not exceed, or of the last bound if it exceeds them all. */
export function firstTokenBin(seconds: number): number {
  const at = firstTokenBounds.findIndex((bound) => seconds <= bound);
  return at === -1 ? firstTokenBounds.length - 1 : at;
}

export const sumOf = (a: ResponseCounts, b: ResponseCounts): ResponseCounts =>
  combined(a, b, (x, y) => x + y);

/** Returns the responses since an earlier page of the same process; undefined if a count fell. */
export function riseOf(earlier: ResponseCounts, now: ResponseCounts): ResponseCounts | undefined {
  let fell = false;
  const rise = combined(now, earlier, (x, y) => {
    fell ||= x < y;
    return x - y;
  });
  return fell ? undefined : rise;
}

function combined(
  a: ResponseCounts,
  b: ResponseCounts,
  by: (x: number, y: number) => number,
): ResponseCounts {
  const each = (x: readonly number[], y: readonly number[]) =>
    x.map((count, at) => by(count, y[at] ?? 0));
  return {
    requests: by(a.requests, b.requests),
    responses: by(a.responses, b.responses),
    errors: by(a.errors, b.errors),
    firstTokens: each(a.firstTokens, b.firstTokens),
    clientResponses: each(a.clientResponses, b.clientResponses),
    clientErrors: each(a.clientErrors, b.clientErrors),
  };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

/** Returns the number of streamed responses. */
export const streamedOf = ({ firstTokens }: ResponseCounts): number => total(firstTokens);

/** Returns the median time to the first token in seconds, accurate to 25 %; undefined without streamed responses. */
export function medianFirstToken(counts: ResponseCounts): number | undefined {
  let rest = streamedOf(counts) / 2;
  if (rest === 0) return undefined;
  return firstTokenBounds.find((_, at) => {
    rest -= counts.firstTokens[at] ?? 0;
    return rest <= 0;
  });
}
