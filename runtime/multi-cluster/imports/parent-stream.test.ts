import { describe, expect, it } from "vitest";
import {
  type Answer,
  announcing,
  body,
  headers,
  post,
  responseBody,
  toAnswer,
  toBytes,
} from "../../epp/server/conversation.fixture.ts";
import { FrameReader, frames } from "../../manager/grpc/grpc-frames.ts";
import { parentStream } from "./parent-stream.ts";
import type { StreamStatus, UpstreamStream } from "./upstream-stream.ts";

class Parent {
  readonly #answers: Answer[] = [];
  readonly statuses: StreamStatus[] = [];
  readonly #reader = new FrameReader(-1);
  leftWith: Answer[] | undefined;
  readonly upstream: UpstreamStream;

  constructor(mayLeave = false) {
    this.upstream = parentStream({ address: "10.9.8.7:80", hops: 1 }, 1_000_000, mayLeave, {
      answered: (bytes) =>
        this.#reader.push(bytes, (message) => {
          (this.leftWith ?? this.#answers).push(toAnswer(message));
        }),
      drained: () => {},
      leaving: () => {
        this.leftWith = [];
      },
      ended: (status) => this.statuses.push(status),
      declined: () => {},
      unavailable: () => {},
    });
  }

  /** Sends messages in one piece, and returns the answers since the last call. */
  say(...messages: object[]): Answer[] {
    this.upstream.write(frames(messages.map((message) => toBytes(message))));
    return this.#answers.splice(0);
  }
}

const pointing = {
  to: "requestHeaders",
  set: { "x-gateway-destination-endpoint": "10.9.8.7:80", "x-inference-import-hops": "1" },
  metadata: { "envoy.lb": { "x-gateway-destination-endpoint": "10.9.8.7:80" } },
};

describe("a stream that is sent to a gateway", () => {
  it("sets the gateway as destination before the body arrives, and returns every body in full duplex", () => {
    const parent = new Parent();
    expect(parent.say(post())).toEqual([pointing]);
    expect(parent.say(body("ab", false), body("c"))).toEqual([
      { to: "requestBody", body: "ab", endOfStream: false },
      { to: "requestBody", body: "c", endOfStream: true },
    ]);
    expect(parent.say(headers({ ":status": "200" }, {}, "responseHeaders"))).toEqual([
      { to: "responseHeaders" },
    ]);
    expect(parent.say(responseBody("x"), { responseTrailers: {} })).toEqual([
      { to: "responseBody", body: "x", endOfStream: false },
      { to: "responseTrailers" },
    ]);
    parent.upstream.end();
    expect(parent.statuses).toEqual([{ code: 0, message: "" }]);
  });

  it("ends after the last answer to the request if the proxy can continue without it", () => {
    const parent = new Parent(true);
    expect(parent.say(post(), body("ab", false))).toEqual([
      pointing,
      { to: "requestBody", body: "ab", endOfStream: false },
    ]);
    expect(parent.statuses).toEqual([]);
    expect(parent.say(body("c"), headers({ ":status": "200" }, {}, "responseHeaders"))).toEqual([]);
    expect(parent.leftWith).toEqual([{ to: "requestBody", body: "c", endOfStream: true }]);
    expect(parent.statuses).toEqual([{ code: 0, message: "" }]);
  });

  it.each(["BUFFERED", "STREAMED"])("leaves %s bodies unchanged", (mode) => {
    const parent = new Parent();
    expect(parent.say({ ...post(), ...announcing(mode) })).toEqual([pointing]);
    expect(parent.say(body("ab"))).toEqual([{ to: "requestBody" }]);
    expect(parent.say(responseBody("ab", true))).toEqual([{ to: "responseBody" }]);
  });

  it("adds an id to a request without one", () => {
    const [answer] = new Parent().say(headers({ ":method": "GET", ":path": "/v1/models" }));
    expect(answer?.set?.["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ["not a message", Buffer.from([0, 0, 0, 0, 1, 0xff]), 13],
    ["too long", Buffer.from([0, 0x7f, 0, 0, 0]), 8],
  ])("ends with an error status if the received bytes are %s", (_, bytes, code) => {
    const parent = new Parent();
    parent.upstream.write(bytes);
    expect(parent.statuses).toMatchObject([{ code }]);
  });

  it("pauses while the proxy does not read", () => {
    const { upstream } = new Parent();
    upstream.pause();
    expect(upstream.write(frames([toBytes(post())]))).toBe(false);
    upstream.resume();
    expect(upstream.write(frames([toBytes(body("a"))]))).toBe(true);
  });
});
