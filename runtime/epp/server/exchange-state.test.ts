import { describe, expect, it } from "vitest";
import { pod } from "../datastore/objects.fixture.ts";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import {
  type Answer,
  body,
  Conversation,
  headers,
  post,
  responseBody,
} from "./conversation.fixture.ts";
import { response } from "./exchange-messages.fixture.ts";

const a = pod("a");
const b = pod("b", { ip: "10.0.0.2" });
const c = pod("c", { ip: "10.0.0.3" });
const address = { a: "10.0.0.1:8000", b: "10.0.0.2:8000", c: "10.0.0.3:8000" };

/**
 * A replica of the picker that has no state except the pool's objects. The fake scheduler takes the first candidate.
 */
const replica = (pods: PoolObjects["pods"]) => new Conversation({ objects: { pods } });

const create = (json: object) => [
  post({ ":path": "/v1/responses" }),
  body(JSON.stringify({ model: "m", input: "hello", ...json })),
];
const sent = (answers: readonly Answer[]) =>
  JSON.parse(answers.find(({ to }) => to === "requestBody")?.body ?? "{}");
const goesTo = (answers: readonly Answer[]) =>
  answers.find(({ to }) => to === "requestHeaders")?.set?.["x-gateway-destination-endpoint"];
const refusal = ([answer]: readonly Answer[]) => ({
  status: answer?.status,
  ...JSON.parse(answer?.body ?? "{}").error,
});

/** Id of a response that is sent to the first of `pods`. */
const idOf = (...pods: PoolObjects["pods"]): string =>
  sent(replica(pods).say(...create({}))).request_id;

describe("a response that a model server keeps", () => {
  it("gets an id from the picker, before members that stay unchanged", () => {
    const [, forwarded] = replica([a, b]).say(...create({ store: true }));
    expect(forwarded?.body).toMatch(
      /^\{"request_id":"resp_[0-9a-f]{32}_at_[0-9a-f]{12}-0","model":"m","input":"hello","store":true\}$/,
    );
    expect(idOf(a, b)).not.toBe(idOf(a, b));
  });

  it.each([[{ previous_response_id: "ID" }], [{ previous_response_id: "ID", stream: true }]])(
    "is continued at its server by any replica, also after a restart: %j",
    (json) => {
      const id = idOf(b, a);
      const continued = create(JSON.parse(JSON.stringify(json).replace("ID", id)));
      for (const pods of [[a, b, c], [c, a, b], [b]]) {
        const answers = replica(pods).say(...continued);
        expect(goesTo(answers)).toBe(address.b);
        expect(sent(answers).previous_response_id).toBe(id);
      }
    },
  );

  it.each([
    ["GET", "/v1/responses/ID"],
    ["GET", "/v1/responses/ID?stream=true&starting_after=4"],
    ["DELETE", "/v1/responses/ID"],
    ["GET", "/v1/responses/ID/input_items"],
    ["POST", "/v1/responses/ID/cancel"],
  ])("is routed to its server by its path: %s %s", (method, path) => {
    const request = headers(
      { ":method": method, ":path": path.replace("ID", idOf(b)) },
      { endOfStream: true },
    );
    const answers = replica([a, b]).say(request);
    expect(goesTo(answers)).toBe(address.b);
    expect(answers[0]?.set).not.toHaveProperty(":path");
  });

  it("is routed to its server by its path if the request has a body", () => {
    const cancel = post({ ":path": `/v1/responses/${idOf(b)}/cancel` });
    expect(goesTo(replica([a, b]).say(cancel, body("{}")))).toBe(address.b);
  });

  it.each([
    ["the client wants nothing stored", { store: false }],
    ["the client chose the id", { request_id: "resp_mine" }],
  ])("gets no id from the picker if %s", (_, json) => {
    const answers = replica([a]).say(...create(json));
    expect(sent(answers)).toEqual({ model: "m", input: "hello", ...json });
  });

  it("gets no id from the picker at another API", () => {
    const answers = replica([a]).say(post(), body('{"model":"m","prompt":"hello"}'));
    expect(sent(answers)).toEqual({ model: "m", prompt: "hello" });
  });

  it("may be routed to any endpoint if its id is longer than 256 characters", () => {
    const long = `${"x".repeat(1_000)}${idOf(b).slice(-19)}`;
    const answers = replica([a]).say(...create({ previous_response_id: long }));
    expect(goesTo(answers)).toBe(address.a);
  });

  it("may be routed to any endpoint if its id has no mark of the picker", () => {
    const answers = replica([a, b]).say(...create({ previous_response_id: "resp_1" }));
    expect(goesTo(answers)).toBe(address.a);
  });
});

