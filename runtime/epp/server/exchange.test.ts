import { describe, expect, it } from "vitest";
import { maxChunkBytes } from "../protocol/processing-response.ts";
import {
  announcing,
  body,
  Conversation,
  headers,
  post,
  responseBody,
} from "./conversation.fixture.ts";
import {
  chosen,
  destination,
  get,
  metadata,
  prompt,
  response,
  rewrites,
  rewritten,
  trailers,
} from "./exchange-messages.fixture.ts";

describe("a request in full duplex mode", () => {
  it("is answered when its body is complete: headers, then body", () => {
    const proxy = new Conversation();
    expect(proxy.say(post())).toEqual([]);
    expect(proxy.say(body(prompt.slice(0, 9), false))).toEqual([]);
    expect(proxy.say(body(prompt.slice(9)))).toEqual([
      { to: "requestHeaders", set: { ...destination, "content-length": "30" }, metadata },
      { to: "requestBody", body: prompt, endOfStream: true },
    ]);
    expect(proxy.events.running).toBe(1);
  });

  it("may end its body with an empty chunk", () => {
    const proxy = new Conversation();
    expect(proxy.say(post(), body(prompt, false), body("", true))).toMatchObject([
      { to: "requestHeaders" },
      { to: "requestBody", body: prompt, endOfStream: true },
    ]);
  });

  it("may end its body with trailers", () => {
    const proxy = new Conversation();
    expect(proxy.say(post(), body(prompt, false), trailers("requestTrailers"))).toMatchObject([
      { to: "requestHeaders", set: destination },
      { to: "requestBody", body: prompt, endOfStream: false },
      { to: "requestTrailers" },
    ]);
  });

  it("may have trailers after its body", () => {
    const proxy = new Conversation();
    const answers = proxy.say(post(), body(prompt), trailers("requestTrailers"));
    expect(answers.map(({ to }) => to)).toEqual([
      "requestHeaders",
      "requestBody",
      "requestTrailers",
    ]);
  });

  it("is sent to any endpoint immediately if it has no body", () => {
    const proxy = new Conversation();
    expect(proxy.say(get)).toEqual([{ to: "requestHeaders", set: destination, metadata }]);
    expect(proxy.events.running).toBe(0);
  });

  it("is sent to any endpoint if its body is empty, and the body stays empty", () => {
    expect(new Conversation().say(post(), body(""))).toEqual([
      { to: "requestHeaders", set: destination, metadata },
      { to: "requestBody", body: "", endOfStream: true },
    ]);
  });

  it("gets a request id if it has none", () => {
    const [answer] = new Conversation().say(
      headers({ ":path": "/v1/models" }, { endOfStream: true }),
    );
    expect(answer?.set?.["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is forwarded in chunks that fit the proxy's buffer", () => {
    const long = JSON.stringify({ model: "m", prompt: "x".repeat(3 * maxChunkBytes) });
    const [, ...chunks] = new Conversation().say(post(), body(long));
    expect(chunks.map(({ body: text }) => text).join("")).toBe(long);
    expect(chunks.map(({ body: text }) => Number(text?.length) <= maxChunkBytes)).not.toContain(
      false,
    );
    expect(chunks.map(({ endOfStream }) => endOfStream)).toEqual([false, false, false, true]);
  });

  it("is forwarded with the target model and the new content-length", () => {
    const proxy = new Conversation({ objects: { rewrites } });
    expect(proxy.say(post(), body(prompt))).toEqual([
      {
        to: "requestHeaders",
        set: { ...destination, "content-length": "35" },
        metadata,
      },
      { to: "requestBody", body: rewritten, endOfStream: true },
    ]);
  });

  it("may have a header of 1 MiB", () => {
    const [answer] = new Conversation().say(post({ "x-large": "x".repeat(2 ** 20) }), body(prompt));
    expect(answer).toMatchObject({ to: "requestHeaders", set: destination });
  });

  it("is read from agentgateway: pseudo headers as text, trailers at the end, announced modes", () => {
    const first = {
      requestHeaders: {
        headers: {
          headers: [
            { key: ":method", value: "POST" },
            { key: ":path", value: "/v1/completions" },
            { key: "x-request-id", rawValue: Buffer.from("id") },
          ],
        },
      },
      ...announcing("FULL_DUPLEX_STREAMED"),
    };
    const answers = new Conversation({ objects: { rewrites } }).say(
      first,
      body(prompt.slice(0, 5), false),
      body(prompt.slice(5), false),
      trailers("requestTrailers"),
    );
    expect(answers).toMatchObject([
      { to: "requestHeaders", set: destination },
      { to: "requestBody", body: rewritten, endOfStream: false },
      { to: "requestTrailers" },
    ]);
  });

  it("loses headers that only the picker may set", () => {
    const [answer] = new Conversation().say(
      post({ "x-prefiller-host-port": "evil:1" }),
      body(prompt),
    );
    expect(answer?.remove).toEqual(["x-prefiller-host-port"]);
  });

  it("gets the endpoint scores as metadata with --emit-endpoint-scores", () => {
    const proxy = new Conversation({ options: { emitEndpointScores: true } });
    expect(proxy.say(post(), body(prompt))[0]?.metadata).toEqual({
      "envoy.lb": {
        ...destination,
        "x-gateway-destination-endpoint-scores": { [chosen]: 0.5, "10.0.0.2:8000": 0.5 },
      },
    });
  });

  it("is sent only to the proxy's subset, with or without a body, whichever message names the subset", () => {
    const hint = {
      metadata: {
        "envoy.lb.subset_hint": { "x-gateway-destination-endpoint-subset": ["10.0.0.2:8000"] },
      },
    };
    const other = { set: { "x-gateway-destination-endpoint": "10.0.0.2:8000" } };
    expect(
      new Conversation().say(headers({ ":path": "/" }, { endOfStream: true, ...hint })),
    ).toMatchObject([other]);
    expect(
      new Conversation().say(headers({ ":path": "/v1/completions" }, hint), body(prompt))[0],
    ).toMatchObject(other);
    const late = {
      ...body(prompt),
      metadataContext: (headers({}, hint) as { metadataContext: object }).metadataContext,
    };
    expect(new Conversation().say(post(), late)[0]).toMatchObject(other);
  });
});

describe("a proxy that announces BUFFERED", () => {
  const first = { ...post(), ...announcing("BUFFERED") };

  it("gets an empty answer to the headers, and all changes with the body", () => {
    const proxy = new Conversation({ objects: { rewrites } });
    expect(proxy.say(first)).toEqual([{ to: "requestHeaders" }]);
    expect(proxy.say(body(prompt))).toEqual([
      {
        to: "requestBody",
        set: { ...destination, "content-length": "35" },
        body: rewritten,
        metadata,
      },
    ]);
    expect(
      proxy.say(response({ "content-length": "18" }), responseBody('{"model":"target"}', true)),
    ).toEqual([
      { to: "responseHeaders", remove: ["content-length"] },
      { to: "responseBody", body: '{"model":"m"}' },
    ]);
  });

  it("gets no body back if it did not change", () => {
    const [, answer] = new Conversation().say(first, body(prompt));
    expect(answer).toEqual({
      to: "requestBody",
      set: { ...destination, "content-length": "30" },
      metadata,
    });
  });

  it("may send trailers after the body", () => {
    const answers = new Conversation().say(first, body(prompt, false), trailers("requestTrailers"));
    expect(answers).toMatchObject([
      { to: "requestHeaders" },
      { to: "requestBody", set: destination },
      { to: "requestTrailers" },
    ]);
  });
});

describe("a proxy that announces STREAMED", () => {
  it("gets an endpoint with the headers, and its chunks pass unchanged", () => {
    const proxy = new Conversation({ objects: { rewrites } });
    expect(proxy.say({ ...post(), ...announcing("STREAMED") })).toEqual([
      { to: "requestHeaders", set: destination, metadata },
    ]);
    expect(proxy.say(body(prompt, false))).toEqual([{ to: "requestBody" }]);
    expect(proxy.say(body("", true))).toEqual([{ to: "requestBody" }]);
    expect(proxy.say(response(), responseBody("a"), responseBody("", true))).toEqual([
      { to: "responseHeaders" },
      { to: "responseBody" },
      { to: "responseBody" },
    ]);
  });

  it("gets the target model with the first chunk if it sends bodies before the headers are answered", () => {
    const proxy = new Conversation({ objects: { rewrites } });
    const first = { ...post(), ...announcing("STREAMED", "STREAMED", true) };
    expect(proxy.say(first, body(prompt.slice(0, 9), false))).toEqual([]);
    expect(proxy.say(body(prompt.slice(9)))).toMatchObject([
      { to: "requestHeaders", set: destination },
      { to: "requestBody", body: rewritten },
      { to: "requestBody", cleared: true },
    ]);
  });
});

it("a proxy that announces no bodies gets an endpoint with the headers", () => {
  const proxy = new Conversation();
  const answers = proxy.say({ ...post(), ...announcing("NONE") });
  expect(answers).toEqual([{ to: "requestHeaders", set: destination, metadata }]);
});

it("the API of a request without pseudo headers is recognized by its body", () => {
  const proxy = new Conversation();
  const chat = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
  const [answer] = proxy.say(headers({ "content-type": "application/json" }), body(chat));
  expect(answer).toMatchObject({ to: "requestHeaders", set: destination });
});
