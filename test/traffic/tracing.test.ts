import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  decoded,
  prefilled,
  RecordingEngine,
} from "../../runtime/programs/pd-sidecar/recording-engine.fixture.ts";
import { connectExtProc, type ExtProcClient } from "../../testing/ext-proc/client.ts";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "../../testing/otlp/receiver.ts";
import {
  type PickerProcess,
  startPicker,
  startRuntime,
} from "../../testing/pods/picker-process.ts";

/** Spans of the shipped picker and decode sidecar, sent to a stand-in for a collector. */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-tracing-"));
const cleanups: Array<() => unknown> = [];
let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pods = ["10.0.0.1", "10.0.0.2"].map(
  (ip, at) =>
    `---\n{apiVersion: v1, kind: Pod, metadata: {name: pod-${at}, labels: {app: m}}, status: {podIP: ${ip}}}\n`,
);
const pool = `{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: pool}, spec: {selector: {matchLabels: {app: m}}, targetPorts: [{number: 8000}]}}\n`;

/** Each pod takes one request at a time. */
const config = JSON.stringify({
  ...{ apiVersion: "llm-d.ai/v1alpha1", kind: "EndpointPickerConfig" },
  featureGates: ["flowControl"],
  plugins: [
    { type: "prefill-cost-scorer" },
    { type: "active-request-scorer" },
    { type: "concurrency-detector", parameters: { maxConcurrency: 1 } },
  ],
  schedulingProfiles: [
    {
      name: "default",
      plugins: [
        { pluginRef: "prefill-cost-scorer", weight: 3 },
        { pluginRef: "active-request-scorer", weight: 1 },
      ],
    },
  ],
  flowControl: { saturationDetector: { pluginRef: "concurrency-detector" } },
});

async function start(args: readonly string[], env: Record<string, string> = {}) {
  const file = join(folder, "pool.yaml");
  writeFileSync(file, pool + pods.join(""));
  const picker = await startPicker({
    args: [
      ...["--secure-serving=false", `--file-source=${file}`, "--drain-timeout=0s"],
      ...[`--config-text=${config}`, ...args],
    ],
    env,
  });
  const client = connectExtProc(`127.0.0.1:${picker.ports.grpc}`);
  cleanups.push(
    () => client.close(),
    () => picker.stop(),
  );
  return { picker, client };
}

const trace = (digit: string) => digit.repeat(32);
const clientSpan = "b7ad6b7169203331";
const traceparent = (id: string, flags = "01") => `00-${id}-${clientSpan}-${flags}`;

/** Sends a request. The reply contains its endpoint, or the reason for a refusal. */
function send(
  client: ExtProcClient,
  headers: Record<string, string>,
  body = '{"model":"m","prompt":"hi"}',
) {
  const stream = client.open();
  stream.requestHeaders(
    { ":path": "/v1/completions", "content-type": "application/json", ...headers },
    { endOfStream: false },
  );
  stream.requestBody(body, { endOfStream: true });
  return {
    reply: stream.next(),
    async finish() {
      stream.responseHeaders({ ":status": "200", "content-type": "application/json" });
      stream.responseBody('{"usage":{"prompt_tokens":7,"completion_tokens":3}}', {
        endOfStream: true,
      });
      stream.halfClose();
      await stream.rest();
    },
  };
}

const spansOf = (traceId: string): ReceivedSpan[] =>
  receiver.spans.filter((span) => span.traceId === traceId);
