import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { events, json, type Recorded, RecordingEngine } from "./recording-engine.fixture.ts";
import { chat, SidecarScene } from "./sidecar-scene.fixture.ts";

/**
 * Encoders before prefillers and decoders, in the sequence of llm-d's sidecar (pkg/sidecar/proxy, connector_ec_*.go).
 * The encoders here are fakes.
 */

const scene = new SidecarScene();
const { send, named, counted, restart } = scene;
let encoders: RecordingEngine[];

/** An encoder's transfer parameters for a part, by hash, with an integer that a double cannot represent. */
const transferOf = (name: string) => `{"${name}": {"peer_port": 12345678901234567890}}`;
const encoded = ({ text }: Recorded) =>
  `{"id":"e","ec_transfer_params":${transferOf(text.includes("beach") ? "beach" : "sea")}}`;

beforeEach(async () => {
  await scene.start();
  encoders = await Promise.all(
    [0, 1].map(() =>
      new RecordingEngine((request, response) => json(encoded(request))(request, response)).start(),
    ),
  );
  await restart(["--ec-connector=ec-nixl"]);
});
afterEach(async () => {
  await Promise.all(encoders.map((encoder) => encoder.stop()));
  await scene.stop();
});

const byEncoders = () => ({
  "x-encoder-hosts-ports": encoders.map(({ address }) => address).join(", "),
});
const asked = () => encoders.map(({ requests }) => requests);

const beach = '{"type":"image_url","image_url":{"url":"https://pictures.example/beach.png"}}';
const sea = '{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}';
const bodyOf = (...parts: string[]) =>
  `{ "model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"what?"},${parts.join(",")}]}],"seed":12345678901234567890 ,"max_tokens":7,"min_tokens":3}`;
const withTransfer = (body: string, ...names: string[]) =>
  body.replace(
    "{",
    `{"ec_transfer_params":{${names.map((name) => transferOf(name).slice(1, -1)).join(",")}},`,
  );

