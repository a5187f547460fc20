import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Answer, decoded, events, prefilled } from "./recording-engine.fixture.ts";
import { SidecarScene, streamed } from "./sidecar-scene.fixture.ts";

/** Clients that disconnect at any moment. */

const scene = new SidecarScene();
beforeAll(() => scene.start());
afterAll(() => scene.stop());
afterEach(() => {
  scene.prefiller.answer = prefilled;
  scene.decoder.answer = decoded;
  for (const engine of [scene.prefiller, scene.decoder]) engine.requests.length = 0;
});

/** Opens a connection to the sidecar and writes `text`. */
function client(text: string, host = "127.0.0.1"): Socket {
  const socket = connect(scene.sidecar.ports.serving[0] as number, host, () => socket.write(text));
  return socket.on("error", () => {});
}

const asking = (body: string, ...headers: readonly string[]) =>
  [
    ...["POST /v1/chat/completions HTTP/1.1", "host: a", "content-type: application/json"],
    ...[`content-length: ${body.length}`, ...headers, "", body],
  ].join("\r\n");
const byPrefiller = () => asking(streamed, `x-prefiller-host-port: ${scene.prefiller.address}`);

const running = () => scene.counted("pd_sidecar_requests_running");

const delayed =
  (milliseconds: number, answer: Answer): Answer =>
  async (request, response) => {
    await sleep(milliseconds);
    answer(request, response);
  };

/** Sends an event every 10 ms. */
const slowly: Answer = async (_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  for (const event of events) {
    await sleep(10);
    response.write(event);
  }
  response.end();
};

describe("a client that disconnects", () => {
  it("leaves no running request at any moment, and the next client is served", async () => {
    scene.prefiller.answer = delayed(20, prefilled);
    scene.decoder.answer = delayed(20, slowly);
    const leaving = Array.from({ length: 60 }, async (_, at) => {
      const socket = client(byPrefiller());
      await sleep(2 * at);
      socket.destroy();
    });
    await Promise.all(leaving);
    await expect.poll(running).toBe(0);
    const answer = await scene.send(streamed, scene.named());
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("[DONE]");
  });

  it.each<[when: string, asked: number, leave: (socket: Socket) => void]>([
    [
      "the prefiller has the request",
      0,
      (socket) => {
        scene.prefiller.answer = () => socket.destroy();
      },
    ],
    [
      "the decoder has the request",
      1,
      (socket) => {
        scene.decoder.answer = () => socket.destroy();
      },
    ],
    [
      "the response has started",
      1,
      (socket) => {
        scene.decoder.answer = (_, response) =>
          void response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        socket.once("data", () => socket.destroy());
      },
    ],
  ])("cancels the engine's request when %s", async (_, asked, leave) => {
    const engine = asked === 0 ? scene.prefiller : scene.decoder;
    const before = engine.cancelled;
    const socket = client("");
    await once(socket, "connect");
    leave(socket);
    socket.write(byPrefiller());
    await expect.poll(() => engine.cancelled - before).toBe(1);
    await expect.poll(running).toBe(0);
    expect(scene.decoder.requests.length).toBe(asked);
  });

  it("sends no request to an engine before its own request is complete", async () => {
    const whole = byPrefiller();
    for (const part of [10, whole.indexOf("\r\n\r\n") + 4, whole.length - 1]) {
      const socket = client(whole.slice(0, part));
      await once(socket, "connect");
      await sleep(20);
      socket.destroy();
    }
    await expect.poll(running).toBe(0);
    expect([...scene.prefiller.requests, ...scene.decoder.requests]).toEqual([]);
  });

  it("closes the connection to a prefiller that does not read", async () => {
    // Accepts a connection, but does not read from it.
    const opened: Socket[] = [];
    const full = createServer((socket) => opened.push(socket.pause()));
    full.listen(0, "127.0.0.1");
    await once(full, "listening");
    const { port } = full.address() as { port: number };
    const before = scene.decoder.requests.length;
    const socket = client(asking(streamed, `x-prefiller-host-port: 127.0.0.1:${port}`));
    await expect.poll(() => opened.length).toBe(1);
    const [held] = opened as [Socket];
    held.resume();
    const closed = once(held, "close");
    socket.destroy();
    await closed;
    await expect.poll(running).toBe(0);
    expect(scene.decoder.requests.length).toBe(before);
    full.close();
  });

  it("counts as disconnected even if it closes only its own half of the connection", async () => {
    scene.decoder.answer = () => {};
    const before = scene.decoder.cancelled;
    const socket = client("");
    await once(socket, "connect");
    socket.end(asking(streamed));
    await expect.poll(() => scene.decoder.requests.length).toBe(1);
    await expect.poll(() => scene.decoder.cancelled - before).toBe(1);
    await expect.poll(running).toBe(0);
  });
});
