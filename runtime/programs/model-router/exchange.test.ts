import { describe, expect, it } from "vitest";
import type { ModelRoutes } from "../../../sdk/routing/model-routes.ts";
import { readProcessingRequest } from "../../epp/protocol/processing-request.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import {
  type Answer,
  announcing,
  body,
  headers,
  responseBody,
  toAnswer,
  toBytes,
} from "../../epp/server/conversation.fixture.ts";
import { RouterExchange } from "./exchange.ts";
import { RouterMetrics } from "./router-metrics.ts";

const route = (
  change: Partial<ModelRoutes["byModel"] extends ReadonlyMap<string, infer R> ? R : never> = {},
) => ({
  baseModel: undefined,
  pools: ["default/a"],
  targets: [],
  ...change,
});

const routes: ModelRoutes = {
  byModel: new Map([
    ["plain", route()],
    ["adapter", route({ baseModel: "base" })],
    [
      "split",
      route({
        targets: [
          { model: "v1", weight: 1 },
          { model: "v2", weight: 1 },
        ],
      }),
    ],
    ["v2", route({ baseModel: "base", pools: ["default/b"] })],
  ]),
  anyModel: [{ type: "PathPrefix", value: "/open" }],
};

interface Options {
  readonly chance?: number;
  readonly goesOn?: boolean;
  readonly maxBody?: number;
}

/** Passes messages to an exchange, each after the responses to the previous one. */
function talk(messages: readonly object[], { chance = 0, goesOn = false, maxBody }: Options = {}) {
  const answers: Answer[] = [];
  const reported: unknown[] = [];
  const metrics = new RouterMetrics(() => routes);
  const bodies = new BodyBudget({ now: () => 0, maxBody });
  const exchange = new RouterExchange(
    {
      ...{ routes: () => routes, metrics, bodies },
      clock: { now: () => 0, random: () => chance },
    },
    (bytes) => answers.push(toAnswer(bytes)),
    (error) => reported.push(error),
    goesOn,
  );
  for (const message of messages) {
    exchange.receive(readProcessingRequest(toBytes(message)));
    while (exchange.readsOn) exchange.readOn();
  }
  return { answers, exchange, metrics, reported, bytes: bodies.bytes };
}

const post = (path = "/v1/chat/completions", more: Record<string, string> = {}) =>
  headers({ ":method": "POST", ":path": path, ...more });
const chat = (model: unknown) =>
  JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });

const asked = (
  model: unknown,
  options: Options = {},
  more: Record<string, string> = {},
  path?: string,
) => talk([post(path, more), body(chat(model))], options).answers;

const length = (text: string) => ({ "content-length": String(Buffer.byteLength(text)) });

it("H1: headers of a request whose body is incomplete count against the buffer, until it is routed", () => {
  const long = post(undefined, { "x-long": "v".repeat(200_000) });
  expect(talk([long]).bytes).toBeGreaterThan(200_000);
  expect(talk([long, body(chat("plain"))]).bytes).toBe(0);
});

