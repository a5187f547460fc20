import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { decoded, events, transfer } from "./recording-engine.fixture.ts";
import { chat, SidecarScene, streamed } from "./sidecar-scene.fixture.ts";

/** Engine responses that are split, changed and cut at random positions. */

const scene = new SidecarScene();
const { send, named } = scene;
let server: Server;
let serve: (socket: Socket) => void;
let address: string;

beforeAll(async () => {
  await scene.start();
  server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => serve(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await scene.stop();
});

/** Writes each piece in its own turn of the event loop. */
async function writeAll(
  to: { write(piece: Buffer): boolean; readonly destroyed: boolean },
  pieces: readonly Buffer[],
): Promise<void> {
  for (const piece of pieces) {
    if (to.destroyed) return;
    to.write(piece);
    await new Promise(setImmediate);
  }
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set(at.map((each) => each % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const places = fc.array(fc.nat(), { maxLength: 5 });

const json = `{"id":"p","kv_transfer_params":${transfer},"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}}`;
const answers = [
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
  `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`,
  `HTTP/1.0 200 OK\r\n\r\n${json}`,
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 503 No\r\nretry-after: 1\r\ncontent-length: 2\r\n\r\n{}`,
];

const prefills = fc.record({
  answer: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...answers).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  ),
  changes: fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 3 })), { maxLength: 2 }),
  kept: fc.option(fc.nat()),
  splits: places,
  end: fc.constantFrom("end", "reset"),
});

it("the client gets the decoder's response or the prefiller's refusal, whatever bytes the prefiller sends", async () => {
  await fc.assert(
    fc.asyncProperty(prefills, async ({ answer, changes, kept, splits, end }) => {
      let bytes = answer;
      for (const [at, put] of changes) {
        const place = at % (bytes.length + 1);
        bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + put.length)]);
      }
      if (kept !== null) bytes = bytes.subarray(0, kept % (bytes.length + 1));
      serve = (socket) =>
        void writeAll(socket, cut(bytes, splits)).then(() =>
          end === "end" ? socket.end() : socket.resetAndDestroy(),
        );
      const { status, text, headers } = await send(chat, named(address));
      if (status !== 200) {
        // The prefiller refused the request with this status.
        expect(bytes.toString("latin1")).toContain(`HTTP/1.1 ${status}`);
        expect([400, 413, 415, 422]).toContain(status);
        return;
      }
      expect(JSON.parse(text)).toMatchObject({ id: "d", choices: [{ text: "a" }] });
      const handedOver = scene.decoder.last.text !== chat;
      expect(headers["x-prefilled-by"]).toBe(handedOver ? address : undefined);
      expect(headers["x-prefill-failed"] === undefined).toBe(handedOver);
      if (handedOver) expect(scene.decoder.last.json.kv_transfer_params).toBeTypeOf("object");
    }),
    { numRuns: 150 },
  );
  expect(await scene.counted("pd_sidecar_requests_running")).toBe(0);
}, 120_000);

const usage = (cached: number) =>
  `"usage":{"prompt_tokens":189,"prompt_tokens_details":{"cached_tokens":${cached}}}`;

/** Event streams with a given number of cached tokens. */
const streams: ReadonlyArray<(cached: number) => string> = [
  (cached) => events.join("").replace("189}}", `${cached}}}`),
  (cached) => `data: {"choices":[],${usage(cached)}}\r\n\r\ndata: [DONE]\r\n\r\n`,
  (cached) => `data:{"choices":[],${usage(cached)}}\n\ndata:[DONE]\n\n`,
  (cached) => `:\n\nevent: x\nid: 1\ndata: {"a":"\u00e9\u{1f600}\\n",${usage(cached)}}\n\n`,
  (cached) => `data: {${usage(cached)},"choices":[{"delta":{"content":"\\"usage\\":{}"}}]}`,
  () => `data: {"error":{"message":"no","code":500}}\n\ndata: [DONE]\n\n`,
  () => "data: {\ndata: }\n\n\n\n\ndata\n\n: [DONE]",
];

it("only the number of cached tokens changes, however the decoder's stream is split", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...streams), places, async (stream, splits) => {
      scene.decoder.answer = async (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        await writeAll(response, cut(Buffer.from(stream(189)), splits));
        response.end();
      };
      const { status, text } = await send(streamed, named());
      expect([status, text]).toEqual([200, stream(32)]);
    }),
    { numRuns: 80 },
  );
  scene.decoder.answer = decoded;
}, 120_000);

it("a client can send its whole body and gets 503 although no engine reads it", async () => {
  const body = "x".repeat(16 * 2 ** 20);
  await scene.decoder.stop();
  const { status } = await send(body, { "content-type": "text/plain" }, "/upload");
  expect(status).toBe(503);
}, 120_000);
