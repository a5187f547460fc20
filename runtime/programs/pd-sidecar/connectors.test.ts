import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decoded, events, json, RecordingEngine } from "./recording-engine.fixture.ts";
import { chat, SidecarScene, streamed } from "./sidecar-scene.fixture.ts";

const scene = new SidecarScene();
const { send, named, locally, restart } = scene;
beforeEach(() => scene.start());
afterEach(() => scene.stop());

/** By the sequences that their engines document; engines of these kinds do not run here. */
describe("connectors whose legs run at once", () => {
  it("sglang: both engines get the request, and a room to meet in", async () => {
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

  it("offloading: the decoder asks the prefiller's tier for the blocks of an id", async () => {
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

  it("mooncake: the bootstrap server names the engine", async () => {
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
      // A prefiller that was taken over leads nowhere else, and what it says goes into no header.
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
    "%s: a prefiller that fails ends the decoder's wait",
    async (name) => {
      await restart([`--kv-connector=${name}`]);
      scene.prefiller.answer = json("{}", 500);
      scene.decoder.answer = (request, response) => {
        // It waits for the blocks, as an engine does, until it is asked to prefill.
        if (/bootstrap_room|kv_transfer_params/.test(request.text)) return;
        decoded(request, response);
      };
      expect((await send(chat, named())).status).toBe(200);
      await expect.poll(() => scene.decoder.cancelled).toBe(1);
      expect(scene.decoder.last.text).toBe(chat);
    },
  );

  it("sglang: a decoder that fails ends the prefill", async () => {
    await restart(["--kv-connector=sglang"]);
    scene.prefiller.answer = () => {};
    scene.decoder.answer = (request, response) =>
      request.text === chat ? decoded(request, response) : json("{}", 500)(request, response);
    expect((await send(chat, named())).status).toBe(200);
    await expect.poll(() => scene.prefiller.cancelled).toBe(1);
  });
});

it("shared-storage: the prefiller first, and the decoder is told nothing", async () => {
  await restart(["--kv-connector=shared-storage"]);
  await send(chat, named());
  expect(scene.prefiller.last.json).toMatchObject({ max_tokens: 1, stream: false });
  expect(scene.decoder.last.text).toBe(chat);
});
