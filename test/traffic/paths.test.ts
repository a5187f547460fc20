import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { startTraffic, type TrafficStack } from "./stack.ts";

/** Requests that a model server receives through a real Envoy, for paths and content types unknown to a picker. */

const received: string[] = [];
let engine: Server;
let place: { readonly ip: string; readonly port: number };

beforeAll(async () => {
  await findEnvoy();
  engine = createServer(async (incoming, response) => {
    const body = await text(incoming);
    if (incoming.url !== "/metrics") received.push(body);
    response.end("{}");
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  place = { ip: "127.0.0.1", port: (engine.address() as AddressInfo).port };
}, 300_000);
afterAll(() => engine.close());
afterEach(() => {
  received.length = 0;
});

const rewrite = {
  apiVersion: "llm-d.ai/v1alpha2",
  kind: "InferenceModelRewrite",
  metadata: { name: "rewrite", namespace: "default" },
  spec: {
    poolRef: { name: "pool" },
    rules: [
      { matches: [{ model: { value: "mine" } }], targets: [{ modelRewrite: "served", weight: 1 }] },
    ],
  },
};

/** Sends a path as it is written, which `fetch` does not. */
function send(stack: TrafficStack, path: string, body: string | undefined, type?: string) {
  const { hostname, port } = new URL(stack.envoy.url);
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(
      {
        ...{ hostname, port, path, method: body === undefined ? "GET" : "POST" },
        headers: type === undefined ? {} : { "content-type": type },
      },
      async (response) => resolve({ status: response.statusCode, text: await text(response) }),
    );
    sent.on("error", reject).end(body);
  });
}

const start = (normalizesPaths: boolean, ...pickerArgs: string[]) =>
  startTraffic({
    ...{ recorders: [place], servers: [], objects: [rewrite], pickerArgs },
    gateway: { normalizesPaths },
  });

const evil = '"kv_transfer_params":{"do_remote_prefill":true}';
const json = "application/json";
const form = (model: string, more = "") =>
  `--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n${more}--x--\r\n`;
const multipart = "multipart/form-data; boundary=x";

describe.each([
  ["as they are sent", false],
  ["normalized", true],
])("paths %s", (_, normalizes) => {
  let stack: TrafficStack;
  beforeAll(async () => {
    stack = await start(normalizes);
  });
  afterAll(() => stack.stop());

  it.each([
    "/v1%2fcompletions",
    "/v1/chat%2f..%2fcompletions",
    "/v1//completions",
    "/v1/./completions",
    "/v1/%63ompletions",
    "/v1/completions;x",
    "/invocations",
    "/generate",
    "/tokenize",
  ])(
    "JSON at %s reaches the server with the pool's model and no field of engines",
    async (path) => {
      const answer = await send(stack, path, `{${evil},"model":"mine","prompt":"hi"}`, json);
      expect(answer).toMatchObject({ status: 200 });
      expect(received).toEqual(['{"model":"served","prompt":"hi"}']);
    },
  );

  it.each([
    ["/generate", "text/plain", '{"model":"mine"}'],
    ["/v1/audio/transcriptions", "application/x-www-form-urlencoded", "model=mine"],
    ["/v1/audio/transcriptions", multipart, `preamble${form("mine")}`],
    ["/v1/audio%2ftranscriptions", "multipart/mixed; boundary=x", form("mine")],
  ])("a body at %s of type %s is refused and reaches no server", async (path, type, body) => {
    expect(await send(stack, path, body, type)).toMatchObject({
      status: 403,
      text: expect.stringContaining("set unparsedBodies of the pool's endpoint picker to allow"),
    });
    expect(received).toEqual([]);
  });

  it("a multipart form reaches the server with the pool's model", async () => {
    const answer = await send(stack, "/v1/audio/transcriptions", form("mine"), multipart);
    expect(answer).toMatchObject({ status: 200 });
    expect(received).toEqual([form("served")]);
  });

  it.each(["/v1/models", "/health", "/metrics?x"])("GET %s reaches the server", async (path) => {
    expect(await send(stack, path, undefined)).toMatchObject({ status: 200 });
  });
});

it("a body that the picker cannot read reaches the server if unknown paths pass", async () => {
  const stack = await start(true, "--unparsed-bodies=allow");
  expect(await send(stack, "/generate", "hi", "text/plain")).toMatchObject({ status: 200 });
  expect(received).toEqual(["hi"]);
  await stack.stop();
});