describe("a response whose pod is gone", () => {
  const id = idOf(b);

  it.each([
    ["was deleted", [a]],
    ["is being deleted", [a, pod("b", { ip: "10.0.0.2", deleting: true })]],
    ["has a successor of the same name", [a, pod("b", { ip: "10.0.0.2", uid: "uid-b2" })]],
    ["was the last one", []],
  ])("is not found when the pod %s", (_, pods) => {
    expect(refusal(replica(pods).say(...create({ previous_response_id: id })))).toEqual({
      status: 404,
      message: `response ${id} was not found: the model server that stored it is gone; send the earlier turns as input, and leave previous_response_id out`,
      type: "invalid_request_error",
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  });

  it("is not found by its path", () => {
    const get = headers(
      { ":method": "GET", ":path": `/v1/responses/${id}` },
      { endOfStream: true },
    );
    expect(refusal(replica([a]).say(get))).toMatchObject({
      status: 404,
      code: "response_not_found",
      message: `response ${id} was not found: the model server that stored it is gone`,
    });
  });

  it("is refused with 503 if the pod exists but is not ready", () => {
    const unready = pod("b", { ip: "10.0.0.2", ready: false });
    const [answer] = replica([a, unready]).say(...create({ previous_response_id: id }));
    expect(answer).toMatchObject({
      status: 503,
      set: { "x-llm-d-request-dropped-reason": "rejected-no-endpoints" },
    });
  });
});

describe("a conversation", () => {
  const begin = [post({ ":path": "/v1/conversations" }), body("{}")];
  const made = '{"id":"conv_1","object":"conversation","metadata":{"id":"x"}}';

  /** Id that the client gets for a conversation at the first of `pods`. */
  const conversation = (...pods: PoolObjects["pods"]): string => {
    const proxy = replica(pods);
    proxy.say(...begin);
    const answers = proxy.say(
      response({ "content-type": "application/json" }),
      responseBody(made, true),
    );
    return JSON.parse(answers.at(-1)?.body ?? "{}").id;
  };

  it("gets an id that names its server; the rest of the response is unchanged", () => {
    const proxy = replica([a]);
    proxy.say(...begin);
    const [head, answer] = proxy.say(
      response({ "content-type": "application/json", "content-length": "61" }),
      responseBody(made, true),
    );
    expect(head?.remove).toEqual(["content-length"]);
    expect(answer?.body).toMatch(
      /^\{"id":"conv_1_at_[0-9a-f]{12}-0","object":"conversation","metadata":\{"id":"x"\}\}$/,
    );
  });

  it("leaves an error response unchanged", () => {
    const proxy = replica([a]);
    proxy.say(...begin);
    const error = '{"id":"e"}';
    const answers = proxy.say(
      headers({ ":status": "404", "content-type": "application/json" }, {}, "responseHeaders"),
      responseBody(error, true),
    );
    expect(answers.at(-1)?.body ?? error).toBe(error);
  });

  it.each([[(id: string): unknown => id], [(id: string): unknown => ({ id })]])(
    "is continued at its server, which receives its own id: %s",
    (member) => {
      const id = conversation(b, a);
      const answers = replica([a, b]).say(...create({ conversation: member(id) }));
      expect(goesTo(answers)).toBe(address.b);
      expect(sent(answers).conversation).toEqual(member("conv_1"));
    },
  );

  it.each([
    ["GET", "/v1/conversations/ID", "/v1/conversations/conv_1"],
    ["POST", "/v1/conversations/ID/items?a=b", "/v1/conversations/conv_1/items?a=b"],
  ])("is routed to its server by its path: %s %s", (method, path, expected) => {
    const request = headers(
      { ":method": method, ":path": path.replace("ID", conversation(b)) },
      { endOfStream: method === "GET" },
    );
    const items = body('{"items":[{"role":"user","content":"hi"}]}');
    const answers = replica([a, b]).say(request, ...(method === "GET" ? [] : [items]));
    expect(goesTo(answers)).toBe(address.b);
    expect(answers[0]?.set?.[":path"]).toBe(expected);
  });

  it("is not found when its pod is gone", () => {
    const id = conversation(b);
    expect(refusal(replica([a]).say(...create({ conversation: id })))).toMatchObject({
      status: 404,
      code: "conversation_not_found",
      message: `conversation ${id} was not found: the model server that stored it is gone; send the earlier turns as input, and leave conversation out`,
    });
  });
});