describe("requests", () => {
  it("a request is forwarded with its model in a header and its body unchanged", () => {
    const text = chat("plain");
    expect(asked("plain")).toEqual([
      { to: "requestHeaders", set: { "x-gateway-model-name": "plain", ...length(text) } },
      { to: "requestBody", body: text, endOfStream: true },
    ]);
  });

  it.each([
    [
      "the base model of its pool",
      "adapter",
      0,
      { "x-gateway-model-name": "adapter", "x-gateway-base-model-name": "base" },
    ],
    [
      "the rewrite to a target in its own pool",
      "split",
      0,
      { "x-gateway-model-name": "split", "x-llm-d-model-name-rewrite": "v1" },
    ],
    [
      "the rewrite to a target in another pool",
      "split",
      0.9,
      {
        "x-gateway-model-name": "v2",
        "x-gateway-base-model-name": "base",
        "x-llm-d-model-name-rewrite": "v2",
      },
    ],
  ])("the headers contain %s", (_, model, chance, set) => {
    const [first, second] = asked(model, { chance });
    expect(first).toEqual({ to: "requestHeaders", set: { ...set, ...length(chat(model)) } });
    expect(second?.body).toBe(chat(model));
  });

  it.each([
    ["chat", "/v1/chat/completions"],
    ["completions", "/v1/completions"],
    ["messages", "/v1/messages?beta=true"],
    ["responses", "/llama/v1/responses/"],
    ["embeddings", "/v1/embeddings"],
    ["generate", "/inference/v1/generate"],
  ])("the model of the %s API is read", (_, path) => {
    expect(asked("plain", {}, {}, path)[0]?.set).toMatchObject({ "x-gateway-model-name": "plain" });
  });

  it("headers that the client copied are replaced or removed", () => {
    const forged = { "X-Gateway-Model-Name": "v2", "x-gateway-base-model-name": "base" };
    const text = chat("plain");
    expect(asked("plain", {}, forged)[0]).toEqual({
      to: "requestHeaders",
      set: { "x-gateway-model-name": "plain", ...length(text) },
      remove: ["x-gateway-base-model-name"],
    });
    const get = headers(
      { ":method": "GET", ":path": "/v1/models", ...forged },
      { endOfStream: true },
    );
    expect(talk([get]).answers).toEqual([
      { to: "requestHeaders", remove: ["x-gateway-model-name", "x-gateway-base-model-name"] },
    ]);
  });

  it("an unknown model is rejected with OpenAI's error", () => {
    const [answer, ...others] = asked("nobody");
    expect(others).toEqual([]);
    expect(answer).toMatchObject({
      to: "immediateResponse",
      status: 404,
      set: { "content-type": "application/json" },
    });
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      error: {
        message: "The model `nobody` does not exist",
        ...{ type: "invalid_request_error", param: "model", code: "model_not_found" },
      },
    });
    expect(asked("nobody", {}, {}, "/open/v1/completions")[0]?.set).toMatchObject({
      "x-gateway-model-name": "nobody",
    });
  });

  it.each(["\r\n", "\0", "\u007f"])(
    "a model with control characters is rejected even on a route for any model: %j",
    (control) => {
      expect(asked(`a${control}b`, {}, {}, "/open/v1/completions")).toMatchObject([
        { to: "immediateResponse", status: 400 },
      ]);
      expect(asked("ü\tb", {}, {}, "/open/v1/completions")[0]?.to).toBe("requestHeaders");
    },
  );

  it("a request without a model is forwarded without the header", () => {
    const text = JSON.stringify({ items: [] });
    const { answers } = talk([post("/v1/conversations"), body(text)]);
    expect(answers[0]).toEqual({ to: "requestHeaders", set: length(text) });
    expect(asked("")[0]?.set).toEqual(length(chat("")));
  });

  it.each([
    ["that is not JSON", "{", 400],
    ["whose model is not a string", chat(7), 400],
    ["with two models", `{"model":"plain","model":"v2","messages":[]}`, 400],
    ["with a long name", chat("m".repeat(254)), 400],
    ["with a name of two lines", chat("plain\nx-forged: 1"), 400],
    ["that is too large", chat("m".repeat(3_000)), 413],
  ])("a request %s is rejected", (_, text, status) => {
    const { answers, bytes, exchange } = talk([post(), body(text)], { maxBody: 2_000 });
    expect(answers).toMatchObject([{ to: "immediateResponse", status }]);
    expect([bytes, exchange.over]).toEqual([0, true]);
  });

  it("a request in several messages or with trailers is read once it is complete", () => {
    const text = chat("plain");
    const { answers } = talk([
      post(),
      body(text.slice(0, 10), false),
      body(text.slice(10), false),
      { requestTrailers: {} },
    ]);
    expect(answers).toEqual([
      { to: "requestHeaders", set: { "x-gateway-model-name": "plain", ...length(text) } },
      { to: "requestBody", body: text, endOfStream: false },
      { to: "requestTrailers" },
    ]);
  });

  it("a body of 220 KB is forwarded in pieces", () => {
    const text = JSON.stringify({ model: "plain", prompt: "p".repeat(220_000) });
    const pieces = Array.from({ length: 14 }, (_, at) =>
      text.slice(at * 16_384, (at + 1) * 16_384),
    );
    const { answers } = talk([
      post("/v1/completions", length(text)),
      ...pieces.map((piece, at) => body(piece, at === pieces.length - 1)),
    ]);
    expect(
      answers
        .slice(1)
        .map((answer) => answer.body)
        .join(""),
    ).toBe(text);
    expect(answers.at(-1)?.endOfStream).toBe(true);
  });
});

it("a body of another type is forwarded as it arrives, with its length", () => {
  const upload = post("/v1/audio/transcriptions", {
    "content-type": "multipart/form-data",
    "content-length": "6",
  });
  const { answers, exchange } = talk([upload, body("abc", false), body("def")], { goesOn: true });
  expect(answers).toEqual([
    { to: "requestHeaders", set: { "content-length": "6" } },
    { to: "requestBody", body: "abc", endOfStream: false },
    { to: "requestBody", body: "def", endOfStream: true },
  ]);
  expect(exchange.left).toBe(true);
});

describe("body modes of the proxy", () => {
  it("in mode BUFFERED the headers are set with the body's response", () => {
    const { answers } = talk([{ ...post(), ...announcing("BUFFERED") }, body(chat("plain"))]);
    expect(answers).toEqual([
      { to: "requestHeaders" },
      { to: "requestBody", set: { "x-gateway-model-name": "plain", ...length(chat("plain")) } },
    ]);
  });

  it("in modes STREAMED and NONE no model header is set", () => {
    for (const mode of ["STREAMED", "NONE"]) {
      const { answers, exchange } = talk([{ ...post(), ...announcing(mode) }]);
      expect(answers).toEqual([{ to: "requestHeaders" }]);
      expect(exchange.requestAnswered).toBe(true);
    }
  });
});

it("the stream ends after the request if the proxy allows it; otherwise responses are passed through", () => {
  const request = [post(), body(chat("plain"))];
  expect(talk(request, { goesOn: true }).exchange.left).toBe(true);
  const { answers, exchange } = talk([
    ...request,
    headers({ ":status": "200" }, {}, "responseHeaders"),
    responseBody("data: 1\n\n"),
    responseBody("", true),
    { responseTrailers: {} },
  ]);
  expect(answers.slice(2)).toEqual([
    { to: "responseHeaders" },
    { to: "responseBody", body: "data: 1\n\n", endOfStream: false },
    { to: "responseBody", body: "", endOfStream: true },
    { to: "responseTrailers" },
  ]);
  expect(exchange.left).toBe(false);
});

it("metrics count known models by name, and at most 1,000 unknown ones", () => {
  const { metrics } = talk([post(), body(chat("split"))], { chance: 0.9 });
  for (let at = 0; at < 2_000; at += 1) metrics.routed(`client-${at}`, undefined, 1);
  metrics.routed("adapter", undefined, 1);
  const series = [...(metrics.families[0]?.read() ?? [])].map(({ labels }) => labels.join("/"));
  expect(series).toHaveLength(1_003);
  expect(series).toContain("split/v2");
  expect(series).toContain("adapter/");
  expect(series).toContain("other/");
});
