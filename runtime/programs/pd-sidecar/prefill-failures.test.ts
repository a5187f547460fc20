import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decoded, events, json, prefilled, RecordingEngine } from "./recording-engine.fixture.ts";
import { chat, SidecarScene, streamed } from "./sidecar-scene.fixture.ts";

const scene = new SidecarScene();
const { send, named, counted, locally, restart } = scene;
beforeEach(() => scene.start());
afterEach(() => scene.stop());

describe("a prefiller that fails", () => {
  it.each([
    ["returns 500", json("{}", 500), "server-error"],
    ["is overloaded", json("{}", 429), "server-error"],
    ["returns no JSON", json("<html>"), "unreadable"],
    ["transfers nothing", json('{"kv_transfer_params":null}'), "no-transfer"],
    [
      "breaks off",
      (_: unknown, response: { destroy(): void }) => void response.destroy(),
      "unreachable",
    ],
  ])("%s: the decoder prefills", async (_, answer, reason) => {
    scene.prefiller.answer = answer as RecordingEngine["answer"];
    const { status, headers } = await send(chat, named());
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty("x-prefilled-by");
    expect(headers["x-prefill-failed"]).toBe(`${scene.prefiller.address} ${reason}`);
    expect(scene.decoder.requests.map(({ text }) => text)).toEqual([chat]);
    expect(await locally(reason)).toBe(1);
  });

  it("does not listen: the decoder prefills", async () => {
    const gone = scene.prefiller.address;
    await scene.prefiller.stop();
    scene.prefiller = await new RecordingEngine(prefilled).start();
    expect((await send(chat, named(gone))).status).toBe(200);
    expect(await locally("unreachable")).toBe(1);
  });

  it("exceeds --prefill-timeout: the decoder prefills", async () => {
    await restart(["--prefill-timeout=50ms"]);
    scene.prefiller.answer = () => {};
    expect((await send(chat, named())).status).toBe(200);
    await expect.poll(() => scene.prefiller.cancelled).toBe(1);
  });

  it("returns 400: the client gets that response", async () => {
    scene.prefiller.answer = json('{"error":"too long"}', 400);
    expect(await send(chat, named())).toMatchObject({ status: 400, text: '{"error":"too long"}' });
    expect(scene.decoder.requests).toEqual([]);
  });

  it("refuses with a cookie and a redirect: the client gets neither", async () => {
    scene.prefiller.answer = (_, response) => {
      response.writeHead(400, {
        ...{ "content-type": "application/json", "set-cookie": "a=b", location: "http://evil" },
        ...{ refresh: "0", "alt-svc": "h3", "x-gateway-destination-endpoint": "1.2.3.4:80" },
      });
      response.end("{}");
    };
    const { status, headers } = await send(chat, named());
    expect(status).toBe(400);
    expect(Object.keys(headers).sort()).toEqual([
      ...["connection", "content-length", "content-type", "date", "keep-alive"],
    ]);
  });

  it("gets up to --prefill-max-retries retries", async () => {
    await restart(["--prefill-max-retries=2", "--prefill-retry-backoff=1ms"]);
    scene.prefiller.answer = (request, response) =>
      scene.prefiller.requests.length < 3
        ? json("{}", 503)(request, response)
        : prefilled(request, response);
    expect((await send(chat, named())).headers["x-prefilled-by"]).toBe(scene.prefiller.address);
    expect(scene.prefiller.requests).toHaveLength(3);
  });

  it("fails the request with --prefill-fallback=fail", async () => {
    await restart(["--prefill-fallback=fail"]);
    scene.prefiller.answer = json('{"error":"mine"}', 500);
    expect(await send(chat, named())).toMatchObject({ status: 500, text: '{"error":"mine"}' });
    expect(await send(chat, named("127.0.0.1:1"))).toMatchObject({
      status: 502,
      headers: { "x-prefill-failed": "127.0.0.1:1 unreachable" },
    });
    expect(scene.decoder.requests).toEqual([]);
  });
});

describe("a decoder that fails", () => {
  it("gets one retry, without the transfer", async () => {
    scene.decoder.answer = (request, response) =>
      "kv_transfer_params" in request.json
        ? json("{}", 500)(request, response)
        : decoded(request, response);
    expect(await send(chat, named())).toMatchObject({
      status: 200,
      headers: { "x-prefill-failed": `${scene.prefiller.address} transfer` },
    });
    expect(scene.decoder.requests.map(({ text }) => text.includes("kv_transfer_params"))).toEqual([
      true,
      false,
    ]);
    expect(await counted("pd_sidecar_decode_retries_total")).toBe(1);
  });

  it("gets no second retry", async () => {
    scene.decoder.answer = json('{"error":"x"}', 500);
    const { status, text, headers } = await send(chat, named());
    expect([status, text]).toEqual([500, '{"error":"x"}']);
    // The decoder fails without the prefiller too.
    expect(headers).not.toHaveProperty("x-prefill-failed");
    expect(scene.decoder.requests).toHaveLength(2);
  });

  it("breaks off in the middle: the client's response is aborted", async () => {
    scene.decoder.answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events[0]);
      setImmediate(() => response.destroy());
    };
    await expect(send(streamed, named())).rejects.toThrow();
    expect(scene.decoder.requests).toHaveLength(1);
  });
});
