import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decoded, events, json, RecordingEngine } from "./recording-engine.fixture.ts";
import { chat, SidecarScene, streamed } from "./sidecar-scene.fixture.ts";

const scene = new SidecarScene();
const { send, named, locally, restart } = scene;
beforeEach(() => scene.start());
afterEach(() => scene.stop());

/** Follows the sequences that the engines document; the engines here are fakes. */
describe("connectors with concurrent legs", () => {
  it("sglang: both engines get the request and the same bootstrap room", async () => {
    await restart(["--kv-connector=sglang", "--sglang-bootstrap-port=9000"]);
    expect((await send(streamed, named())).text).toBe(events.join(""));
    const { bootstrap_room: room } = scene.decoder.last.json;
    expect(Number.isSafeInteger(room)).toBe(true);
    for (const { json } of [scene.prefiller.last, scene.decoder.last])
      expect(json).toMatchObject({
        ...{ stream: true, max_tokens: 7 },
        ...{ bootstrap_host: "127.0.0.1", bootstrap_port: 9000, bootstrap_room: room },
      });
    await send(chat, named());
    expect(scene.decoder.last.json.bootstrap_room).not.toBe(room);
  });

  it("offloading: the decoder fetches the blocks of an id from the prefiller's tier", async () => {
    await restart(["--kv-connector=offloading"]);
    await send(chat, named());
    const params = scene.decoder.last.json.kv_transfer_params as Record<
      string,
      { kv_request_id: string }
    >;
    const id = params.remote_prefiller?.kv_request_id;
    expect(params).toEqual({
      remote_prefiller: { kv_request_id: id, remote_host: "127.0.0.1", remote_port: 7777 },
    });
    expect(scene.prefiller.last.json).toMatchObject({
      ...{ max_tokens: 1, stream: false },
      kv_transfer_params: { remote_decoder: { kv_request_id: id } },
    });
    expect(scene.decoder.last.json.max_tokens).toBe(7);
  });

  it("mooncake: the engine id is from the bootstrap server, without redirects or invalid ranks", async () => {
    const bootstrap = await new RecordingEngine(json('{"3":{"engine_id":"e3"}}')).start();
    try {
      await restart(["--kv-connector=mooncake", `--mooncake-bootstrap-port=${bootstrap.port}`]);
      await send(chat, named());
      expect(bootstrap.last.path).toBe("/query");
      const { transfer_id: id } = scene.decoder.last.json.kv_transfer_params as {
        transfer_id: string;
      };
      expect(id).toMatch(/^xfer-/);
      expect(scene.decoder.last.json.kv_transfer_params).toEqual({
        ...{ do_remote_prefill: true, do_remote_decode: false, transfer_id: id },
        ...{ remote_bootstrap_addr: `http://${bootstrap.address}`, remote_engine_id: "e3" },
      });
      expect(scene.prefiller.last.headers["x-data-parallel-rank"]).toBe("3");
      expect(scene.prefiller.last.json.kv_transfer_params).toMatchObject({ transfer_id: id });
      // A compromised prefiller cannot redirect the sidecar or inject headers.
      bootstrap.answer = (request, response) =>
        request.path === "/elsewhere"
          ? json('{"3":{"engine_id":"e4"}}')(request, response)
          : void response.writeHead(307, { location: "/elsewhere" }).end();
      expect((await send(chat, named())).status).toBe(200);
      bootstrap.answer = json('{"3\\r\\nx: y":{"engine_id":"e3"},"4":null}');
      expect((await send(chat, named())).status).toBe(200);
      expect(bootstrap.requests.map(({ path }) => path)).toEqual(["/query", "/query", "/query"]);
    } finally {
      await bootstrap.stop();
    }
    expect((await send(chat, named())).status).toBe(200);
    expect(await locally("unreachable")).toBe(3);
  });

  it.each(["sglang", "offloading"])(
    "%s: a failed prefill cancels the waiting decode",
    async (name) => {
      await restart([`--kv-connector=${name}`]);
      scene.prefiller.answer = json("{}", 500);
      scene.decoder.answer = (request, response) => {
        // Like an engine, does not respond to a request that waits for blocks.
        if (/bootstrap_room|kv_transfer_params/.test(request.text)) return;
        decoded(request, response);
      };
      expect((await send(chat, named())).status).toBe(200);
      await expect.poll(() => scene.decoder.cancelled).toBe(1);
      expect(scene.decoder.last.text).toBe(chat);
    },
  );

  it("sglang: a failed decode cancels the prefill", async () => {
    await restart(["--kv-connector=sglang"]);
    scene.prefiller.answer = () => {};
    scene.decoder.answer = (request, response) =>
      request.text === chat ? decoded(request, response) : json("{}", 500)(request, response);
    expect((await send(chat, named())).status).toBe(200);
    await expect.poll(() => scene.prefiller.cancelled).toBe(1);
  });
});

it("shared-storage: the prefiller runs first, and the decoder gets the client's request unchanged", async () => {
  await restart(["--kv-connector=shared-storage"]);
  await send(chat, named());
  expect(scene.prefiller.last.json).toMatchObject({ max_tokens: 1, stream: false });
  expect(scene.decoder.last.text).toBe(chat);
});
