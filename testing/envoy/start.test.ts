import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FixedPicker, startFixedPicker } from "../ext-proc/fixed-picker.ts";
import { fromStruct } from "../ext-proc/messages.ts";
import { findEnvoy } from "./install.ts";
import { type Envoy, type EnvoyOptions, type InferencePool, startEnvoy } from "./start.ts";

const poolOf = (name: string, failureMode = "FailClose"): InferencePool => ({
  metadata: { name, namespace: "ml" },
  spec: {
    selector: { matchLabels: { app: name } },
    targetPorts: [{ number: 8000 }],
    endpointPickerRef: { name: "epp", port: { number: 9002 }, failureMode },
  },
});

const backend = (name: string, weight = 1) => ({
  group: "inference.networking.k8s.io",
  kind: "InferencePool",
  name,
  weight,
});

const route = (...rules: object[]) => ({
  metadata: { name: "route", namespace: "ml" },
  spec: { parentRefs: [{ name: "gateway" }], rules },
});

/** Echoes every request. */
async function startPod(name: string) {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, method, url, headers, body: await text(request) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Seen {
  name: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

describe("gateway", () => {
  let one: { server: Server; address: string };
  let two: { server: Server; address: string };
  let picker: FixedPicker;
  const running: Envoy[] = [];

  const start = async (options: EnvoyOptions) => {
    const envoy = await startEnvoy(options);
    running.push(envoy);
    return envoy;
  };
  const post = async (envoy: Envoy, path = "/v1/completions", headers: object = {}) => {
    const response = await fetch(envoy.url + path, {
      method: "POST",
      body: "prompt",
      headers: { ...headers },
    });
    const answer = await response.text();
    return {
      status: response.status,
      seen: response.ok ? (JSON.parse(answer) as Seen) : undefined,
    };
  };

  beforeAll(async () => {
    await findEnvoy();
    [one, two] = await Promise.all([startPod("one"), startPod("two")]);
    picker = await startFixedPicker(one.address);
  }, 300_000);
  afterAll(async () => {
    picker.stop();
    for (const { server } of [one, two]) server.close();
    for (const envoy of running) await envoy.stop();
  });

  it("sends a request to the picked endpoint, and logs it", async () => {
    const envoy = await start({
      httpRoutes: [route({ backendRefs: [backend("a")] })],
      pools: [{ pool: poolOf("a"), picker: picker.address, tls: false }],
    });
    const { status, seen } = await post(envoy);
    expect(status).toBe(200);
    expect(seen).toMatchObject({ name: "one", url: "/v1/completions", body: "prompt" });
    expect(seen?.headers["x-gateway-destination-endpoint"]).toBe(one.address);
    const [entry] = await envoy.accessLog(1);
    expect(entry).toMatchObject({
      method: "POST",
      path: "/v1/completions",
      status: 200,
      upstream: one.address,
      picked: one.address,
    });
    const messages = picker.received.map((message) => Object.keys(message)[0]);
    expect(new Set(messages)).toEqual(
      new Set(["requestHeaders", "requestBody", "responseHeaders", "responseBody"]),
    );
    expect(picker.received[0]?.protocolConfig).toEqual({
      requestBodyMode: "FULL_DUPLEX_STREAMED",
      responseBodyMode: "FULL_DUPLEX_STREAMED",
    });
    expect(await envoy.stats("http.gateway.ext_proc.streams_started")).toEqual({
      "http.gateway.ext_proc.streams_started": 1,
    });
  });

  it("follows matches, filters and weights of the route, and speaks TLS to pickers", async () => {
    const other = await startFixedPicker(two.address, { tls: true });
    const envoy = await start({
      httpRoutes: [
        route(
          { backendRefs: [backend("a")] },
          {
            matches: [{ path: { value: "/b" } }],
            filters: [
              {
                type: "URLRewrite",
                urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
              },
              {
                type: "RequestHeaderModifier",
                requestHeaderModifier: { set: [{ name: "x-team", value: "b" }] },
              },
            ],
            backendRefs: [backend("b"), backend("a", 0)],
          },
          {
            matches: [{ headers: [{ name: "x-pool", value: "b" }] }],
            backendRefs: [backend("b")],
          },
        ),
      ],
      pools: [
        { pool: poolOf("a"), picker: picker.address, tls: false },
        { pool: poolOf("b"), picker: other.address },
      ],
    });
    expect((await post(envoy)).seen?.name).toBe("one");
    expect((await post(envoy, "/bc")).seen?.name).toBe("one");
    const { seen } = await post(envoy, "/b/v1/chat/completions");
    expect(seen).toMatchObject({ name: "two", url: "/v1/chat/completions" });
    expect(seen?.headers["x-team"]).toBe("b");
    expect((await post(envoy, "/v1", { "x-pool": "b" })).seen?.name).toBe("two");
    other.stop();
  });

  it("if the pool has a list of endpoints, reports the serving one and falls back to one of them", async () => {
    const envoy = await start({
      httpRoutes: [route({ backendRefs: [backend("a")] })],
      pools: [
        {
          pool: poolOf("a"),
          picker: picker.address,
          tls: false,
          endpoints: [two.address, one.address],
        },
      ],
      subsetHint: [one.address],
    });
    const before = picker.received.length;
    expect((await post(envoy)).seen?.name).toBe("one");
    const messages = picker.received.slice(before);
    const metadataOf = (key: "requestHeaders" | "responseHeaders", namespace: string) => {
      const message = messages.find((message) => message[key] !== undefined);
      const struct = message?.metadataContext?.filterMetadata[namespace];
      return struct && fromStruct(struct);
    };
    expect(metadataOf("requestHeaders", "envoy.lb.subset_hint")).toEqual({
      "x-gateway-destination-endpoint-subset": [one.address],
    });
    expect(metadataOf("responseHeaders", "envoy.lb")).toMatchObject({
      "x-gateway-destination-endpoint-served": one.address,
    });
  });

  it("without a picker, refuses or serves requests as the pool's failureMode defines", async () => {
    const gone = await startFixedPicker(one.address);
    gone.stop();
    const pools = (["FailClose", "FailOpen"] as const).map((failureMode) => ({
      pool: poolOf(failureMode.toLowerCase(), failureMode),
      picker: gone.address,
      tls: false,
      endpoints: [two.address],
    }));
    const envoy = await start({
      httpRoutes: [
        route(
          { matches: [{ path: { value: "/open" } }], backendRefs: [backend("failopen")] },
          { backendRefs: [backend("failclose")] },
        ),
      ],
      pools,
    });
    expect((await post(envoy)).status).toBe(500);
    // Envoy does not keep a full-duplex body after sending it, so it lets only requests without a body through.
    const open = await fetch(`${envoy.url}/open`);
    expect(await open.json()).toMatchObject({ name: "two" });
  });

  it.each(["STREAMED", "BUFFERED", "NONE"] as const)("announces body mode %s", async (bodyMode) => {
    const before = picker.received.length;
    const envoy = await start({
      httpRoutes: [route({ backendRefs: [backend("a")] })],
      pools: [{ pool: poolOf("a"), picker: picker.address, tls: false }],
      bodyMode,
      responsePhase: false,
    });
    const response = await fetch(`${envoy.url}/v1/models`);
    expect(response.status).toBe(200);
    // NONE is the zero value of the enum and so not written; the field itself is there.
    expect(picker.received[before]?.protocolConfig).toEqual(
      bodyMode === "NONE" ? {} : { requestBodyMode: bodyMode },
    );
    expect(picker.received).toHaveLength(before + 1);
  });

  it("does not start if a route names an unknown pool", async () => {
    await expect(
      startEnvoy({
        httpRoutes: [route({ backendRefs: [backend("c")] })],
        pools: [{ pool: poolOf("a"), picker: picker.address }],
      }),
    ).rejects.toThrow("an HTTPRoute names InferencePool ml/c, known are InferencePool ml/a");
  });
});
