import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { events, json, type Recorded, RecordingEngine } from "./recording-engine.fixture.ts";
import { chat, SidecarScene } from "./sidecar-scene.fixture.ts";

/**
 * Encoders before prefillers and decoders, by the sequence of llm-d's sidecar (pkg/sidecar/proxy, connector_ec_*.go): engines
 * that encode do not run here.
 */

const scene = new SidecarScene();
const { send, named, counted, restart } = scene;
let encoders: RecordingEngine[];

/** What an encoder hands over of a part: by its hash, with digits that no double holds. */
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

describe("a chat with pictures and sounds", () => {
  it("has each part encoded on its own, and the decoder is told where", async () => {
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

  it("is then prefilled and decoded, and both are told", async () => {
    const body = bodyOf(beach).replace('"max_tokens":7', '"max_tokens":7,"stream":true');
    const answer = await send(body, { ...byEncoders(), ...named() });
    expect(answer.text).toBe(events.join("").replace('"cached_tokens":189', '"cached_tokens":32'));
    for (const { text } of [scene.prefiller.last, scene.decoder.last])
      expect(text).toContain(`"ec_transfer_params":${transferOf("beach")}`);
    expect(scene.prefiller.last.json).toMatchObject({ max_tokens: 1, stream: false });
    expect(scene.decoder.last.json.kv_transfer_params).toBeDefined();
  });

  it("has what stands behind one link encoded once, and encoders take turns", async () => {
    const other = beach.replace("}}", ',"detail":"low"}}');
    await send(bodyOf(beach, other, sea, sea), byEncoders());
    expect(asked().map((requests) => requests.length)).toEqual([1, 1]);
    const pictures = Array.from({ length: 40 }, (_, at) => beach.replace("beach", `${at}`));
    await send(bodyOf(...pictures), byEncoders());
    expect(asked().map((requests) => requests.length)).toEqual([21, 21]);
  });

  it("has limits of its own only where the client has them, and no field that only engines may set", async () => {
    const body = bodyOf(beach).replace(
      '"max_tokens":7',
      '"max_completion_tokens":7,"stream_options":{},"ec_transfer_params":{"x":1}',
    );
    await send(body, byEncoders());
    expect(encoders[0]?.last.json).toMatchObject({ max_completion_tokens: 1, max_tokens: 1 });
    expect(encoders[0]?.last.text).not.toMatch(/stream_options|ec_transfer_params|min_tokens/);
    expect(scene.decoder.last.json.ec_transfer_params).toEqual(JSON.parse(transferOf("beach")));
  });

  it("ec-example: the answer's status alone counts, and nobody is told anything", async () => {
    await restart(["--ec-connector=ec-example"]);
    for (const encoder of encoders) encoder.answer = json("not JSON");
    const body = bodyOf(beach, sea);
    expect((await send(body, byEncoders())).status).toBe(200);
    expect(asked().map((requests) => requests.length)).toEqual([1, 1]);
    expect(scene.decoder.last.text).toBe(body);
  });
});

describe("nobody encodes elsewhere", () => {
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

  it("for an address that is none", async () => {
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
  ])("costs no request, for reason %s: the others encode", async (reason, answer) => {
    (encoders[0] as RecordingEngine).answer = answer;
    expect((await send(body, byEncoders())).status).toBe(200);
    expect(scene.decoder.last.text).toBe(body);
    expect(await counted(`pd_sidecar_local_encodes_total{reason="${reason}"}`)).toBe(1);
  });

  it("an encoder that is not there costs no request", async () => {
    const gone = { "x-encoder-hosts-ports": "127.0.0.1:9" };
    expect((await send(body, gone)).status).toBe(200);
    expect(await counted('pd_sidecar_local_encodes_total{reason="unreachable"}')).toBe(1);
  });

  it("by the client's own mistake is passed on, and ends the others", async () => {
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

  it("is told to the client with --prefill-fallback=fail", async () => {
    await restart(["--ec-connector=ec-nixl", "--prefill-fallback=fail"]);
    (encoders[0] as RecordingEngine).answer = json('{"error":"broken"}', 500);
    expect(await send(body, byEncoders())).toMatchObject({ status: 500 });
    expect((await send(body, { "x-encoder-hosts-ports": "127.0.0.1:9" })).status).toBe(502);
    expect(scene.decoder.requests).toEqual([]);
  });

  it("hands nothing over: the others are told of those that did", async () => {
    (encoders[0] as RecordingEngine).answer = json('{"id":"e","ec_transfer_params":null}');
    await send(body, byEncoders());
    expect(scene.decoder.last.text).toBe(withTransfer(body, "sea"));
    for (const encoder of encoders) encoder.answer = json('{"ec_transfer_params":{}}');
    await send(body, byEncoders());
    expect(scene.decoder.last.text).toBe(body);
  });
});

it("a client that goes ends the encoders' requests", async () => {
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
