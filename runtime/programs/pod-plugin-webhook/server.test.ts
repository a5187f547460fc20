import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { HeldBytes } from "../../manager/held-bytes.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import { type AdmissionServer, admissionPath, admissionServer } from "./server.ts";

/** Hostile clients next to an API server with normal reviews. */

const MiB = 2 ** 20;
const withinMs = 500;
const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u",
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "pods" },
    namespace: "models",
    userInfo: { username: "somebody" },
    object: { metadata: { namespace: "models" }, spec: { containers: [{ name: "c" }] } },
  },
});

let server: AdmissionServer;
let budget: BodyBudget;
let held: HeldBytes;
let port: number;
let session: ClientHttp2Session;

beforeEach(async () => {
  budget = new BodyBudget({ maxBody: 4 * MiB, maxTotal: 4 * MiB, now: () => performance.now() });
  held = new HeldBytes(MiB);
  server = admissionServer({
    certificate: selfSignedCertificate("localhost", new Date()),
    clientCa: undefined,
    judge: async () => ({ allowed: true }),
    onError: () => {},
    ...{ budget, held, withinMs },
  });
  port = await server.listen(0);
  session = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false });
  session.on("error", () => {});
});
afterEach(async () => {
  session.destroy();
  await server.close();
});

const opened = () => {
  const stream = session.request({ ":method": "POST", ":path": admissionPath });
  stream.on("error", () => {});
  return stream.resume();
};

async function honest(): Promise<boolean> {
  const stream = session.request({ ":method": "POST", ":path": admissionPath });
  stream.end(review);
  return JSON.parse(await text(stream)).response.allowed;
}

it("closes the stream of a review that never ends, over HTTP/2 and HTTP/1", async () => {
  const slow = opened();
  slow.write(" ");
  const old = connectTls({
    ...{ host: "localhost", port, rejectUnauthorized: false },
    ALPNProtocols: ["http/1.1"],
  });
  old.on("error", () => {});
  old.write(`POST ${admissionPath} HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n `);
  old.resume();
  const dripping = setInterval(() => slow.destroyed || slow.write(" "), 50);
  expect(await honest()).toBe(true);
  await Promise.all([once(slow, "close"), once(old, "close")]);
  clearInterval(dripping);
  expect(await honest()).toBe(true);
});

it("incomplete large reviews share one budget, and small reviews are still answered", async () => {
  const hostile = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false });
  hostile.on("error", () => {});
  const seen = { ended: 0, most: 0 };
  const watching = setInterval(() => {
    seen.most = Math.max(seen.most, budget.bytes);
  }, 5);
  for (let at = 0; at < 20; at += 1) {
    const stream = hostile.request({ ":method": "POST", ":path": admissionPath });
    stream
      .on("error", () => {})
      .on("close", () => {
        seen.ended += 1;
      });
    stream.resume().write(Buffer.alloc(MiB, " "));
  }
  await expect.poll(() => budget.bytes, { timeout: 5_000, interval: 5 }).toBeGreaterThan(MiB);
  expect(await honest()).toBe(true);
  await expect.poll(() => seen.ended, { timeout: 5_000 }).toBe(20);
  clearInterval(watching);
  expect(seen.most).toBeLessThanOrEqual(4 * MiB);
  expect(budget.bytes).toBe(0);
  hostile.destroy();
});

it("closes without waiting for clients that keep their connections open", async () => {
  const sockets = [
    connectTcp(port, "localhost"),
    connectTls({ host: "localhost", port, rejectUnauthorized: false }),
  ];
  for (const socket of sockets) socket.on("error", () => {}).resume();
  await once(sockets[1] as (typeof sockets)[number], "secureConnect");
  const begun = performance.now();
  await server.close();
  expect(performance.now() - begun).toBeLessThan(4 * withinMs);
});

it.each([
  ["responses", admissionPath, `{"padding":"${" ".repeat(1_000)}",${review.slice(1)}`],
  ["refusals", "/nowhere", ""],
])(
  "H1: streams whose %s are not read are reset beyond the budget of all",
  async (_, path, sent) => {
    const hostile = connectHttp2(`https://127.0.0.1:${port}`, {
      settings: { initialWindowSize: 0 },
      createConnection: () =>
        connectTls({
          ...{ host: "127.0.0.1", port, localAddress: "127.0.0.2", rejectUnauthorized: false },
          ALPNProtocols: ["h2"],
        }),
    });
    hostile.on("error", () => {});
    await once(hostile, "remoteSettings");
    let resets = 0;
    for (let at = 0; at < 200; at += 1) {
      const stream = hostile.request({ ":method": "POST", ":path": path });
      stream
        .on("error", () => {})
        .on("close", () => {
          resets += 1;
        });
      stream.end(sent);
    }
    await expect.poll(() => resets, { timeout: 5_000 }).toBeGreaterThan(100);
    expect(held.bytes).toBeLessThanOrEqual(MiB);
    expect(await honest()).toBe(true);
    hostile.destroy();
    await expect.poll(() => held.bytes, { timeout: 5_000 }).toBe(0);
  },
);