const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${JSON.stringify(spans)}`);
  return found;
};

it("a request has spans from the wait to the response, as children of the client's span", async () => {
  const { picker, client } = await start([
    `--otlp-endpoint=${receiver.endpoint}`,
    "--otlp-sample-ratio=0",
  ]);
  const [first, second] = ["1", "2"].map((digit) =>
    send(client, { "x-request-id": `request-${digit}`, traceparent: traceparent(trace(digit)) }),
  ) as [ReturnType<typeof send>, ReturnType<typeof send>];
  const { setHeaders } = await first.reply;
  await second.reply;
  // Both pods are busy.
  const third = send(client, { "x-request-id": "request-3", traceparent: traceparent(trace("3")) });
  await expect.poll(() => waitingIn(picker)).toBe(1);
  await first.finish();
  await third.reply;
  await Promise.all([second.finish(), third.finish()]);
  const wrong = send(client, { traceparent: traceparent(trace("4")) }, "{");
  expect((await wrong.reply).immediate?.status).toBe(400);
  const unsampled = send(client, { traceparent: traceparent(trace("5"), "00") });
  expect((await unsampled.reply).setHeaders.traceparent).toMatch(
    new RegExp(`^00-${trace("5")}-(?!${clientSpan})[0-9a-f]{16}-00$`),
  );
  await unsampled.finish();
  const untraced = send(client, {});
  expect((await untraced.reply).setHeaders.traceparent).toMatch(/-00$/);
  await untraced.finish();
  client.close();
  await picker.stop();

  const spans = spansOf(trace("1"));
  const request = named(spans, "gateway.request");
  const chosen = setHeaders["x-gateway-destination-endpoint"];
  expect(setHeaders.traceparent).toBe(`00-${trace("1")}-${request.spanId}-01`);
  expect(request).toMatchObject({
    service: "llm-d-epp",
    parentSpanId: clientSpan,
    attributes: {
      "gen_ai.request.id": "request-1",
      "gen_ai.request.model": "m",
      "llm_d.epp.target_endpoints": [chosen],
      "llm_d.epp.served_endpoint": chosen,
      "http.response.status_code": 200,
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
    },
  });
  const orchestration = named(spans, "gateway.request_orchestration");
  const scheduling = named(spans, "llm_d.epp.scheduling");
  expect(orchestration.parentSpanId).toBe(request.spanId);
  expect(scheduling.parentSpanId).toBe(orchestration.spanId);
  expect(scheduling.attributes["llm_d.epp.scheduling.candidates"]).toHaveLength(2);
  expect(scheduling.events.map(({ name }) => name)).toEqual([
    "filter_endpoints",
    "llm_d.epp.scorer.prefill-cost-scorer",
    "llm_d.epp.scorer.active-request-scorer",
    "pick_endpoints",
  ]);
  expect(scheduling.events[1]?.attributes).toMatchObject({
    "llm_d.epp.scorer.weight": 3,
    "llm_d.epp.scorer.candidate_endpoints": 2,
  });
  const times = [request, orchestration, scheduling].map(({ startMs }) => startMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(Math.abs(request.endMs - Date.now())).toBeLessThan(60_000);

  const wait = named(spansOf(trace("3")), "llm_d.epp.flow_control.wait");
  expect(wait.endMs).toBeGreaterThanOrEqual(request.endMs - 1);
  expect(wait.attributes).toEqual({
    "llm_d.epp.flow_control.fairness_id": "default-flow",
    "llm_d.epp.flow_control.priority": 0,
    "llm_d.epp.flow_control.saturation": 0.5,
    "llm_d.epp.flow_control.ceiling": 1,
  });
  expect(named(spansOf(trace("4")), "gateway.request")).toMatchObject({
    failure: expect.stringMatching(/JSON|body/),
    attributes: { "error.type": "BadRequest", "http.response.status_code": 400 },
  });
  expect(spansOf(trace("5"))).toEqual([]);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(4);
});

it("by default a picker creates no spans and does not change the client's trace headers", async () => {
  const { client } = await start([]);
  const request = send(client, { traceparent: traceparent(trace("6")) });
  expect((await request.reply).setHeaders).not.toHaveProperty("traceparent");
  await request.finish();
});

it("the decode sidecar has spans for both legs, with the engines' spans as their children", async () => {
  const prefiller = await new RecordingEngine(prefilled).start();
  const decoder = await new RecordingEngine(decoded).start();
  const sidecar = await startRuntime("pd-sidecar", {
    args: [
      ...["--port=0", "--metrics-port=0", "--health-port=0", "--secure-proxy=false"],
      ...["--model-server-host=127.0.0.1", `--model-server-port=${decoder.port}`],
      ...["--enable-ssrf-protection=false", `--otlp-endpoint=${receiver.endpoint}`],
    ],
  });
  cleanups.push(
    () => Promise.all([prefiller.stop(), decoder.stop()]),
    () => sidecar.stop(),
  );
  const { serving } = sidecar.ports as unknown as { serving: readonly number[] };
  const ask = async (id: string, named: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${serving[0]}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent: traceparent(id), ...named },
      body: '{"model":"m","prompt":"hi"}',
    });
    await answer.text();
    return answer.status;
  };
  expect(await ask(trace("a"), { "x-prefiller-host-port": prefiller.address })).toBe(200);
  const toDecoder = decoder.last.headers.traceparent;
  expect(await ask(trace("b"), {})).toBe(200);
  await sidecar.stop();

  const spans = spansOf(trace("a"));
  const [request, prefill, decode] = ["forward_request", "prefill", "decode"].map((name) =>
    named(spans, name),
  ) as [ReceivedSpan, ReceivedSpan, ReceivedSpan];
  expect(request).toMatchObject({
    service: "llm-d-disagg-sidecar",
    parentSpanId: clientSpan,
    attributes: {
      "llm_d.pd_proxy.connector": "nixlv2",
      "llm_d.pd_proxy.disaggregation_used": true,
      "llm_d.pd_proxy.prefill_target": prefiller.address,
      "http.response.status_code": 200,
    },
  });
  for (const leg of [prefill, decode])
    expect(leg).toMatchObject({ parentSpanId: request.spanId, failure: undefined });
  expect(prefill.attributes["llm_d.pd_proxy.prefill.status_code"]).toBe(200);
  expect(decode.startMs).toBeGreaterThanOrEqual(prefill.endMs);
  expect(prefiller.last.headers.traceparent).toBe(`00-${trace("a")}-${prefill.spanId}-01`);
  expect(toDecoder).toBe(`00-${trace("a")}-${decode.spanId}-01`);
  expect(
    spansOf(trace("b"))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["decode", "forward_request"]);
});

async function waitingIn({ ports }: PickerProcess): Promise<number> {
  const page = await fetch(`http://127.0.0.1:${ports.metrics}/debug/flows`);
  return ((await page.json()) as { requests: number }).requests;
}
