import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectExtProc } from "./client.ts";
import { type FixedPicker, startFixedPicker } from "./fixed-picker.ts";
import type { LoadReport } from "./load-report.ts";

const driver = join(import.meta.dirname, "load-driver.ts");

async function drive(picker: FixedPicker, ...args: string[]): Promise<LoadReport> {
  const all = [driver, "--target", picker.address, "--warm-up", "0", ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as LoadReport;
}

describe("load driver", () => {
  let picker: FixedPicker;
  beforeAll(async () => {
    picker = await startFixedPicker("127.0.0.1:8101");
  });
  afterAll(() => picker.stop());

  it("completes every request, also with bodies larger than the flow-control windows", async () => {
    const before = picker.received.length;
    const report = await drive(
      picker,
      ...["--requests", "8", "--in-flight", "4", "--connections", "2"],
      ...["--prompt-bytes", "300000", "--response-chunks", "20"],
    );
    expect(report).toMatchObject({ requests: 8, cancelled: 0, failures: {} });
    const received = picker.received.slice(before);
    const prompt = received.flatMap(({ requestBody }) => requestBody?.body.length ?? []);
    expect(Math.max(...prompt)).toBe(16_384);
    // Requests under way when the eighth ended sent their bodies too.
    expect(prompt.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThanOrEqual(8 * 300_000);
    const tokens = received.filter(({ responseBody }) => responseBody !== undefined);
    expect(tokens.length).toBeGreaterThanOrEqual(8 * 20);
  });

  it.each([
    { share: 1, cancelled: 40 },
    { share: 0.25, cancelled: 10 },
  ])(
    "cancels $share of the requests, which do not count as failures",
    async ({ share, cancelled }) => {
      const report = await drive(
        picker,
        ...["--requests", "40", "--in-flight", "1", "--cancel-share", String(share)],
        ...["--response-chunks", "4", "--chunk-interval", "1"],
      );
      expect(report).toMatchObject({ cancelled, requests: 40 - cancelled, failures: {} });
    },
  );

  it("counts refusals as failures", async () => {
    const refusing = await startFixedPicker(undefined);
    try {
      const report = await drive(refusing, "--requests", "3", "--in-flight", "1");
      expect(report).toMatchObject({ requests: 0, failures: { refused: 3 } });
    } finally {
      refusing.stop();
    }
  });

  it("speaks TLS", async () => {
    const secure = await startFixedPicker("127.0.0.1:8101", { tls: true });
    try {
      const report = await drive(secure, "--tls", "--requests", "3", "--prompt-bytes", "100000");
      expect(report.failures).toEqual({});
      expect(report.requests).toBe(3);
    } finally {
      secure.stop();
    }
  });

  it("keeps to a rate", async () => {
    const report = await drive(picker, "--rate", "50", "--seconds", "60", "--requests", "25");
    expect(report.requests).toBe(25);
    // 25 requests at 50 a second are due after 0.48 seconds.
    expect(report.seconds).toBeGreaterThanOrEqual(0.47);
  });
});

describe("ext_proc client", () => {
  it.each([false, true])("returns flat replies and the end of the stream, TLS: %s", async (tls) => {
    const picker = await startFixedPicker("[::1]:80", { tls });
    const client = connectExtProc(picker.address, { tls });
    try {
      const stream = client.open({
        protocolConfig: { requestBodyMode: "BUFFERED", responseBodyMode: "NONE" },
      });
      stream.requestHeaders(
        { ":path": "/" },
        { metadata: { "envoy.lb.subset_hint": { subset: ["a", 1, null, { b: true }] } } },
      );
      stream.requestBody("prompt", { endOfStream: true });
      const [headers, body] = await stream.take(2);
      expect(headers).toMatchObject({
        phase: "requestHeaders",
        setHeaders: { "x-gateway-destination-endpoint": "[::1]:80" },
        clearRouteCache: true,
        dynamicMetadata: { "envoy.lb": { "x-gateway-destination-endpoint": "[::1]:80" } },
      });
      expect(body).toMatchObject({
        phase: "requestBody",
        body: { kind: "streamed", bytes: Buffer.from("prompt"), endOfStream: true },
      });
      stream.halfClose();
      expect(await stream.rest()).toEqual([]);
      expect((await stream.status).code).toBe(0);
      await expect(stream.next()).rejects.toThrow(/status 0/);
      const [first] = picker.received;
      expect(first?.protocolConfig).toEqual({
        requestBodyMode: "BUFFERED",
        responseBodyMode: "NONE",
      });
      expect(first?.metadataContext?.filterMetadata["envoy.lb.subset_hint"]).toBeDefined();
    } finally {
      client.close();
      picker.stop();
    }
  });
});
