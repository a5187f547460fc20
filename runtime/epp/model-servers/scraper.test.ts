import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type Endpoint, hostPort, newLiveState } from "../../../scheduling/endpoints/endpoint.ts";
import { freePorts } from "../../../testing/processes/free-ports.ts";
import { limits } from "../../limits.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import { systemClock } from "../clock.ts";
import { Scraper, type ScraperOptions } from "./scraper.ts";

const stopping: Array<() => void> = [];
afterEach(() => {
  for (const stop of stopping.splice(0)) stop();
});

async function serve(
  listener: RequestListener,
  created: Server = createServer(listener),
): Promise<{ endpoint: Endpoint; server: Server }> {
  const server = created.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  stopping.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint: Endpoint = {
    ...{ id: `ns/p-${port}`, namespace: "ns", pod: "p", podUid: "u", rank: 0, labels: {} },
    ...{ ip: "127.0.0.1", port, address: hostPort("127.0.0.1", port), live: newLiveState() },
  };
  return { endpoint, server };
}

const errors: string[] = [];
const scraperOf = (...endpoints: Endpoint[]): Scraper => scraperWith({}, ...endpoints);

function scraperWith(options: Partial<ScraperOptions>, ...endpoints: Endpoint[]): Scraper {
  errors.length = 0;
  const scraper = new Scraper({
    ...{ intervalMs: 5, timeoutMs: 200, clock: systemClock },
    onError: (_, error) => errors.push(error.message),
    ...options,
  });
  stopping.push(() => scraper.stop());
  scraper.watch(endpoints);
  return scraper;
}

const waiting = ({ live }: Endpoint) => live.metrics?.waitingRequests;

it("the scraper keeps readings fresh over one connection", async () => {
  let asked = 0;
  const { endpoint, server } = await serve((_, response) =>
    response.end(`vllm:num_requests_waiting ${++asked}`),
  );
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  scraperOf(endpoint);
  await expect.poll(() => waiting(endpoint)).toBeGreaterThan(10);
  expect(connections).toBe(1);
  expect(errors).toEqual([]);
});

it("the scraper reads pages over TLS, with one connection for all", async () => {
  const { cert, key } = selfSignedCertificate("engine", new Date());
  const listener: RequestListener = (_, response) =>
    response.end("vllm:num_requests_waiting 1".padEnd(200_000, "\n"));
  const { endpoint, server } = await serve(listener, createTlsServer({ cert, key }, listener));
  let connections = 0;
  server.on("secureConnection", () => {
    connections += 1;
  });
  let readings = 0;
  scraperWith({ scheme: "https", onReading: () => (readings += 1) }, endpoint);
  await expect.poll(() => readings).toBeGreaterThan(3);
  expect([connections, errors]).toEqual([1, []]);
});

it("the scraper rejects a certificate of another authority if certificates are checked", async () => {
  const { cert, key } = selfSignedCertificate("engine", new Date());
  const { endpoint } = await serve(() => {}, createTlsServer({ cert, key }));
  scraperWith({ scheme: "https", tls: { rejectUnauthorized: true } }, endpoint);
  await expect.poll(() => errors[0]).toContain("self-signed certificate");
});

it("an endpoint that refuses connections is down until it accepts one", async () => {
  const { endpoint, server } = await serve((_, response) =>
    response.end("vllm:num_requests_waiting 1"),
  );
  scraperOf(endpoint);
  await expect.poll(() => waiting(endpoint)).toBe(1);
  expect(endpoint.live.isDown).toBe(false);
  server.closeAllConnections();
  server.close();
  await expect.poll(() => endpoint.live.isDown).toBe(true);
  server.listen(endpoint.port, endpoint.ip);
  await expect.poll(() => endpoint.live.isDown).toBe(false);
});

it("an endpoint is not down if only its separate metrics port refuses connections", async () => {
  const { endpoint } = await serve(() => {});
  const [closed] = await freePorts(1);
  scraperWith({ port: closed }, endpoint);
  await expect.poll(() => errors.length).toBeGreaterThan(2);
  expect(endpoint.live.isDown).toBe(false);
});

