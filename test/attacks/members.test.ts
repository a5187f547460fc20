import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { afterAll, describe, expect, it, vi } from "vitest";
import { connectExtProc } from "../../testing/ext-proc/client.ts";
import {
  headerMap,
  type ProcessingRequest,
  type ProcessingResponse,
  processMethod,
  toStruct,
} from "../../testing/ext-proc/messages.ts";
import { startPicker } from "../../testing/pods/picker-process.ts";

/** B4: a member of a cluster set against the clusters that import from it. Importing pickers are real processes. */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-members-"));
const cleanups: Array<() => unknown> = [() => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

const busy = { timeout: 15_000, interval: 50 };

/** A picker that answers request headers with the response of the test. */
async function hostilePicker(answer: () => ProcessingResponse): Promise<number> {
  const server = new Server();
  server.addService(
    { process: processMethod },
    {
      process: (call: ServerDuplexStream<ProcessingRequest, ProcessingResponse>) => {
        call.on("data", ({ requestHeaders }: ProcessingRequest) => {
          if (requestHeaders !== undefined) call.write(answer());
        });
        call.on("end", () => call.end());
        call.on("error", () => {});
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  cleanups.push(() => server.forceShutdown());
  return port;
}

async function importing(clusters: readonly object[], args: readonly string[] = []) {
  const file = join(folder, `${cleanups.length}.yaml`);
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: "inference.networking.x-k8s.io/v1alpha1",
      kind: "InferencePoolImport",
      metadata: { name: "pool", namespace: "default" },
      status: { clusters },
    }),
  );
  const picker = await startPicker({
    args: [
      ...["--import=pool", `--file-source=${file}`, "--secure-serving=false", "--remote-plaintext"],
      ...["--drain-timeout=0s", ...args],
    ],
  });
  cleanups.push(() => picker.stop());
  const client = connectExtProc(`127.0.0.1:${picker.ports.grpc}`);
  cleanups.push(() => client.close());
  return {
    picker,
    async pick() {
      const stream = client.open();
      stream.requestHeaders({ ":method": "POST", ":path": "/v1/completions", authorization: "x" });
      const reply = await stream.next();
      stream.cancel();
      return reply;
    },
    known: async () => {
      const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/clusters`);
      return (await page.json()) as Array<{ load?: { readyEndpoints: number } }>;
    },
  };
}

const cluster = (port: number, more: object = {}) => ({
  name: "member",
  routingMode: "EndpointMode",
  targetPortNumber: 8000,
  endpointPicker: {
    name: "epp",
    service: [{ type: "LoadBalancer", addresses: ["127.0.0.1"], ports: [{ number: port }] }],
  },
  ...more,
});

const pointing = (headers: Record<string, string>, metadata?: object): ProcessingResponse => ({
  requestHeaders: {
    response: {
      headerMutation: {
        setHeaders: headerMap(headers).headers.map((header) => ({ header })),
        removeHeaders: ["authorization", "x-prefiller-host-port"],
      },
      clearRouteCache: true,
    },
  },
  ...(metadata && { dynamicMetadata: toStruct(metadata as Record<string, unknown>) }),
});

describe("B4: a member's picker", () => {
  let answer: ProcessingResponse;
  const set = (async () => {
    const port = await hostilePicker(() => answer);
    return importing(
      [cluster(port, { networks: ["10.4.0.0/16", "fd12::/48"] })],
      ["--remote-allow-loopback"],
    );
  })();

  it.each([
    ["x-gateway-destination-endpoint", "169.254.169.254:80"],
    ["x-gateway-destination-endpoint", "10.4.0.1:8000,169.254.169.254:80"],
    ["x-gateway-destination-endpoint", "10.5.0.1:8000"],
    ["x-gateway-destination-endpoint", "[fd00:ec2::254]:80"],
    ["x-gateway-destination-endpoint", "[::ffff:169.254.169.254]:80"],
    ["X-Gateway-Destination-Endpoint", "169.254.169.254:80"],
    ["x-prefiller-host-port", "169.254.169.254:80"],
    ["x-encoder-hosts-ports", "10.4.0.1:80,metadata.google.internal:80"],
  ])("sends no gateway here to %s %s", async (header, address) => {
    answer = pointing({ "x-gateway-destination-endpoint": "10.4.0.1:8000", [header]: address });
    const { phase, immediate } = await (await set).pick();
    expect({ phase, status: immediate?.status }).toEqual({
      phase: "immediateResponse",
      status: 503,
    });
  });

  it("sends no gateway here anywhere by metadata", async () => {
    const header = "x-gateway-destination-endpoint";
    answer = pointing({ [header]: "10.4.0.1:8000" }, { "envoy.lb": { [header]: "10.9.9.9:1" } });
    expect((await (await set).pick()).immediate?.status).toBe(503);
  });

  it("cannot respond to a client itself, except with an error without headers", async () => {
    answer = { immediateResponse: { status: { code: 302 }, body: Buffer.from("elsewhere") } };
    expect((await (await set).pick()).immediate?.status).toBe(503);
    answer = {
      immediateResponse: {
        status: { code: 429 },
        headers: { setHeaders: [{ header: { key: "set-cookie", value: "a=b" } }] },
        body: Buffer.from("full"),
      },
    };
    const { immediate, setHeaders } = await (await set).pick();
    expect({ immediate, setHeaders }).toEqual({
      immediate: { status: 429, body: "full" },
      setHeaders: {},
    });
  });

  it("can set only the headers and metadata of a pick", async () => {
    const header = "x-gateway-destination-endpoint";
    answer = pointing(
      {
        [header]: "10.4.0.1:8000,[fd12::1]:8000",
        authorization: "mine",
        host: "evil",
        "x-request-id": "r",
      },
      { "envoy.lb": { [header]: "10.4.0.1:8000", subset: "x" }, "com.example": { a: "b" } },
    );
    const { setHeaders, removeHeaders, clearRouteCache, dynamicMetadata } = await (
      await set
    ).pick();
    expect({ setHeaders, removeHeaders, clearRouteCache, dynamicMetadata }).toEqual({
      setHeaders: { [header]: "10.4.0.1:8000,[fd12::1]:8000", "x-request-id": "r" },
      removeHeaders: ["x-prefiller-host-port"],
      clearRouteCache: true,
      dynamicMetadata: { "envoy.lb": { [header]: "10.4.0.1:8000" } },
    });
  });
});

describe("B4: a member", () => {
  it("gets no request if its picker's address is on this host or link-local", async () => {
    const port = await hostilePicker(() =>
      pointing({ "x-gateway-destination-endpoint": "10.4.0.1:1" }),
    );
    const { pick, picker } = await importing([cluster(port)]);
    expect((await pick()).immediate?.status).toBe(503);
    await expect
      .poll(() => picker.log(), busy)
      .toContain("127.0.0.1:".concat(`${port} is in 127.0.0.0/8`));
  });

  it("is counted with at most maxEndpoints endpoints, 1,000 by default", async () => {
    const page = createServer((_, response) =>
      response.end("llm_d_epp_ready_endpoints 1000000000\n"),
    );
    page.listen(0, "127.0.0.1");
    await once(page, "listening");
    cleanups.push(() => page.close());
    const metrics = { port: (page.address() as AddressInfo).port };
    const withMetrics = (name: string, more: object) => {
      const { endpointPicker, ...rest } = cluster(9, more);
      return { ...rest, name, endpointPicker: { ...endpointPicker, metrics } };
    };
    const { known } = await importing(
      [withMetrics("a", {}), withMetrics("b", { maxEndpoints: 8 })],
      ["--remote-allow-loopback"],
    );
    await vi.waitFor(async () => {
      const loads = (await known()).map(({ load }) => load?.readyEndpoints);
      expect(loads).toEqual([1_000, 8]);
    }, busy);
  });
});
