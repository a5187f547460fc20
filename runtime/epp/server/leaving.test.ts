import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { model, rewriteObject, service } from "../datastore/objects.fixture.ts";
import {
  announcing,
  body,
  Conversation,
  type ConversationOptions,
  headers,
  post,
} from "./conversation.fixture.ts";

/** When the picker may end its stream early without breaking a response. */

const prompt = '{"model":"m","prompt":"hello"}';
const target = { models: ["m"], targets: [{ model: "target", weight: undefined }] };
const bodyless = headers({ ":method": "GET", ":path": "/v1/models" }, { endOfStream: true });
const trailers = { requestTrailers: {} };

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const talk = (options: ConversationOptions, ...messages: object[]) => {
  const proxy = new Conversation({ goesOn: true, ...options });
  const answers = proxy.say(...messages);
  return { proxy, answers };
};

describe("the stream of a proxy that continues on its own", () => {
  it.each([
    ["in full duplex mode", [post(), body(prompt)]],
    ["whose body ends with trailers", [post(), body(prompt, false), trailers]],
    ["in mode BUFFERED", [{ ...post(), ...announcing("BUFFERED") }, body(prompt)]],
    ["in mode STREAMED", [{ ...post(), ...announcing("STREAMED") }]],
    [
      "in mode STREAMED with chunks before the headers are answered",
      [{ ...post(), ...announcing("STREAMED", "STREAMED", true) }, body(prompt)],
    ],
    ["in mode NONE", [{ ...post(), ...announcing("NONE") }]],
    ["without a body", [bodyless]],
  ])("ends for a request %s as soon as the request has its endpoint", (_, messages) => {
    const proxy = new Conversation({ goesOn: true });
    for (const [at, message] of messages.entries()) {
      expect(proxy.over).toBe(false);
      const answers = proxy.say(message);
      if (at === messages.length - 1) expect(answers).not.toEqual([]);
    }
    expect(proxy.over).toBe(true);
    expect(proxy.events.refused).toEqual([]);
  });

  it("carries nothing more, and the request completes when the server's metrics report it", () => {
    const { proxy } = talk({}, post(), body(prompt));
    expect(proxy.say(headers({ ":status": "200" }, {}, "responseHeaders"))).toEqual([]);
    proxy.close();
    expect(proxy.events).toMatchObject({ running: 1, completed: [] });
    expect(proxy.events.unwatched).toHaveLength(1);
    proxy.events.unwatched[0]?.();
    expect(proxy.events.completed).toEqual([undefined]);
  });

  it("is not kept by the request, which completes later", async () => {
    const leave = () => {
      const { proxy } = talk({}, post(), body(prompt));
      return { stream: new WeakRef(proxy), completed: proxy.events.unwatched[0] };
    };
    const { stream, completed } = leave();
    await sleep(0);
    collectGarbage();
    expect(stream.deref()).toBeUndefined();
    expect(completed).toBeDefined();
  });

  it.each<[string, ConversationOptions, Record<string, string>]>([
    [
      "a model name must be restored",
      { objects: { rewrites: [rewriteObject("r", [target])] } },
      {},
    ],
    [
      "an LLMService counts the response",
      { objects: { services: [service("s", [model("m")])] } },
      {},
    ],
    ["the response carries a session token", { responseHeaders: [["x-session-token", "t"]] }, {}],
    ["the client asks which endpoint served", {}, { "x-gateway-destination-endpoint-served": "1" }],
    [
      "the conformance suite asks for the endpoint",
      {},
      { "test-epp-endpoint-selection": "10.0.0.1" },
    ],
    ["the operator enables followResponses", { options: { followResponses: true } }, {}],
    ["its server does not report its number of requests", { reportsRequests: false }, {}],
    ["the proxy does not continue on its own", { goesOn: false }, {}],
  ])("stays open if %s", (_, options, more) => {
    const { proxy } = talk(options, post(more), body(prompt));
    expect(proxy.over).toBe(false);
    expect(proxy.say(headers({ ":status": "200" }, {}, "responseHeaders"))).toHaveLength(1);
    proxy.close();
    expect(proxy.events).toMatchObject({ running: 0, unwatched: [] });
  });
});

it("B6: a second request in a stream is refused, and the first one completes", () => {
  const { proxy } = talk({ goesOn: false }, post(), body(prompt));
  expect(proxy.events.running).toBe(1);
  expect(() => proxy.say(post())).toThrow(/a second request arrived on a stream/);
  proxy.close();
  expect(proxy.events.running).toBe(0);
});
