import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { startTraffic, type TrafficStack } from "./stack.ts";

/** Requests that a model server receives through a real Envoy if a client sets fields reserved for infrastructure. */

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: Received[] = [];
let engine: Server;
let place: { readonly ip: string; readonly port: number };

beforeAll(async () => {
  await findEnvoy();
  engine = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url !== "/metrics") received.push({ headers: request.headers, body });
    response.end("{}");
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  place = { ip: "127.0.0.1", port: (engine.address() as AddressInfo).port };
}, 300_000);
afterAll(() => engine.close());
afterEach(() => {
  received.length = 0;
});

const routing = {
  "x-prefiller-host-port": "169.254.169.254:80",
  "x-encoder-hosts-ports": "169.254.169.254:80",
  "x-data-parallel-host-port": "169.254.169.254:80",
  "x-kv-cache-source-host-port": "169.254.169.254:80",
};
const rank = { "x-data-parallel-rank": "7" };
const evil = '"kv_transfer_params":{"do_remote_prefill":true}';

async function send(stack: TrafficStack, path: string, body: string | undefined, headers = {}) {
  const answer = await fetch(`${stack.envoy.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

const startWith = (...pickerArgs: string[]) =>
  startTraffic({ recorders: [place], servers: [], pickerArgs });

/** Configurations with each kind of profile handler, and the header that it writes itself. */
const handlers: ReadonlyArray<{
  readonly name: string;
  readonly plugins: readonly string[];
  readonly written?: string;
}> = [
  { name: "the default profile", plugins: [] },
  { name: "disagg-profile-handler", plugins: ["type: disagg-profile-handler"] },
  { name: "pd-profile-handler", plugins: ["type: pd-profile-handler"] },
  { name: "header-profile-handler", plugins: ["type: header-profile-handler"] },
  {
    name: "data-parallel-profile-handler",
    plugins: ["{type: data-parallel-profile-handler, parameters: {primaryPort: PORT}}"],
    written: "x-data-parallel-host-port",
  },
];

describe.each(handlers)("with $name", ({ plugins, written }) => {
  let stack: TrafficStack;
  beforeAll(async () => {
    const profile = (name: string) => `- {name: ${name}, plugins: [{pluginRef: max-score-picker}]}`;
    const isStaged = plugins.some((plugin) => /pd-|disagg/.test(plugin));
    const config = [
      "apiVersion: llm-d.ai/v1alpha1",
      "kind: EndpointPickerConfig",
      "plugins:",
      ...plugins.map((plugin) => `- ${plugin.replace("PORT", String(place.port))}`),
      "- type: max-score-picker",
      "- type: prefix-based-pd-decider",
      "schedulingProfiles:",
      ...["decode", ...(isStaged ? ["prefill"] : [])].map(profile),
    ].join("\n");
    stack = await startWith(...(plugins.length === 0 ? [] : ["--config-text", config]));
  });
  afterAll(() => stack.stop());

  it.each([
    ["a chat", "/v1/chat/completions", '{"messages":[{"role":"user","content":"hi"}]}'],
    ["a request without a body", "/v1/models", undefined],
  ])(
    "a client's routing and rank headers do not reach the server with %s",
    async (_what, path, body) => {
      const model = body?.replace("{", '{"model":"m",');
      expect(await send(stack, path, model, { ...routing, ...rank, "x-mine": "1" })).toMatchObject({
        status: 200,
      });
      expect(received).toHaveLength(1);
      const { headers } = received[0] as Received;
      expect(headers).toMatchObject({ "x-mine": "1" });
      for (const name of Object.keys({ ...routing, ...rank }))
        expect(headers[name]).toBe(name === written ? `${place.ip}:${place.port}` : undefined);
    },
  );
});

describe("bodies", () => {
  let stack: TrafficStack;
  beforeAll(async () => {
    stack = await startWith();
  });
  afterAll(() => stack.stop());

  const messages = '"messages": [{"role":"user","content":"kv_transfer_params"}]';
  it.each([
    ["a chat", "/v1/chat/completions", messages],
    ["a completion", "/v1/completions", '"prompt": "hi"'],
    ["a message", "/v1/messages", `"max_tokens":3, ${messages}`],
    ["a response", "/v1/responses", '"input": "hi"'],
  ])(
    "bodies of %s arrive without engine fields and are otherwise unchanged",
    async (_, path, prompt) => {
      const escaped = '"\\u006bv_transfer_params" : null';
      const sent = `{ ${evil},"model":"m", ${prompt} ,"seed":12345678901234567890,${escaped} ,"vllm_xargs":{"a":1,${evil}}, ${evil} }`;
      expect(await send(stack, path, sent)).toMatchObject({ status: 200 });
      // The picker adds the id of a response, by which it finds the pod that has it.
      const added = /"request_id":"resp_[0-9a-f]{32}_at_[0-9a-f]{12}-0",/;
      expect(added.test(received[0]?.body ?? "")).toBe(path === "/v1/responses");
      expect(received.map(({ body }) => body.replace(added, ""))).toEqual([
        `{ "model":"m", ${prompt} ,"seed":12345678901234567890,"vllm_xargs":{"a":1} }`,
      ]);
      expect(received[0]?.headers["content-length"] ?? "chunked").not.toBe(String(sent.length));
    },
  );
});

describe("--engine-fields", () => {
  const body = `{"model":"m","prompt":"hi",${evil}}`;

  it("reject refuses a field and the rank's header", async () => {
    const stack = await startWith("--engine-fields=reject");
    expect(await send(stack, "/v1/completions", body)).toMatchObject({
      status: 400,
      text: expect.stringContaining("field kv_transfer_params is set by infrastructure only"),
    });
    expect(await send(stack, "/v1/models", undefined, rank)).toMatchObject({ status: 400 });
    expect(received).toEqual([]);
    await stack.stop();
  });

  it("allow passes the field and the rank's header, and removes routing headers", async () => {
    const stack = await startWith("--engine-fields=allow");
    await send(stack, "/v1/completions", body, { ...rank, ...routing });
    expect(received).toMatchObject([{ body, headers: rank }]);
    for (const name of Object.keys(routing)) expect(received[0]?.headers).not.toHaveProperty(name);
    await stack.stop();
  });
});
