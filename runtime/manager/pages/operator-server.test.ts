import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { limits } from "../../limits.ts";
import { computed, counters } from "../metrics/family.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import type { Certificate } from "../tls/certificate.ts";
import { selfSignedCertificate } from "../tls/self-signed.ts";
import { type OperatorServerOptions, operatorServer } from "./operator-server.ts";

const cleanups: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const up = counters({ name: "up_total", help: "Up.", labels: [] });
up.series().value = 1;
const errors: unknown[] = [];

async function start(options: Partial<OperatorServerOptions> = {}) {
  const server = operatorServer({
    pages: {
      families: [up],
      open: { "/scaling": () => ({ roles: { worker: 2 } }) },
      debug: {
        "/debug/state": () => ({ pods: 1 }),
        "/debug/broken": () => {
          throw new Error("broken");
        },
      },
    },
    access: undefined,
    tls: undefined,
    onError: (error) => errors.push(error),
    ...options,
  });
  cleanups.push(() => server.close());
  const port = await server.listen(0);
  const url = `http://127.0.0.1:${port}`;
  return { server, port, get: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) };
}

it("the server serves metrics, compressed for clients that accept it", async () => {
  const { get } = await start();
  const text = "# HELP up_total Up.\n# TYPE up_total counter\nup_total 1\n";
  const answer = await get("/metrics");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(await answer.text()).toBe(text);
  const bare = await get("/metrics", { headers: { "accept-encoding": "identity" } });
  expect(bare.headers.get("content-encoding")).toBeNull();
  expect(await bare.text()).toBe(text);
});

it("slow metrics are written over many turns of the event loop", async () => {
  let [inTurn, most] = [0, 0];
  const slow = computed("gauge", { name: "slow", help: "Slow.", labels: ["at"] }, function* () {
    for (let at = 0; at < 60; at += 1) {
      for (const from = performance.now(); performance.now() - from < 1; );
      inTurn += 1;
      most = Math.max(most, inTurn);
      yield { labels: [String(at)], value: at };
    }
  });
  const { get } = await start({ pages: { families: [slow], debug: {} } });
  const turns = setInterval(() => {
    inTurn = 0;
  }, 0);
  const text = await (await get("/metrics")).text();
  clearInterval(turns);
  expect(text.match(/^slow\{/gm)).toHaveLength(60);
  expect(most).toBeLessThanOrEqual(20);
});

it("debug pages are JSON", async () => {
  const { get } = await start();
  expect(await (await get("/debug/state")).json()).toEqual({ pods: 1 });
});

it.each([
  ["/", {}, 404],
  ["/metrics/x", {}, 404],
  ["/metrics", { method: "POST" }, 405],
  ["/metrics?a=b", {}, 200],
  ["/metrics", { method: "POST", body: "GET /metrics HTTP/1.1\r\n\r\n" }, 405],
  ["/debug/broken", {}, 500],
])("%s with %j responds %i", async (path, init, status) => {
  const { get } = await start();
  expect((await get(path, init)).status).toBe(status);
});

it("an error of a page is reported to the operator and not to the reader", async () => {
  const { get } = await start();
  errors.length = 0;
  expect(await (await get("/debug/broken")).text()).toBe("Internal error\n");
  expect(errors).toEqual([new Error("broken")]);
});

describe("with access review", () => {
  const asked: unknown[] = [];
  const access: OperatorServerOptions["access"] = {
    review: async (token, path) => {
      asked.push([token, path]);
      if (token === undefined) return "unauthenticated";
      if (token === "gone") throw new Error("API server is gone");
      return token === "good" ? "allowed" : "forbidden";
    },
  };

  it.each([
    [undefined, 401],
    ["Basic eDp5", 401],
    ["Bearer bad", 403],
    ["Bearer gone", 500],
    ["Bearer good", 200],
    ["bearer good", 200],
  ])("Authorization %s responds %i", async (authorization, status) => {
    const { get } = await start({ access });
    const headers = authorization === undefined ? {} : { authorization };
    expect((await get("/metrics", { headers })).status).toBe(status);
    expect((await get("/debug/state", { headers })).status).toBe(status);
  });

  it("an open page needs no token", async () => {
    const { get } = await start({ access: { review: async () => "unauthenticated" } });
    expect((await get("/metrics")).status).toBe(401);
    expect(await (await get("/scaling")).json()).toEqual({ roles: { worker: 2 } });
  });

  it("the token may be in a second header, because API servers drop Authorization", async () => {
    const { get } = await start({ access });
    const headers = { "X-Pulumi-Inference-Authorization": "Bearer good" };
    expect((await get("/debug/state", { headers })).status).toBe(200);
  });

  it("the review gets the path without the query", async () => {
    const { get } = await start({ access });
    asked.length = 0;
    await get("/debug/state?x", { headers: { authorization: "Bearer good" } });
    expect(asked).toEqual([["good", "/debug/state"]]);
  });
});

/** A client certificate from OpenSSL, because `selfSignedCertificate` is for servers only. */
function clientCertificate(): Certificate {
  const pem = execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"].concat([
      "-subj",
      "/CN=reader",
      "-addext",
      "extendedKeyUsage=clientAuth",
      "-keyout",
      "-",
    ]),
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  return { cert: pem, key: pem };
}

