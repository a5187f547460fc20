import { expect, it } from "vitest";
import type { ProcessingRequest } from "../protocol/processing-request.ts";
import { newEvents, standInPicker } from "./conversation.fixture.ts";
import { ResponsePhase } from "./response-phase.ts";

it("the processing time of a stream is estimated from a sample of its messages", () => {
  let milliseconds = 0;
  const now = () => {
    milliseconds += 1;
    return milliseconds;
  };
  const phase = new ResponsePhase({
    picker: { ...standInPicker({}, newEvents()), clock: { now, random: () => 0 } },
    mode: "duplex",
    started: 0,
    routed: undefined,
    conformance: false,
    asksWhoServed: false,
    send: () => {},
  });
  const message = (kind: "responseHeaders" | "responseBody"): ProcessingRequest => ({
    kind,
    headers: new Map([["content-type", "text/event-stream"]]),
    body: Buffer.from("data: {}\n\n"),
    endOfStream: false,
    metadata: new Map(),
    protocolConfig: undefined,
    keptBytes: 0,
  });
  phase.receive(message("responseHeaders"));
  for (let chunk = 0; chunk < 100; chunk += 1) phase.receive(message("responseBody"));
  expect(phase.summary().processingSeconds).toBeCloseTo(0.101);
  expect(milliseconds).toBeLessThan(130);
});

const comment = ": keep-alive\n\n";
const token = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';

/** Times in ms of the first token and between chunks, for chunks at given times. */
function timesOf(chunks: ReadonlyArray<readonly [at: number, text: string]>, encoding?: string) {
  let now = 0;
  const gaps: number[] = [];
  const began: Array<number | undefined> = [];
  let first: number | undefined;
  const picker = {
    clock: { now: () => now, random: () => 0 },
    observer: {
      responseBegan: (_: unknown, { firstTokenSeconds }: { firstTokenSeconds?: number }) =>
        began.push(firstTokenSeconds),
      chunksOf: () => (seconds: number) => gaps.push(seconds * 1000),
    },
  };
  const inFlight = {
    answered() {},
    firstToken: (at: number) => {
      first = at;
    },
    responseHeaders: [],
  };
  const labels = { model: "m", targetModel: "m" };
  const phase = new ResponsePhase({
    ...{ picker, routed: { endpoints: [], labels, inFlight } },
    ...{ mode: "duplex", started: 0, conformance: false, asksWhoServed: false, send() {} },
  } as never);
  const headers = new Map([
    [":status", "200"],
    ["content-type", "text/event-stream"],
    ...(encoding === undefined ? [] : ([["content-encoding", encoding]] as const)),
  ]);
  phase.receive({ kind: "responseHeaders", headers, metadata: new Map() } as never);
  for (const [index, [at, text]] of chunks.entries()) {
    now = at;
    const endOfStream = index === chunks.length - 1;
    phase.receive({ kind: "responseBody", body: Buffer.from(text), endOfStream } as never);
  }
  return { first, gaps, began };
}

it("comments of a stream are neither the first token nor chunks", () => {
  const chunks = [
    [15_000, comment],
    [30_000, ": keep-"],
    [30_500, "alive\n\n"],
    [40_000, token],
    [55_000, comment],
    [60_000, `${comment}${token}`],
    [60_020, "data: [DONE]\n\n"],
  ] as const;
  expect(timesOf(chunks)).toEqual({ first: 40_000, gaps: [20_000, 20], began: [40] });
});

it("a stream of comments alone begins without a first token", () => {
  expect(
    timesOf([
      [10, comment],
      [20, comment],
    ]),
  ).toEqual({ first: undefined, gaps: [], began: [undefined] });
});

it("the chunks of a compressed stream count as tokens", () => {
  expect(
    timesOf(
      [
        [10, comment],
        [20, token],
      ],
      "gzip",
    ).first,
  ).toBe(10);
});