it("an endpoint that hangs, disconnects or sends garbage delays no other endpoint", async () => {
  const good = await serve((_, response) => response.end("vllm:num_requests_waiting 1"));
  const hanging = await serve(() => {});
  const breaking = await serve((_, response) => {
    response.write("vllm:num_req");
    response.destroy();
  });
  const garbage = await serve((_, response) => response.end("\u0000{{{"));
  const failing = await serve((_, response) => response.writeHead(500).end());
  scraperOf(...[hanging, breaking, garbage, failing, good].map(({ endpoint }) => endpoint));
  await expect.poll(() => waiting(good.endpoint)).toBe(1);
  await expect
    .poll(() => [...new Set(errors)].sort())
    .toEqual(
      expect.arrayContaining([
        "HTTP status 500",
        "no answer within 200 ms",
        "the connection ended before the end of the page",
        "the page has none of the engine's metrics",
      ]),
    );
  const before = good.endpoint.live.metrics?.at ?? 0;
  await expect.poll(() => good.endpoint.live.metrics?.at).toBeGreaterThan(before);
});

it("a page that arrived in time is read even if the event loop was busy beyond the timeout", async () => {
  const timeoutMs = 100;
  const { endpoint } = await serve((_, response) => {
    response.end("vllm:num_requests_waiting 1", () => {
      for (const from = performance.now(); performance.now() - from < 2 * timeoutMs; );
    });
  });
  scraperWith({ timeoutMs }, endpoint);
  await expect.poll(() => waiting(endpoint)).toBe(1);
  expect(errors).toEqual([]);
});

it("responses of endpoints that were removed are ignored", async () => {
  let asked = 0;
  const { endpoint } = await serve((_, response) => {
    asked += 1;
    setTimeout(() => response.end("vllm:num_requests_waiting 1"), 20);
  });
  const scraper = scraperOf(endpoint);
  await expect.poll(() => asked).toBeGreaterThan(0);
  scraper.watch([]);
  const { metrics } = endpoint.live;
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(asked - before).toBeLessThanOrEqual(1);
  expect(endpoint.live.metrics).toBe(metrics);
});

it.each([
  [
    "switches protocols",
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
  ],
  ["closes without a response", ""],
  ["cuts its headers", "HTTP/1.1 200 OK\r\ncontent-le"],
  ["answers twice", "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"],
  ["speaks another protocol", "\x16\x03\x01\x02"],
])("C1: an endpoint that once %s is scraped again", async (_, answer) => {
  let asked = 0;
  const { endpoint, server } = await serve((request, response) => {
    asked += 1;
    if (asked > 1) response.end("vllm:num_requests_waiting 1");
    else request.socket.end(answer);
  });
  server.on("upgrade", (_request, socket) => socket.destroy());
  scraperOf(endpoint);
  await expect.poll(() => waiting(endpoint)).toBe(1);
  expect(errors).toHaveLength(1);
});

it("an endpoint that closed its connections is scraped again", async () => {
  const { endpoint, server } = await serve((_, response) =>
    response.end("vllm:num_requests_waiting 1"),
  );
  scraperOf(endpoint);
  await expect.poll(() => waiting(endpoint)).toBe(1);
  server.closeAllConnections();
  const at = endpoint.live.metrics?.at ?? 0;
  await expect.poll(() => endpoint.live.metrics?.at).toBeGreaterThan(at);
});

it("C2: a page beyond the limit is rejected, and the next one is read", async () => {
  let asked = 0;
  const { endpoint } = await serve((_, response) => {
    asked += 1;
    response.write(`vllm:num_requests_waiting ${asked}\n`);
    response.end(asked > 1 ? "" : "#".repeat(limits.metricsPage.value));
  });
  scraperWith({ timeoutMs: 10_000 }, endpoint);
  await expect.poll(() => waiting(endpoint)).toBeGreaterThan(1);
  expect(errors).toEqual([`the page is longer than ${limits.metricsPage.value} bytes`]);
});

it("C2: an endpoint with costly pages is scraped less often", async () => {
  const { endpoint } = await serve((_, response) => response.end("vllm:num_requests_waiting 1"));
  const cost = 10;
  const read: number[] = [];
  const onReading = () => {
    const since = performance.now();
    read.push(since);
    // Spends the CPU time of a costly page.
    while (performance.now() - since < cost);
  };
  scraperWith({ onReading }, endpoint);
  await expect.poll(() => read.length).toBe(3);
  expect((read[2] as number) - (read[1] as number)).toBeGreaterThanOrEqual(20 * cost);
});
