import { describe, expect, it } from "vitest";
import { DecisionRing } from "../decisions/decision-ring.ts";
import { explained } from "../decisions/explain-page.ts";
import { maxChunkBytes } from "../protocol/processing-response.ts";
import { body, Conversation, headers, post, responseBody } from "./conversation.fixture.ts";
import { chosen, prompt, response, rewrites, trailers } from "./exchange-messages.fixture.ts";

describe("a response in full duplex mode", () => {
  const routed = (options = {}) => {
    const proxy = new Conversation(options);
    proxy.say(post(), body(prompt));
    return proxy;
  };

  it("is forwarded chunk by chunk with no header changed", () => {
    const proxy = routed();
    expect(proxy.say(response({ "transfer-encoding": "chunked" }))).toEqual([
      { to: "responseHeaders" },
    ]);
    expect(proxy.say(responseBody("abc"))).toEqual([
      { to: "responseBody", body: "abc", endOfStream: false },
    ]);
    expect(proxy.events.running).toBe(1);
    expect(proxy.say(responseBody("", true))).toEqual([
      { to: "responseBody", body: "", endOfStream: true },
    ]);
    expect(proxy.events.running).toBe(0);
  });

  it("its decision record has the times since the first message, in order", () => {
    let time = 100;
    const decisions = new DecisionRing(1);
    const proxy = routed({ decisions, now: () => time++ });
    proxy.say(response(), responseBody("a"), responseBody("b", true));
    proxy.close();
    const [record] = decisions.last(1);
    const timeline = record && explained(record, time).timeline;
    const times = Object.values(timeline ?? {}) as number[];
    expect(times).toHaveLength(4);
    expect(times[0]).toBeGreaterThan(0);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(4);
    expect(times.at(-1)).toBeLessThan(time - 100);
  });

  it("has the headers that plugins set, such as a session token", () => {
    const proxy = routed({ responseHeaders: [["x-session-token", "dG9rZW4="]] });
    expect(proxy.say(response())).toEqual([
      { to: "responseHeaders", set: { "x-session-token": "dG9rZW4=" } },
    ]);
  });

  it("is forwarded in several chunks if it exceeds the proxy's buffer", () => {
    const proxy = routed();
    const long = "y".repeat(maxChunkBytes + 5);
    const answers = proxy.say(response(), responseBody(long, true)).slice(1);
    expect(answers.map(({ body: text }) => text?.length)).toEqual([maxChunkBytes, 5]);
    expect(answers.map(({ endOfStream }) => endOfStream)).toEqual([false, true]);
  });

  it("may end with its headers or its trailers", () => {
    const short = routed();
    expect(short.say(response({}, { endOfStream: true }))).toEqual([{ to: "responseHeaders" }]);
    expect(short.events.running).toBe(0);
    const long = routed();
    expect(long.say(response(), responseBody("a"), trailers("responseTrailers"))).toMatchObject([
      { to: "responseHeaders" },
      { to: "responseBody", endOfStream: false },
      { to: "responseTrailers" },
    ]);
    expect(long.events.running).toBe(0);
  });

  it("has the client's model name and no content-length after a rewrite", () => {
    const proxy = routed({ objects: { rewrites } });
    const answers = proxy.say(
      response({ "content-length": "40" }),
      responseBody('{"id":"1","mod'),
      responseBody('el":"target","text":"\\"model\\":\\"target\\""}', true),
    );
    expect(answers[0]).toEqual({ to: "responseHeaders", remove: ["content-length"] });
    expect(
      answers
        .slice(1)
        .map(({ body: text }) => text)
        .join(""),
    ).toBe('{"id":"1","model":"m","text":"\\"model\\":\\"target\\""}');
  });

  it("sends the bytes held back for the model name before its trailers", () => {
    const proxy = routed({ objects: { rewrites } });
    const answers = proxy.say(
      response(),
      responseBody('{"model":"tar'),
      trailers("responseTrailers"),
    );
    expect(answers.map(({ body: text }) => text ?? "").join("")).toBe('{"model":"tar');
    expect(answers.at(-1)).toEqual({ to: "responseTrailers" });
  });

  it("passes unchanged if it is compressed", () => {
    const proxy = routed({ objects: { rewrites } });
    const [, answer] = proxy.say(
      response({ "content-encoding": "gzip" }),
      responseBody('"model":"target"', true),
    );
    expect(answer?.body).toBe('"model":"target"');
  });

  it("may arrive on a separate stream", () => {
    const answers = new Conversation().say(response(), responseBody("abc", true));
    expect(answers.map(({ to }) => to)).toEqual(["responseHeaders", "responseBody"]);
  });

  it("is reported with its status, size, usage and endpoint when it ends", () => {
    const proxy = routed();
    const usage =
      '{"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}';
    proxy.say(response(), responseBody(usage, true));
    proxy.close();
    expect(proxy.events.completed).toEqual([
      {
        seconds: 0,
        firstTokenSeconds: 0,
        streaming: false,
        bytes: usage.length,
        status: 200,
        processingSeconds: 0,
        usage: { inputTokens: 5, outputTokens: 2, cachedTokens: 3 },
        served: expect.objectContaining({ pod: "a" }),
      },
    ]);
  });

  it("is attributed to the picked endpoint that the proxy names, or else to the first one", () => {
    const served = (address: string) => ({
      metadata: { "envoy.lb": { "x-gateway-destination-endpoint-served": address } },
    });
    for (const [address, pod] of [
      [chosen, "a"],
      ["10.0.0.2:8000", "a"],
      ["10.9.9.9:1", "a"],
    ] as const) {
      const proxy = routed();
      proxy.say(response({}, served(address)), responseBody("", true));
      expect(proxy.events.completed).toMatchObject([{ served: { pod } }]);
    }
    const both = routed({ picks: 2 });
    both.say(response({}, served("10.0.0.2:8000")), responseBody("", true));
    expect(both.events.completed).toMatchObject([{ served: { pod: "b" } }]);
  });

  it("passes the rest of its request unchanged if the response ends first", () => {
    const proxy = new Conversation();
    proxy.say(post(), body('{"model":', false));
    expect(
      proxy.say(headers({ ":status": "413" }, { endOfStream: true }, "responseHeaders")),
    ).toEqual([{ to: "responseHeaders" }]);
    expect(proxy.say(body('"m","prompt":"x"}'))).toEqual([{ to: "requestBody" }]);
    expect(proxy.events).toMatchObject({ refused: [], reported: [], running: 0 });
  });

  it("completes its request when the stream closes, even if it never arrives", () => {
    const proxy = routed();
    proxy.close();
    proxy.close();
    expect(proxy.events).toMatchObject({ running: 0, completed: [undefined] });
  });
});