describe("over TLS", () => {
  const status = (port: number, options: object) =>
    new Promise((resolve, reject) =>
      httpsRequest({ port, host: "127.0.0.1", path: "/metrics", servername: "h", ...options })
        .on("response", (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on("error", reject)
        .end(),
    );

  it("the server uses its certificate, and a new one without a restart", async () => {
    const [first, second] = [1, 2].map(() => selfSignedCertificate("h", new Date()));
    if (!first || !second) throw new Error("unreachable");
    const { port, server } = await start({ tls: { certificate: first, clientCa: undefined } });
    expect(await status(port, { ca: first.cert, agent: false })).toBe(200);
    server.use(second);
    expect(await status(port, { ca: second.cert, agent: false })).toBe(200);
    await expect(status(port, { ca: first.cert, agent: false })).rejects.toThrow();
  });

  it("only readers with a certificate of the CA are accepted", async () => {
    const certificate = selfSignedCertificate("h", new Date());
    const [reader, stranger] = [clientCertificate(), clientCertificate()];
    const { port } = await start({ tls: { certificate, clientCa: reader.cert } });
    const by = (client: object) => status(port, { ca: certificate.cert, agent: false, ...client });
    expect(await by(reader)).toBe(200);
    await expect(by(stranger)).rejects.toThrow();
    await expect(by({})).rejects.toThrow();
  });
});

it("process metrics are reported", () => {
  const samples = Object.fromEntries(
    processMetrics().map((family) => [family.name, [...family.read()]]),
  );
  const value = (name: string) => samples[name]?.[0]?.value as number;
  expect(value("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(2 ** 20);
  expect(value("process_start_time_seconds")).toBeLessThanOrEqual(Date.now() / 1000);
  expect(samples.nodejs_eventloop_lag_seconds?.map(({ labels }) => labels)).toEqual([
    ["0.5"],
    ["0.99"],
    ["1"],
  ]);
});

describe("limits per address", () => {
  const requests = (times: number, path = "/metrics") =>
    `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(times);

  function connected(port: number, text: string, localAddress = "127.0.0.1"): Socket {
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(text));
    socket.on("error", () => {});
    cleanups.push(async () => void socket.destroy());
    return socket;
  }

  /** Returns the statuses that a connection gets until it is closed. */
  async function statusesOf(socket: Socket): Promise<string[]> {
    let got = "";
    socket.on("data", (bytes) => {
      got += bytes;
    });
    await once(socket, "close");
    return [...got.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status as string);
  }

  it("an address may read a limited number of pages concurrently, and any number in sequence", async () => {
    let allow = () => {};
    const asked = new Promise<"allowed">((resolve) => {
      allow = () => resolve("allowed");
    });
    const { port, get } = await start({ access: { review: () => asked } });
    const most = limits.pagesAtOnce.value;
    const readers = Array.from({ length: most }, () => connected(port, requests(1)));
    await Promise.all(readers.map((socket) => once(socket, "connect")));
    expect(await statusesOf(connected(port, requests(1)))).toEqual(["429"]);
    allow();
    for (let time = 0; time < 3 * most; time += 1) expect((await get("/metrics")).status).toBe(200);
  });

  it.each(["/metrics", "/responses", "//"])(
    "T2: pipelined requests of %s end with 429, and other addresses are served meanwhile",
    async (path) => {
      const { port, get } = await start();
      const hostile = Array.from({ length: 4 }, () =>
        statusesOf(connected(port, requests(1_000, path), "127.0.0.2")),
      );
      for (let time = 0; time < 10; time += 1) expect((await get("/metrics")).status).toBe(200);
      const statuses = (await Promise.all(hostile)).flat();
      expect(statuses.filter((status) => status === "429")).toHaveLength(4);
      expect(statuses.length).toBeLessThan(limits.pageRequests.value + 50);
    },
  );

  it("T2: an address that connects again and again is refused before its request is read", async () => {
    const { port, get } = await start();
    let served = 0;
    for (let time = 0; time < 2 * limits.pageRequests.value; time += 1) {
      const socket = connected(port, "GET /metrics HTTP/1.0\r\n\r\n", "127.0.0.2");
      served += (await statusesOf(socket)).length;
    }
    expect(served).toBeLessThan(limits.pageRequests.value + 50);
    expect((await get("/metrics")).status).toBe(200);
  });

  it.each(["//", "http://["])("T1: GET %s responds 400, and reports no error", async (path) => {
    const { port } = await start();
    errors.length = 0;
    const head = `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;
    expect(await statusesOf(connected(port, head))).toEqual(["400"]);
    expect(errors).toEqual([]);
  });

  it("a request that arrives in pieces is served, and what is not HTTP is refused", async () => {
    const { port } = await start();
    const slow = connected(port, "");
    const statuses = statusesOf(slow);
    for (const piece of requests(1).replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"))
      await new Promise((resolve) => slow.write(piece, resolve));
    expect(await statuses).toEqual(["200"]);
    expect(await statusesOf(connected(port, "junk\r\n\r\n"))).toEqual(["400"]);
    expect(await statusesOf(connected(port, `GET / HTTP/1.1\r\na: ${"b".repeat(20_000)}`))).toEqual(
      ["431"],
    );
  });

  it("an address may have a limited number of connections", async () => {
    const { port, get } = await start();
    const most = limits.pageConnections.value;
    const sockets = Array.from({ length: most }, () => connected(port, ""));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const beyond = connected(port, "");
    await once(beyond, "close");
    sockets[0]?.destroy();
    await expect
      .poll(() =>
        get("/metrics").then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });
});
