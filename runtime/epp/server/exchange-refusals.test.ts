import { describe, expect, it } from "vitest";
import { model, objective, pool, service } from "../datastore/objects.fixture.ts";
import type { PickerOptions } from "../request-path/picker-services.ts";
import {
  announcing,
  body,
  Conversation,
  headers,
  post,
  responseBody,
} from "./conversation.fixture.ts";
import { destination, get, prompt, response, rewrites } from "./exchange-messages.fixture.ts";

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
  ])("a request is refused if %s", (_, options, messages, status, code, message) => {
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

  it("a body of more than 16 MiB is refused with 413", () => {
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

  it("a content-length above the limit is refused before the body arrives", () => {
    const proxy = new Conversation({ bodies: { maxBody: 1_000 } });
    expect(proxy.say(post({ "content-length": "1000" }))).toEqual([]);
    const other = new Conversation({ bodies: { maxBody: 1_000 } });
    expect(other.say(post({ "content-length": "1001" }))).toMatchObject([{ status: 413 }]);
  });

  it("A5: a body in more than 4,096 short pieces is refused", () => {
    const proxy = new Conversation();
    proxy.say(post(), body('{"model":"m","prompt":"', false));
    for (let at = 1; at < 4_096; at += 1) expect(proxy.say(body("x", false))).toEqual([]);
    // Pieces of 64 bytes or more do not count.
    expect(proxy.say(body("x".repeat(64), false))).toEqual([]);
    const [answer] = proxy.say(body("x", false));
    expect(answer).toMatchObject({ status: 400 });
    expect(proxy.say(body('"}'))).toEqual([]);
    expect(proxy.events.running).toBe(0);
  });

  it("a body that is not JSON is refused at its first wrong byte", () => {
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

  it.each(["gzip", "zstd", "br", "identity, x-gzip", "aes128gcm"])(
    "content encoding %s is refused by name before the body arrives",
    (encoding) => {
      const proxy = new Conversation();
      const [answer, ...more] = proxy.say(post({ "content-encoding": encoding }));
      expect(answer).toMatchObject({ status: 415, set: { "accept-encoding": "identity" } });
      const name = encoding.split(", ").at(-1);
      expect(answer?.body).toBe(
        `inference error: UnsupportedMediaType - content-encoding "${name}" of the request body is not accepted; accepted: identity. Send the body uncompressed`,
      );
      expect(more).toEqual([]);
      expect(proxy.events.refused).toHaveLength(1);
    },
  );

  it.each(["identity", "", "Identity"])("content encoding %j is accepted", (encoding) => {
    const answers = new Conversation().say(post({ "content-encoding": encoding }), body(prompt));
    expect(answers.map(({ to }) => to)).toEqual(["requestHeaders", "requestBody"]);
  });

  it("an encoded upload is accepted if unparsed bodies are allowed", () => {
    const type = { "content-type": "multipart/form-data; boundary=x" };
    const upload = { ":path": "/v1/audio/transcriptions", "content-encoding": "gzip", ...type };
    const answers = new Conversation({ options: { unparsedBodies: "allow" } }).say(
      post(upload),
      body("\x1f\x8b"),
    );
    expect(answers.map(({ to }) => to)).toEqual(["requestHeaders", "requestBody"]);
  });

  it("an empty conversation without a model is accepted", () => {
    const proxy = new Conversation();
    const answers = proxy.say(post({ ":path": "/v1/conversations" }), body("{}"));
    expect(answers.map(({ to }) => to)).toEqual(["requestHeaders", "requestBody"]);
  });

  it("a body that exceeds the body budget is refused with 503", () => {
    const proxy = new Conversation({ bodies: { maxTotal: 100_000 } });
    const piece = { requestBody: { body: Buffer.alloc(100_000, " "), endOfStream: false } };
    expect(proxy.say(post(), piece)).toMatchObject([
      {
        status: 503,
        set: { "x-llm-d-request-dropped-reason": "rejected-no-room-for-body" },
      },
    ]);
  });

  it("a refusal names its reason in a header", () => {
    expect(new Conversation(empty).say(get)).toMatchObject([
      { set: { "x-llm-d-request-dropped-reason": "rejected-no-endpoints" } },
    ]);
  });

  it("a full pool accepts requests that are not sheddable", () => {
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

  it("uses the priority of the objective header unless objectiveHeader is false", () => {
    for (const [objectiveHeader, priority] of [
      [undefined, 9],
      [true, 9],
      [false, 0],
    ] as const) {
      const options = objectiveHeader === undefined ? {} : { objectiveHeader };
      const proxy = new Conversation({ objects: open, options });
      proxy.say(raised, asked("other"));
      expect(proxy.events.received).toMatchObject([{ priority }]);
    }
  });

  it("sends the target model to the server, and the client's model name to the client", () => {
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

  it("refuses an unregistered model with 404 model_not_found if registration is required", () => {
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
  ])(
    "gives model %s the priority of its registration, or of the objective header if it has none",
    (name, objects, priority) => {
      const proxy = new Conversation({ objects });
      proxy.say(raised, asked(name));
      expect(proxy.events.received.map((labels) => labels.priority)).toEqual([priority]);
    },
  );

  it("sheds Noncritical models while it is full, but not Critical ones or an unregistered model of priority 9", () => {
    const status = (name: string) =>
      new Conversation({ saturation: 1, objects: open }).say(raised, asked(name))[0]?.status;
    expect(["m", "other", "fast"].map(status)).toEqual([429, undefined, undefined]);
  });

  const upload = headers({
    ...{ ":path": "/v1/audio/transcriptions", "x-request-id": "id" },
    "content-type": "multipart/form-data; boundary=x",
  });

  it.each([
    ["open", open],
    ["closed", closed],
  ])("a pool that is %s accepts unparsed bodies if they are allowed", (_, objects) => {
    const proxy = new Conversation({ objects, options: { unparsedBodies: "allow" } });
    expect(proxy.say(upload, body("sound"))).toMatchObject([
      { to: "requestHeaders", set: destination },
      { to: "requestBody", body: "sound" },
    ]);
  });

  it("refuses bodies that it cannot read or does not receive if registration is required", () => {
    const refused = (...messages: Parameters<Conversation["say"]>) =>
      new Conversation({ objects: closed }).say(...messages)[0];
    expect(refused(upload, body("sound"))).toMatchObject({ status: 403 });
    expect(refused({ ...post(), ...announcing("NONE") })).toMatchObject({
      status: 400,
      body: "inference error: BadRequest - pool default/pool serves registered models only, and the proxy shows no request bodies",
    });
  });
});

describe("X1: a body that the picker cannot read", () => {
  const at = (path: string, type: string, more = {}) =>
    headers({ ":path": path, ":method": "POST", "content-type": type, ...more });
  const text = at("/v2/generate", "text/plain");
  it("is refused before all of it arrives, with its path, its type and the pool's rules", () => {
    const proxy = new Conversation();
    const [answer, ...more] = proxy.say(text, body('{"model":"base",', false));
    expect(answer).toMatchObject({
      status: 403,
      body: 'inference error: Forbidden - the endpoint picker cannot read the body at path "/v2/generate" with content-type "text/plain": no parser reads this content-type at this path. Pool default/pool has fields that clients may not set, which such a body would bypass. Send JSON (content-type: application/json) or a multipart form, or set unparsedBodies of the pool\'s endpoint picker to allow (--unparsed-bodies=allow)',
    });
    expect(more).toEqual([]);
    expect(proxy.events.refused).toHaveLength(1);
  });

  it.each([
    ["application/x-www-form-urlencoded", "model=base"],
    ["application/octet-stream", '{"model":"base"}'],
    ["multipart/form-data; boundary=x", '{"model":"base"}'],
    ["multipart/mixed; boundary=x", "--x--"],
  ])("is refused if its type is %s", (type, sent) => {
    const [answer] = new Conversation().say(at("/invocations", type), body(sent));
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining(type) });
  });

  it("passes if the pool has no rules or allows unparsed bodies", () => {
    for (const options of [{ engineFields: "allow" }, { unparsedBodies: "allow" }] as const)
      expect(new Conversation({ options }).say(text, body("hi"))).toMatchObject([
        { to: "requestHeaders" },
        { to: "requestBody", body: "hi" },
      ]);
  });

  it.each([
    ["GET", "/v1/models"],
    ["GET", "/health"],
    ["GET", "/metrics"],
    ["HEAD", "/v1/models"],
    ["OPTIONS", "/v1/chat/completions"],
    ["DELETE", "/v1/responses/resp_1"],
    ["POST", "/v1/audio/cancel"],
  ])("does not include %s %s, which has no body", (method, path) => {
    const sent = { ":method": method, ":path": path, "x-request-id": "id" };
    const typed = { ...sent, "content-type": "text/plain" };
    expect(new Conversation().say(headers(typed, { endOfStream: true }))).toMatchObject([
      { to: "requestHeaders", set: destination },
    ]);
    const [answer] = new Conversation().say(headers(typed), body(""));
    expect(answer).toMatchObject({ to: "requestHeaders", set: destination });
  });

  it.each([
    ["an upgrade", { ":method": "GET", upgrade: "websocket" }],
    ["CONNECT", { ":method": "CONNECT", ":protocol": "websocket" }],
  ])("is refused if the request opens a tunnel by %s", (_, head) => {
    const proxy = new Conversation();
    expect(proxy.say(headers({ ":path": "/v1/realtime", ...head }))).toMatchObject([
      { status: 403, body: expect.stringContaining("it is a tunnel, such as a WebSocket") },
    ]);
  });

  it("a plain multipart form is read: its model is rewritten and its engine fields are refused", () => {
    const form = (model: string) =>
      `--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--x--\r\n`;
    const proxy = new Conversation({ objects: { rewrites } });
    const upload = at("/v1/audio/transcriptions", "multipart/form-data; boundary=x");
    expect(proxy.say(upload, body(form("m")))).toMatchObject([
      { to: "requestHeaders" },
      { to: "requestBody", body: form("target") },
    ]);
    const field = form("m").replace('"model"', '"kv_transfer_params"');
    expect(new Conversation().say(upload, body(field))).toMatchObject([
      { status: 400, body: expect.stringContaining("field kv_transfer_params") },
    ]);
  });
});

describe("B7: headers that only the picker may set", () => {
  const evil = { "x-prefiller-host-port": "169.254.169.254:80" };
  it.each(["FULL_DUPLEX_STREAMED", "STREAMED", "BUFFERED", "NONE"])(
    "B7: routing headers of a client are removed, with bodies in mode %s",
    (mode) => {
      const answers = new Conversation().say({ ...post(evil), ...announcing(mode) }, body(prompt));
      expect(answers.flatMap(({ remove = [] }) => remove)).toEqual(["x-prefiller-host-port"]);
    },
  );

  it("B7: a client's rank header is removed, kept or refused as the engine field policy sets", () => {
    const rank = { "x-data-parallel-rank": "1" };
    const removedBy = (options: Partial<PickerOptions>) =>
      new Conversation({ options }).say(post({ ...evil, ...rank }), body(prompt))[0]?.remove;
    expect(removedBy({})).toEqual([...Object.keys(evil), ...Object.keys(rank)]);
    expect(removedBy({ engineFields: "allow" })).toEqual(Object.keys(evil));
    expect(removedBy({ engineFields: "reject" })).toBeUndefined();
  });

  it.each(["FULL_DUPLEX_STREAMED", "STREAMED", "BUFFERED"])(
    "B7: engine fields of a client are removed from the body in mode %s",
    (mode) => {
      const evilBody = '{"model":"m","prompt":"hello","kv_transfer_params":{}}';
      const atOnce = announcing(mode, mode, true);
      const answers = new Conversation().say({ ...post(), ...atOnce }, body(evilBody));
      expect(answers.map((answer) => answer.body).join("")).toBe(prompt);
    },
  );

  it("B7: routing headers of a client are removed from a request without a body", () => {
    const [answer] = new Conversation().say(
      headers({ ":method": "GET", ":path": "/v1/models", ...evil }, { endOfStream: true }),
    );
    expect(answer?.remove).toEqual(["x-prefiller-host-port"]);
  });
});
