import fc from "fast-check";
import { readProcessingRequest } from "../../runtime/epp/protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  immediateResponse,
  streamedBody,
  trailersResponse,
} from "../../runtime/epp/protocol/processing-response.ts";
import { WireError } from "../../runtime/epp/protocol/wire-reader.ts";
import {
  announcing,
  body,
  headers,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toAnswer,
  toBytes,
} from "../../runtime/epp/server/conversation.fixture.ts";
import { Exchange, ProtocolError } from "../../runtime/epp/server/exchange.ts";
import { FrameError, FrameReader, frames } from "../../runtime/manager/grpc/grpc-frames.ts";
import { filteredAnswer } from "../../runtime/multi-cluster/imports/pick-filter.ts";
import { reachOf } from "../../sdk/spec/reachable-address.ts";
import { bytes, inPieces, spoiled } from "./arbitraries.ts";
import { bodyText, contentType, path } from "./bodies.ts";
import { refused, target } from "./target.ts";

/** Messages of proxies and of pickers of other clusters. */

const mode = fc.constantFrom(
  "FULL_DUPLEX_STREAMED",
  "BUFFERED",
  "STREAMED",
  "NONE",
  "BUFFERED_PARTIAL",
);

const message: fc.Arbitrary<object> = fc.oneof(
  fc.tuple(path, contentType, mode, mode).map(([at, type, request, response]) => ({
    ...post({ ":path": at, "content-type": type }),
    ...announcing(request, response),
  })),
  fc.tuple(bodyText, fc.boolean()).map(([text, last]) => body(text, last)),
  fc
    .tuple(contentType, fc.boolean())
    .map(([type, endOfStream]) =>
      headers({ ":status": "200", "content-type": type }, { endOfStream }, "responseHeaders"),
    ),
  fc.tuple(bodyText, fc.boolean()).map(([text, last]) => responseBody(text, last)),
  fc.constantFrom({ requestTrailers: {} }, { responseTrailers: {} }, {}),
);

const conversation = fc.array(message.map(toBytes), { maxLength: 8 });

/** Sends a stream's bytes in pieces to one exchange. When the stream ends, every dispatched request has completed. */
function converse(pieces: readonly Buffer[], goesOn: boolean): void {
  const events = newEvents();
  const reported: unknown[] = [];
  const picker = standInPicker({}, events);
  const exchange = new Exchange(
    picker,
    () => {},
    (error) => reported.push(error),
    goesOn,
  );
  const reader = new FrameReader(2 ** 22);
  try {
    for (const piece of pieces)
      reader.push(piece, (frame) => {
        exchange.receive(readProcessingRequest(frame));
        while (exchange.readsOn) exchange.readOn();
        return true;
      });
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  exchange.close();
  for (const completed of events.unwatched) completed();
  if (reported.length > 0) throw reported[0];
  if (events.running > events.unwatched.length)
    throw new Error(`${events.running} requests run after the stream is over`);
}

const isRefusal = (error: unknown) =>
  error instanceof WireError || error instanceof FrameError || error instanceof ProtocolError;

const destination = "x-gateway-destination-endpoint";
const address = fc.constantFrom("10.0.0.1:8000", "169.254.169.254:80", "[::1]:1", "x", "");
const header = fc.tuple(
  fc.oneof(fc.constantFrom(destination, "authorization", "x-llm-d-x", ":path"), fc.string()),
  fc.oneof(address, fc.string()),
);
const set = fc.array(header, { maxLength: 3 });
const foreignAnswer = fc.oneof(
  fc.tuple(set, address).map(([list, at]) =>
    headersResponse("requestHeaders", {
      set: list,
      remove: list.map(([name]) => name),
      dynamicMetadata: { "envoy.lb": { [destination]: at } },
    }),
  ),
  set.map((list) => bodyResponse("requestBody", { set: list, body: Buffer.from("abc") })),
  fc
    .tuple(fc.nat(700), fc.string(), set)
    .map(([status, text, list]) => immediateResponse({ status, body: text, set: list })),
  bytes().map((chunk) => streamedBody("requestBody", chunk, true)),
  fc.constant(trailersResponse("requestTrailers")),
);
const reach = reachOf({ networks: undefined, loopback: false });

export const streamTargets = [
  target(
    "streams of ext_proc, spoiled and in pieces",
    inPieces(spoiled(conversation.map(frames))),
    (pieces) => {
      converse(pieces, false);
      converse(pieces, true);
    },
  ),
  target("messages of ext_proc in any order", conversation, (messages) => {
    converse([frames(messages)], true);
  }),
  target("frames of any bytes", fc.array(bytes(), { maxLength: 5 }), (pieces) => {
    converse(pieces, false);
  }),
  target("protobufs", spoiled(fc.oneof(message.map(toBytes), bytes())), (protobuf) => {
    refused(() => readProcessingRequest(protobuf));
  }),
  target("answers of another cluster's picker", spoiled(foreignAnswer), (answer) => {
    const filtered = refused(() => filteredAnswer(answer, reach));
    if (filtered === undefined) return;
    if (!filteredAnswer(filtered, reach).equals(filtered))
      throw new Error("what was let through is not let through");
    const at = settingsOf(filtered)[destination];
    if (at !== undefined && /169\.254|::1/.test(at)) throw new Error(`it leads to ${at}`);
  }),
];

/** Headers that a proxy would set, read by the protobuf library; none where it refuses the bytes. */
function settingsOf(answer: Buffer): Record<string, string> {
  try {
    return toAnswer(answer).set ?? {};
  } catch {
    return {};
  }
}