describe("a chat with images and sounds", () => {
  it("each part is encoded separately, and the decoder gets all transfer parameters", async () => {
    const body = bodyOf(beach, sea);
    const answer = await send(body, { ...byEncoders(), "x-request-id": "mine" });
    expect(answer.status).toBe(200);
    expect(asked().map((requests) => requests.length)).toEqual([1, 1]);
    for (const [at, part] of [beach, sea].entries()) {
      const request = encoders[at]?.last as Recorded;
      expect(request.path).toBe("/v1/chat/completions");
      expect(request.headers["x-request-id"]).toBe(`mine-enc-${at}`);
      expect(request.headers["x-encoder-hosts-ports"]).toBeUndefined();
      expect(request.text).toContain('"seed":12345678901234567890');
      expect(request.json).toEqual({
        ...{ model: "m", max_tokens: 1, stream: false, seed: expect.anything() },
        messages: [{ role: "user", content: [JSON.parse(part)] }],
      });
    }
    expect(scene.decoder.last.text).toBe(withTransfer(body, "beach", "sea"));
    expect(scene.decoder.last.headers["x-request-id"]).toBe("mine");
    expect(
      await counted('pd_sidecar_stage_duration_seconds_count{stage="encode",outcome="ok"}'),
    ).toBe(2);
  });

  it("the prefiller and the decoder both get the encoders' transfer parameters", async () => {
    const body = bodyOf(beach).replace('"max_tokens":7', '"max_tokens":7,"stream":true');
    const answer = await send(body, { ...byEncoders(), ...named() });
    expect(answer.text).toBe(events.join("").replace('"cached_tokens":189', '"cached_tokens":32'));
    for (const { text } of [scene.prefiller.last, scene.decoder.last])
      expect(text).toContain(`"ec_transfer_params":${transferOf("beach")}`);
    expect(scene.prefiller.last.json).toMatchObject({ max_tokens: 1, stream: false });
    expect(scene.decoder.last.json.kv_transfer_params).toBeDefined();
  });

  it("parts with the same URL are encoded once, and the encoders take turns", async () => {
    const other = beach.replace("}}", ',"detail":"low"}}');
    await send(bodyOf(beach, other, sea, sea), byEncoders());
    expect(asked().map((requests) => requests.length)).toEqual([1, 1]);
    const pictures = Array.from({ length: 40 }, (_, at) => beach.replace("beach", `${at}`));
    await send(bodyOf(...pictures), byEncoders());
    expect(asked().map((requests) => requests.length)).toEqual([21, 21]);
  });

  it("encode requests set `max_completion_tokens` only if the client did, and drop fields that only engines may set", async () => {
    const body = bodyOf(beach).replace(
      '"max_tokens":7',
      '"max_completion_tokens":7,"stream_options":{},"ec_transfer_params":{"x":1}',
    );
    await send(body, byEncoders());
    expect(encoders[0]?.last.json).toMatchObject({ max_completion_tokens: 1, max_tokens: 1 });
    expect(encoders[0]?.last.text).not.toMatch(/stream_options|ec_transfer_params|min_tokens/);
    expect(scene.decoder.last.json.ec_transfer_params).toEqual(JSON.parse(transferOf("beach")));
  });

  it.each([
    ["a list", '{"ec_transfer_params":[1]}'],
    ["a string", '{"ec_transfer_params":"x"}'],
    ["bytes that are not UTF-8", Buffer.from('{"ec_transfer_params":{"\xff":{}}}', "latin1")],
  ])("an encoder whose transfer parameters are %s counts as unreadable", async (_, answer) => {
    for (const encoder of encoders)
      encoder.answer = (_request, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(answer);
    const body = bodyOf(beach);
    expect((await send(body, byEncoders())).status).toBe(200);
    expect(scene.decoder.last.text).toBe(body);
    expect(await counted('pd_sidecar_local_encodes_total{reason="unreadable"}')).toBe(1);
  });

  it("ec-example: only the response status matters, and the decoder gets no transfer parameters", async () => {
    await restart(["--ec-connector=ec-example"]);
    for (const encoder of encoders) encoder.answer = json("not JSON");
    const body = bodyOf(beach, sea);
    expect((await send(body, byEncoders())).status).toBe(200);
    expect(asked().map((requests) => requests.length)).toEqual([1, 1]);
    expect(scene.decoder.last.text).toBe(body);
  });
});

describe("the decoder encodes the parts itself", () => {
  it.each<[string, string, string[], Record<string, string>, string]>([
    ["without the header", bodyOf(beach), ["--ec-connector=ec-nixl"], {}, "/v1/chat/completions"],
    ["without a connector", bodyOf(beach), [], byName(), "/v1/chat/completions"],
    ["for a chat of words", chat, ["--ec-connector=ec-nixl"], byName(), "/v1/chat/completions"],
    ["over another API", bodyOf(beach), ["--ec-connector=ec-nixl"], byName(), "/v1/messages"],
  ])("%s", async (_, body, args, headers, path) => {
    await restart(args);
    const given = headers["x-encoder-hosts-ports"] === undefined ? {} : byEncoders();
    expect((await send(body, given, path)).status).toBe(200);
    expect(asked()).toEqual([[], []]);
    expect(scene.decoder.last.text).toBe(body);
  });

  it("for an invalid address", async () => {
    expect((await send(bodyOf(beach), { "x-encoder-hosts-ports": "nobody" })).status).toBe(200);
    expect(await counted('pd_sidecar_local_encodes_total{reason="not-allowed"}')).toBe(1);
  });
});

function byName(): Record<string, string> {
  return { "x-encoder-hosts-ports": "those of the test" };
}

describe("an encoder that fails", () => {
  const body = bodyOf(beach, sea);

  it.each([
    ["server-error", json("{}", 500)],
    ["server-error", json("{}", 429)],
    ["unreadable", json("no object")],
  ])("does not fail the request (%s): the decoder encodes the parts", async (reason, answer) => {
    (encoders[0] as RecordingEngine).answer = answer;
    expect((await send(body, byEncoders())).status).toBe(200);
    expect(scene.decoder.last.text).toBe(body);
    expect(await counted(`pd_sidecar_local_encodes_total{reason="${reason}"}`)).toBe(1);
  });

  it("does not fail the request if it is unreachable", async () => {
    const gone = { "x-encoder-hosts-ports": "127.0.0.1:9" };
    expect((await send(body, gone)).status).toBe(200);
    expect(await counted('pd_sidecar_local_encodes_total{reason="unreachable"}')).toBe(1);
  });

  it("with 400 has its response relayed, and the other encode requests are cancelled", async () => {
    const [one, other] = encoders as [RecordingEngine, RecordingEngine];
    other.answer = () => {};
    one.answer = (request, response) => {
      const refuse = () =>
        other.requests.length > 0
          ? json('{"error":"no picture"}', 400)(request, response)
          : setTimeout(refuse, 5);
      refuse();
    };
    expect(await send(body, byEncoders())).toMatchObject({
      ...{ status: 400, text: '{"error":"no picture"}' },
    });
    await expect.poll(() => other.cancelled).toBe(1);
    expect(scene.decoder.requests).toEqual([]);
  });

  it("fails the request with --prefill-fallback=fail", async () => {
    await restart(["--ec-connector=ec-nixl", "--prefill-fallback=fail"]);
    (encoders[0] as RecordingEngine).answer = json('{"error":"broken"}', 500);
    expect(await send(body, byEncoders())).toMatchObject({ status: 500 });
    expect((await send(body, { "x-encoder-hosts-ports": "127.0.0.1:9" })).status).toBe(502);
    expect(scene.decoder.requests).toEqual([]);
  });

  it("without transfer parameters adds nothing to the decoder's request", async () => {
    (encoders[0] as RecordingEngine).answer = json('{"id":"e","ec_transfer_params":null}');
    await send(body, byEncoders());
    expect(scene.decoder.last.text).toBe(withTransfer(body, "sea"));
    for (const encoder of encoders) encoder.answer = json('{"ec_transfer_params":{}}');
    await send(body, byEncoders());
    expect(scene.decoder.last.text).toBe(body);
  });
});

it("a client that disconnects cancels the encode requests", async () => {
  for (const encoder of encoders) encoder.answer = () => {};
  const leaving = new AbortController();
  const sent = fetch(scene.urlOf("/v1/chat/completions"), {
    method: "POST",
    headers: { "content-type": "application/json", ...byEncoders() },
    body: bodyOf(beach, sea),
    signal: leaving.signal,
  }).catch(() => {});
  await expect.poll(() => asked().map((requests) => requests.length)).toEqual([1, 1]);
  leaving.abort();
  await sent;
  await expect.poll(() => encoders.map(({ cancelled }) => cancelled)).toEqual([1, 1]);
  expect(scene.decoder.requests).toEqual([]);
});
