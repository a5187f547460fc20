import { describe, expect, it } from "vitest";
import { model, objective, pool, rewriteObject, service } from "../datastore/objects.fixture.ts";
import { maxChunkBytes } from "../protocol/processing-response.ts";
import type { PickerOptions } from "../request-path/route.ts";
import {
  announcing,
  body,
  Conversation,
  headers,
  post,
  responseBody,
} from "./conversation.fixture.ts";

const prompt = '{"model":"m","prompt":"hello"}';
const chosen = "10.0.0.1:8000";
const destination = { "x-gateway-destination-endpoint": chosen };
const metadata = { "envoy.lb": destination };
const rewrites = [
  rewriteObject("r", [{ models: ["m"], targets: [{ model: "target", weight: undefined }] }]),
];
const rewritten = '{"model":"target","prompt":"hello"}';
const get = headers(
  { ":method": "GET", ":path": "/v1/models", "x-request-id": "id" },
  { endOfStream: true },
);
const response = (values: Record<string, string> = {}, more = {}) =>
  headers(
    { ":status": "200", "content-type": "application/json", ...values },
    more,
    "responseHeaders",
  );
const trailers = (kind: string) => ({ [kind]: {} });

describe("a request in full duplex mode", () => {
  it("is answered when its body is whole: headers, then body", () => {
    const proxy = new Conversation();
    expect(proxy.say(post())).toEqual([]);
    expect(proxy.say(body(prompt.slice(0, 9), false))).toEqual([]);
    expect(proxy.say(body(prompt.slice(9)))).toEqual([
      { to: "requestHeaders", set: { ...destination, "content-length": "30" }, metadata },
      { to: "requestBody", body: prompt, endOfStream: true },
    ]);
    expect(proxy.events.running).toBe(1);
  });

  it("may end its body by an empty chunk", () => {
    const proxy = new Conversation();
    expect(proxy.say(post(), body(prompt, false), body("", true))).toMatchObject([
      { to: "requestHeaders" },
      { to: "requestBody", body: prompt, endOfStream: true },
    ]);
  });

  it("may end its body by trailers", () => {
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

  it("a request in full duplex mode without a body goes to any endpoint at once", () => {
    const proxy = new Conversation();
    expect(proxy.say(get)).toEqual([{ to: "requestHeaders", set: destination, metadata }]);
    expect(proxy.events.running).toBe(0);
  });

  it("a request in full duplex mode with an empty body goes to any endpoint, and the body stays empty", () => {
    expect(new Conversation().say(post(), body(""))).toEqual([
      { to: "requestHeaders", set: destination, metadata },
      { to: "requestBody", body: "", endOfStream: true },
    ]);
  });

  it("gets an id where it has none", () => {
    const [answer] = new Conversation().say(
      headers({ ":path": "/v1/models" }, { endOfStream: true }),
    );
    expect(answer?.set?.["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is sent on in chunks that fit a proxy's buffer", () => {
    const long = JSON.stringify({ model: "m", prompt: "x".repeat(3 * maxChunkBytes) });
    const [, ...chunks] = new Conversation().say(post(), body(long));
    expect(chunks.map(({ body: text }) => text).join("")).toBe(long);
    expect(chunks.map(({ body: text }) => Number(text?.length) <= maxChunkBytes)).not.toContain(
      false,
    );
    expect(chunks.map(({ endOfStream }) => endOfStream)).toEqual([false, false, false, true]);
  });

  it("carries the target model and its new length", () => {
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

  it("may have a header of 1 MB", () => {
    const [answer] = new Conversation().say(post({ "x-large": "x".repeat(2 ** 20) }), body(prompt));
    expect(answer).toMatchObject({ to: "requestHeaders", set: destination });
  });

  it("a request in full duplex mode of agentgateway: pseudo headers as text, the body ended by trailers, modes announced", () => {
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

  it("tells the scores with --emit-endpoint-scores", () => {
    const proxy = new Conversation({ options: { emitEndpointScores: true } });
    expect(proxy.say(post(), body(prompt))[0]?.metadata).toEqual({
      "envoy.lb": {
        ...destination,
        "x-gateway-destination-endpoint-scores": { [chosen]: 0.5, "10.0.0.2:8000": 0.5 },
      },
    });
  });

  it("keeps to the proxy's subset, also without a body and in any message", () => {
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

describe("refusals", () => {
  const empty = { objects: { pods: [] } };
  const sheddable = { "x-llm-d-inference-objective": "shed" };
  const objectives = [objective("shed", -1)];
  const noEndpoints = "failed to find endpoint candidates for serving the request";
  it.each([
    ["no endpoint is ready", empty, [post(), body(prompt)], 503, "ServiceUnavailable", noEndpoints],
    [
      "no endpoint is ready and there is no body",
      empty,
      [get],
      503,
      "ServiceUnavailable",
      noEndpoints,
    ],
    [
      "no model is named",
      {},
      [post(), body('{"prompt":"x"}')],
      400,
      "BadRequest",
      "model not found in request body",
    ],
    [
      "no model is named and no endpoint is ready",
      empty,
      [post(), body('{"prompt":"x"}')],
      400,
      "BadRequest",
      "model not found in request body",
    ],
    [
      "the pool is full and the request sheddable",
      { saturation: 1, objects: { objectives } },
      [post(sheddable), body(prompt)],
      429,
      "ResourceExhausted",
      "system saturated, sheddable request dropped",
    ],
  ])("%s", (_, options, messages, status, code, message) => {
    const proxy = new Conversation(options);
    const [answer, ...more] = proxy.say(...messages);
    expect(answer).toMatchObject({
      to: "immediateResponse",
      status,
      body: `inference error: ${code} - ${message}`,
    });
    expect(more).toEqual([]);
    expect(proxy.events.refused.map(({ code: told }) => told)).toEqual([code]);
    expect(proxy.events.running).toBe(0);
    expect(proxy.say(body("more"), response())).toEqual([]);
  });

  it("a body beyond what the picker holds", () => {
    const proxy = new Conversation();
    const megabyte = { requestBody: { body: Buffer.alloc(2 ** 20, " "), endOfStream: false } };
    proxy.say(post());
    expect(Array.from({ length: 16 }, () => proxy.say(megabyte)).flat()).toEqual([]);
    const answers = proxy.say(body(" "));
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 413 }]);
    expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({
      error: {
        message: "the request body is larger than 16777216 bytes",
        code: "request_too_large",
      },
    });
    expect(proxy.events.refused).toHaveLength(1);
  });

  it("a body that says that it is larger, before it comes", () => {
    const proxy = new Conversation({ bodies: { maxBody: 1_000 } });
    expect(proxy.say(post({ "content-length": "1000" }))).toEqual([]);
    const other = new Conversation({ bodies: { maxBody: 1_000 } });
    expect(other.say(post({ "content-length": "1001" }))).toMatchObject([{ status: 413 }]);
  });

  it("A5: a body in more short pieces than any client sends", () => {
    const proxy = new Conversation();
    proxy.say(post(), body('{"model":"m","prompt":"', false));
    for (let at = 1; at < 4_096; at += 1) expect(proxy.say(body("x", false))).toEqual([]);
    // Longer ones are not counted.
    expect(proxy.say(body("x".repeat(64), false))).toEqual([]);
    const [answer] = proxy.say(body("x", false));
    expect(answer).toMatchObject({ status: 400 });
    expect(proxy.say(body('"}'))).toEqual([]);
    expect(proxy.events.running).toBe(0);
  });

  it("a body that cannot become JSON, at the first byte that is wrong", () => {
    const proxy = new Conversation();
    expect(
      proxy.say(post(), { requestBody: { body: Buffer.from('{"model":x'), endOfStream: false } }),
    ).toEqual([
      expect.objectContaining({
        status: 400,
        body: expect.stringContaining('unexpected "x" at position 9'),
      }),
    ]);
    expect(proxy.events.refused).toHaveLength(1);
  });

  it("a body for which there is no room", () => {
    const proxy = new Conversation({ bodies: { maxTotal: 100_000 } });
    const piece = { requestBody: { body: Buffer.alloc(100_000, " "), endOfStream: false } };
    expect(proxy.say(post(), piece)).toMatchObject([
      {
        status: 503,
        set: { "x-llm-d-request-dropped-reason": "rejected-no-room-for-body" },
      },
    ]);
  });

  it("refusals say why in a header", () => {
    expect(new Conversation(empty).say(get)).toMatchObject([
      { set: { "x-llm-d-request-dropped-reason": "rejected-no-endpoints" } },
    ]);
  });

  it("a full pool takes requests that are not sheddable", () => {
    const proxy = new Conversation({ saturation: 9, objects: { objectives } });
    expect(proxy.say(post(), body(prompt))[0]?.to).toBe("requestHeaders");
    expect(proxy.events.received[0]).toEqual({
      model: "m",
      targetModel: "m",
      fairnessId: "default-flow",
      priority: 0,
    });
  });
});

describe("a pool with LLMServices", () => {
  const services = [
    service("bots", [
      model("m", { targets: [{ model: "v2", weight: 1 }] }),
      model("fast", { critical: true }),
    ]),
  ];
  const objectives = [objective("high", 9)];
  const open = { services, objectives };
  const closed = { ...open, pool: pool({ registrationRequired: true }) };
  const asked = (name: string) => body(`{"model":"${name}","prompt":"hello"}`);
  const raised = post({ "x-gateway-inference-objective": "high" });

  it("sends a model to its service's target, and answers in the client's name", () => {
    const proxy = new Conversation({ objects: closed });
    expect(proxy.say(post(), body(prompt))).toMatchObject([
      { to: "requestHeaders" },
      { to: "requestBody", body: '{"model":"v2","prompt":"hello"}' },
    ]);
    expect(proxy.say(response(), responseBody('{"model":"v2"}', true))[1]?.body).toBe(
      '{"model":"m"}',
    );
    expect(proxy.events.received).toMatchObject([
      { service: "default/bots", model: "m", targetModel: "v2" },
    ]);
  });

  it("refuses a model that nobody registers, where that is required, as the OpenAI API does", () => {
    const proxy = new Conversation({ objects: closed });
    const [answer] = proxy.say(post(), asked("other"));
    expect(answer).toMatchObject({
      to: "immediateResponse",
      status: 404,
      set: { "content-type": "application/json" },
    });
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      error: {
        message: "The model `other` is not registered on pool default/pool",
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      },
    });
    expect(proxy.events.refused.map(({ code }) => code)).toEqual(["NotFound"]);
  });

  it.each([
    ["m", closed, -1],
    ["fast", closed, 0],
    ["other", open, 9],
    ["fast", open, 0],
    ["other", { objectives }, 9],
    ["other", { objectives, services: [] }, 9],
  ])("gives %s its class, whatever objective a header names", (name, objects, priority) => {
    const proxy = new Conversation({ objects });
    proxy.say(raised, asked(name));
    expect(proxy.events.received.map((labels) => labels.priority)).toEqual([priority]);
  });

  it("sheds Noncritical models while it is full, and not those of nobody whose objective says otherwise, nor Critical ones", () => {
    const status = (name: string) =>
      new Conversation({ saturation: 1, objects: open }).say(raised, asked(name))[0]?.status;
    expect(["m", "other", "fast"].map(status)).toEqual([429, undefined, undefined]);
  });

  const upload = headers({ ":path": "/v1/audio/transcriptions", "x-request-id": "id" });

  it("takes requests without a body, and bodies that it does not read where any model is served", () => {
    const proxy = (objects: object) => new Conversation({ objects });
    expect(proxy(closed).say(get)).toMatchObject([{ to: "requestHeaders", set: destination }]);
    expect(proxy(open).say(upload, body("sound"))).toMatchObject([
      { to: "requestHeaders", set: destination },
      { to: "requestBody", body: "sound" },
    ]);
  });

  it("lets nobody past registration by a body that it cannot read, or is not shown", () => {
    const refused = (...messages: Parameters<Conversation["say"]>) =>
      new Conversation({ objects: closed }).say(...messages)[0];
    expect(refused(upload, body("sound"))).toMatchObject({ status: 400 });
    expect(refused({ ...post(), ...announcing("NONE") })).toMatchObject({
      status: 400,
      body: "inference error: BadRequest - pool default/pool serves registered models only, and the proxy shows no request bodies",
    });
  });
});

describe("a response in full duplex mode", () => {
  const routed = (options = {}) => {
    const proxy = new Conversation(options);
    proxy.say(post(), body(prompt));
    return proxy;
  };

  it("goes on as it comes, with no header changed", () => {
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

  it("tells the client what plugins say, as the token of its session", () => {
    const proxy = routed({ responseHeaders: [["x-session-token", "dG9rZW4="]] });
    expect(proxy.say(response())).toEqual([
      { to: "responseHeaders", set: { "x-session-token": "dG9rZW4=" } },
    ]);
  });

  it("a response in full duplex mode of more bytes than a proxy's buffer is sent on in several chunks", () => {
    const proxy = routed();
    const long = "y".repeat(maxChunkBytes + 5);
    const answers = proxy.say(response(), responseBody(long, true)).slice(1);
    expect(answers.map(({ body: text }) => text?.length)).toEqual([maxChunkBytes, 5]);
    expect(answers.map(({ endOfStream }) => endOfStream)).toEqual([false, true]);
  });

  it("may end by its headers or its trailers", () => {
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

  it("has the client's model name, and no length that would be wrong", () => {
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

  it("a response in full duplex mode of a rewritten request loses no byte that was held back when trailers end it", () => {
    const proxy = routed({ objects: { rewrites } });
    const answers = proxy.say(
      response(),
      responseBody('{"model":"tar'),
      trailers("responseTrailers"),
    );
    expect(answers.map(({ body: text }) => text ?? "").join("")).toBe('{"model":"tar');
    expect(answers.at(-1)).toEqual({ to: "responseTrailers" });
  });

  it("a response in full duplex mode of an encoding that is not read passes untouched", () => {
    const proxy = routed({ objects: { rewrites } });
    const [, answer] = proxy.say(
      response({ "content-encoding": "gzip" }),
      responseBody('"model":"target"', true),
    );
    expect(answer?.body).toBe('"model":"target"');
  });

  it("may come on a stream of its own", () => {
    const answers = new Conversation().say(response(), responseBody("abc", true));
    expect(answers.map(({ to }) => to)).toEqual(["responseHeaders", "responseBody"]);
  });

  it("is summed up when it ended", () => {
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

  it("is of whom the proxy names, where it does", () => {
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

  it("a response in full duplex mode that ends before its request leaves the rest of the request alone", () => {
    const proxy = new Conversation();
    proxy.say(post(), body('{"model":', false));
    expect(
      proxy.say(headers({ ":status": "413" }, { endOfStream: true }, "responseHeaders")),
    ).toEqual([{ to: "responseHeaders" }]);
    expect(proxy.say(body('"m","prompt":"x"}'))).toEqual([{ to: "requestBody" }]);
    expect(proxy.events).toMatchObject({ refused: [], reported: [], running: 0 });
  });

  it("a response in full duplex mode that never comes lands when the stream closes", () => {
    const proxy = routed();
    proxy.close();
    proxy.close();
    expect(proxy.events).toMatchObject({ running: 0, completed: [undefined] });
  });
});

describe("the conformance suite's header", () => {
  const served = { metadata: { "envoy.lb": { "x-gateway-destination-endpoint-served": chosen } } };
  const test = post({ "test-epp-endpoint-selection": "10.0.0.1" });

  it("the conformance suite's header on a request brings the served endpoint to the response", () => {
    const proxy = new Conversation();
    proxy.say(test, body(prompt));
    expect(proxy.say(response({}, served))[0]?.set).toEqual({
      "x-conformance-test-served-endpoint": chosen,
    });
  });

  it("shows that a proxy named none", () => {
    const proxy = new Conversation();
    proxy.say(test, body(prompt));
    expect(proxy.say(response())[0]?.set?.["x-conformance-test-served-endpoint"]).toMatch(
      /^fail: /,
    );
  });

  it("absent, nothing is added", () => {
    const proxy = new Conversation();
    proxy.say(post(), body(prompt));
    expect(proxy.say(response({}, served))).toEqual([{ to: "responseHeaders" }]);
  });
});

describe("a client that asks who served", () => {
  const name = "x-gateway-destination-endpoint-served";
  const asking = post({ [name]: "?" });
  const told = (address: string) => ({ metadata: { "envoy.lb": { [name]: address } } });

  it.each([
    ["the endpoint that was picked", {}, chosen],
    ["the one that the proxy names", told("10.0.0.2:8000"), "10.0.0.2:8000"],
  ])("is told %s", (_, metadata, address) => {
    const proxy = new Conversation();
    proxy.say(asking, body(prompt));
    expect(proxy.say(response({}, metadata))).toEqual([
      { to: "responseHeaders", set: { [name]: address } },
    ]);
  });

  it.each([
    [
      "has no body and the proxy names none",
      {},
      headers({ ":path": "/", [name]: "?" }, { endOfStream: true }),
    ],
    ["may not know, with --served-endpoint-header=false", { servedEndpointHeader: false }, asking],
  ])("is told nothing where it %s", (_, options, request) => {
    const proxy = new Conversation({ options });
    proxy.say(request, ...(request === asking ? [body(prompt)] : []));
    expect(proxy.say(response())).toEqual([{ to: "responseHeaders" }]);
  });
});

describe("a proxy that announces BUFFERED", () => {
  const first = { ...post(), ...announcing("BUFFERED") };

  it("gets headers answered before the body, and everything with the body", () => {
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

  it("leaves a body alone that did not change", () => {
    const [, answer] = new Conversation().say(first, body(prompt));
    expect(answer).toEqual({
      to: "requestBody",
      set: { ...destination, "content-length": "30" },
      metadata,
    });
  });

  it("may have trailers after the body", () => {
    const answers = new Conversation().say(first, body(prompt, false), trailers("requestTrailers"));
    expect(answers).toMatchObject([
      { to: "requestHeaders" },
      { to: "requestBody", set: destination },
      { to: "requestTrailers" },
    ]);
  });
});

describe("B7: headers that only the picker may set", () => {
  const evil = { "x-prefiller-host-port": "169.254.169.254:80" };
  it.each(["FULL_DUPLEX_STREAMED", "STREAMED", "BUFFERED", "NONE"])(
    "B7: headers that only the picker may set do not reach a server from a client, with bodies in mode %s",
    (mode) => {
      const answers = new Conversation().say({ ...post(evil), ...announcing(mode) }, body(prompt));
      expect(answers.flatMap(({ remove = [] }) => remove)).toEqual(["x-prefiller-host-port"]);
    },
  );

  it("B7: headers that only the picker may set go on where they are of the picker, and engines' fields where the operator allows it", () => {
    const rank = { "x-data-parallel-rank": "1" };
    const removedBy = (options: Partial<PickerOptions>) =>
      new Conversation({ options }).say(post({ ...evil, ...rank }), body(prompt))[0]?.remove;
    expect(removedBy({})).toEqual([...Object.keys(evil), ...Object.keys(rank)]);
    expect(removedBy({ engineFields: "allow" })).toEqual(Object.keys(evil));
    expect(removedBy({ engineFields: "reject" })).toBeUndefined();
  });

  it.each(["FULL_DUPLEX_STREAMED", "STREAMED", "BUFFERED"])(
    "B7: fields of engines are not in the body, in mode %s",
    (mode) => {
      const evilBody = '{"model":"m","prompt":"hello","kv_transfer_params":{}}';
      const atOnce = announcing(mode, mode, true);
      const answers = new Conversation().say({ ...post(), ...atOnce }, body(evilBody));
      expect(answers.map((answer) => answer.body).join("")).toBe(prompt);
    },
  );

  it("B7: headers that only the picker may set do not reach it with a request without a body", () => {
    const [answer] = new Conversation().say(
      headers({ ":method": "GET", ":path": "/v1/models", ...evil }, { endOfStream: true }),
    );
    expect(answer?.remove).toEqual(["x-prefiller-host-port"]);
  });
});

describe("a proxy that announces STREAMED", () => {
  it("gets an endpoint with the headers, and its chunks pass", () => {
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

  it("a proxy that announces STREAMED and sends bodies at once gets the target model with the first chunk", () => {
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

it("a proxy that sends no pseudo headers is understood by the body", () => {
  const proxy = new Conversation();
  const chat = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
  const [answer] = proxy.say(headers({ "content-type": "application/json" }), body(chat));
  expect(answer).toMatchObject({ to: "requestHeaders", set: destination });
});