describe("the conformance suite's header", () => {
  const served = { metadata: { "envoy.lb": { "x-gateway-destination-endpoint-served": chosen } } };
  const test = post({ "test-epp-endpoint-selection": "10.0.0.1" });

  it("adds the served endpoint to the response", () => {
    const proxy = new Conversation();
    proxy.say(test, body(prompt));
    expect(proxy.say(response({}, served))[0]?.set).toEqual({
      "x-conformance-test-served-endpoint": chosen,
    });
  });

  it("reports a failure if the proxy named no endpoint", () => {
    const proxy = new Conversation();
    proxy.say(test, body(prompt));
    expect(proxy.say(response())[0]?.set?.["x-conformance-test-served-endpoint"]).toMatch(
      /^fail: /,
    );
  });

  it("is required: without it, nothing is added to the response", () => {
    const proxy = new Conversation();
    proxy.say(post(), body(prompt));
    expect(proxy.say(response({}, served))).toEqual([{ to: "responseHeaders" }]);
  });
});

describe("a client that asks which endpoint served", () => {
  const name = "x-gateway-destination-endpoint-served";
  const asking = post({ [name]: "?" });
  const told = (address: string) => ({ metadata: { "envoy.lb": { [name]: address } } });

  it.each([
    ["the endpoint that was picked", {}, chosen],
    ["the endpoint that the proxy names", told("10.0.0.2:8000"), "10.0.0.2:8000"],
  ])("gets %s", (_, metadata, address) => {
    const proxy = new Conversation();
    proxy.say(asking, body(prompt));
    expect(proxy.say(response({}, metadata))).toEqual([
      { to: "responseHeaders", set: { [name]: address } },
    ]);
  });

  it.each([
    [
      "the request has no body and the proxy names none",
      {},
      headers({ ":path": "/", [name]: "?" }, { endOfStream: true }),
    ],
    ["--served-endpoint-header=false is set", { servedEndpointHeader: false }, asking],
  ])("gets no endpoint if %s", (_, options, request) => {
    const proxy = new Conversation({ options });
    proxy.say(request, ...(request === asking ? [body(prompt)] : []));
    expect(proxy.say(response())).toEqual([{ to: "responseHeaders" }]);
  });
});
