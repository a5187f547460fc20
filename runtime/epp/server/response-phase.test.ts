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
