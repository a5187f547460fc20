import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { longestRetryAfterMs } from "./answer-limits.ts";
import { ApiError } from "./api-error.ts";
import {
  kubeConfigOf,
  object,
  type ScriptedServer,
  startScriptedServer,
} from "./api-server.fixture.ts";
import { type KubernetesClient, newKubernetesClient, type WatchOptions } from "./client.ts";
import { loadKubeConfig } from "./load-kubeconfig.ts";

let server: ScriptedServer;
let client: KubernetesClient;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubernetes-client-"));
  server = await startScriptedServer();
  client = newKubernetesClient(server.config);
});
afterEach(async () => {
  client.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

const whole = 60_000;

/** Reads the events of a watch of `/w` until it ends. */
async function watch(options: Partial<WatchOptions> = {}, events: unknown[] = []) {
  const signal = new AbortController().signal;
  for await (const event of client.watch("/w", { signal, silenceMs: () => whole, ...options }))
    events.push(event);
  return events;
}

describe("requests", () => {
  it("sends method, query and body, and returns the parsed body", async () => {
    const answer = client.request("PATCH", "/a", {
      query: { fieldManager: "m n", absent: undefined },
      body: { x: "é" },
      contentType: "application/merge-patch+json",
    });
    const request = await server.next();
    expect([request.method, request.path, request.query.toString()]).toEqual([
      "PATCH",
      "/a",
      "fieldManager=m+n",
    ]);
    expect(request.headers).toMatchObject({
      "content-type": "application/merge-patch+json",
      "content-length": "10",
    });
    request.refuse(201, { body: '{"y":"é"}' });
    expect(await answer).toEqual({ y: "é" });
  });

  it("throws an error with the server's message, status, reason and retry time", async () => {
    const answer = client.request("GET", "/a");
    const status = { kind: "Status", code: 429, reason: "TooManyRequests", message: "slow down" };
    (await server.next()).refuse(429, {
      body: JSON.stringify(status),
      headers: { "retry-after": "3" },
    });
    const error = await answer.catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      ...{ status: 429, reason: "TooManyRequests", retryAfterMs: 3_000 },
      message: "GET /a: 429 TooManyRequests: slow down",
    });
  });

  it("B4: limits the server's retry time to five minutes", async () => {
    const answer = client.request("GET", "/a");
    (await server.next()).refuse(429, { headers: { "retry-after": "9999999" } });
    await expect(answer).rejects.toMatchObject({ retryAfterMs: longestRetryAfterMs });
  });

  it("includes the problems by field, and the message of the server", async () => {
    const answer = client.request("POST", "/a");
    const causes = [{ reason: "FieldValueRequired", message: "Required value", field: "spec.x" }];
    (await server.next()).refuse(422, {
      body: JSON.stringify({ kind: "Status", message: "x is needed", details: { causes } }),
    });
    await expect(answer).rejects.toMatchObject({ causes, detail: "x is needed", isStatus: true });
  });

  it("repeats a request to a busy server up to the given number of retries", async () => {
    const { server: address = "" } = server.config.getCurrentCluster() ?? {};
    client = newKubernetesClient(kubeConfigOf(address), { retries: 2 });
    const soon = { headers: { "retry-after": "0" } };
    const first = client.request("GET", "/a");
    (await server.next()).refuse(429, soon);
    (await server.next()).refuse(503, soon);
    (await server.next()).list([], "1");
    await expect(first).resolves.toMatchObject({ items: [] });

    const second = client.request("GET", "/a");
    for (let tries = 0; tries < 3; tries++) (await server.next()).refuse(429, soon);
    await expect(second).rejects.toMatchObject({ status: 429 });

    const third = client.request("GET", "/a");
    (await server.next()).refuse(500);
    await expect(third).rejects.toMatchObject({ status: 500 });
    expect(server.count()).toBe(7);
  });

  it("stops waiting for a busy server if the caller's signal aborts", async () => {
    const { server: address = "" } = server.config.getCurrentCluster() ?? {};
    client = newKubernetesClient(kubeConfigOf(address), { retries: 1 });
    const stop = new AbortController();
    const answer = client.request("GET", "/a", { signal: stop.signal });
    (await server.next()).refuse(429, { headers: { "retry-after": "300" } });
    stop.abort(new Error("enough"));
    await expect(answer).rejects.toThrow();
    expect(server.count()).toBe(1);
  });

  it("reports whether a request without a response may have arrived", async () => {
    const lost = client.request("POST", "/a").catch((error: unknown) => error);
    (await server.next()).break();
    expect(await lost).toMatchObject({ name: "NoAnswerError", sent: true });
    const address = "http://127.0.0.1:1";
    const unsent = newKubernetesClient(kubeConfigOf(address)).request("POST", "/a");
    await expect(unsent).rejects.toMatchObject({ name: "NoAnswerError", sent: false });
  });

  it("includes a proxy's response that is not a Status", async () => {
    const answer = client.request("GET", "/a");
    (await server.next()).refuse(502, { body: "<html>bad gateway</html>" });
    await expect(answer).rejects.toThrow("GET /a: 502: <html>bad gateway</html>");
  });

  it("reports the server that does not respond", async () => {
    await server.close();
    await expect(client.request("GET", "/a")).rejects.toThrow(/GET \/a: .*ECONNREFUSED/);
    server = await startScriptedServer();
  });

  it("gives up after the timeout, and ends the request", async () => {
    const answer = client.request("GET", "/a", { timeoutMs: 50 });
    const request = await server.next();
    await expect(answer).rejects.toThrow("GET /a: no response within 50 ms");
    await request.closed;
  });

  it("gives up on a response that does not end", async () => {
    const answer = client.request("GET", "/a", { timeoutMs: 50 });
    const request = await server.next();
    request.write("{");
    await expect(answer).rejects.toThrow("GET /a: no response within 50 ms");
    await request.closed;
  });

  it("ends if the caller's signal aborts, or has already aborted", async () => {
    const stop = new AbortController();
    const answer = client.request("GET", "/a", { signal: stop.signal });
    const request = await server.next();
    stop.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    await request.closed;
    await expect(client.request("GET", "/a", { signal: stop.signal })).rejects.toThrow("enough");
    expect(server.count()).toBe(1);
  });

  it("uses one connection for sequential requests", async () => {
    for (let requests = 0; requests < 20; requests++) {
      const answer = client.request("GET", "/a");
      (await server.next()).list([], "1");
      await answer;
    }
    expect(await server.connections()).toBe(1);
  });

  it("keeps the path in a server's URL", async () => {
    const [cluster] = server.config.getClusters();
    client = newKubernetesClient(kubeConfigOf(`${cluster?.server}/k8s/clusters/c/`));
    const answer = client.request("GET", "/api/v1/pods");
    const request = await server.next();
    expect(request.path).toBe("/k8s/clusters/c/api/v1/pods");
    request.list([], "1");
    await answer;
  });
});

describe("watches", () => {
  it("reads events from chunks of any size", async () => {
    const events = watch();
    const request = await server.next();
    const event = { type: "ADDED", object: object("größe😀", "1") };
    const bytes = Buffer.from(`${JSON.stringify(event)}\n${JSON.stringify(event)}\n`);
    request.open();
    for (const byte of bytes) {
      request.response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    request.end();
    expect(await events).toEqual([event, event]);
  });

  it.each([
    ["a line that is not JSON", "{oops\n", "watch /w: an event is not JSON"],
    ["an unknown type", '{"type":"NEWS","object":{}}\n', 'watch /w: event of type "NEWS"'],
    ["no event", "null\n", "watch /w: event of type undefined"],
    ["an end within an event", '{"type":', "watch /w: the stream ended in the middle of an event"],
  ])("fails on %s", async (_, bytes, message) => {
    const events = watch();
    const request = await server.next();
    request.write(bytes);
    request.end();
    await expect(events).rejects.toThrow(message);
  });

  it("throws an error with the Status of an event of type ERROR", async () => {
    const events = watch();
    const request = await server.next();
    request.event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old" });
    await expect(events).rejects.toMatchObject({
      name: "ApiError",
      status: 410,
      reason: "Expired",
    });
    await request.closed;
  });

  it("gives up on a server that does not respond", async () => {
    const events = watch({ timeoutMs: 50 });
    const request = await server.next();
    await expect(events).rejects.toThrow("watch /w: no response within 50 ms");
    await request.closed;
  });

  it("gives up only on a server that becomes silent", async () => {
    const seen: unknown[] = [];
    const events = watch({ silenceMs: () => (seen.length < 2 ? whole : 50) }, seen);
    const request = await server.next();
    request.event("ADDED", object("a", "1"));
    request.event("ADDED", object("b", "2"));
    await expect(events).rejects.toThrow("watch /w: the server sent nothing for 50 ms");
    await request.closed;
  });

  it("ends the connection when its reader stops reading", async () => {
    const signal = new AbortController().signal;
    const reading = (async () => {
      for await (const event of client.watch("/w", { signal, silenceMs: () => whole }))
        return event;
    })();
    const request = await server.next();
    request.event("ADDED", object("a", "1"));
    expect(await reading).toMatchObject({ type: "ADDED" });
    await request.closed;
  });
});

describe("credentials", () => {
  it("does not wait for a hanging plugin", async () => {
    server.config.applyToHTTPSOptions = () => new Promise(() => {});
    await expect(client.request("GET", "/a", { timeoutMs: 50 })).rejects.toThrow(
      "GET /a: no response within 50 ms",
    );
    await expect(watch({ timeoutMs: 50 })).rejects.toThrow("watch /w: no response within 50 ms");
  });

  it("gets a token from a plugin, and reports its error", async () => {
    const plugin = join(folder, "plugin.sh");
    const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" };
    writeFileSync(plugin, `echo '${JSON.stringify({ ...credential, status: { token: "t" } })}'`);
    const exec = { command: "sh", args: [plugin] };
    const [cluster] = server.config.getClusters();
    client = newKubernetesClient(kubeConfigOf(cluster?.server ?? "", { exec }));
    const answer = client.request("GET", "/a");
    const request = await server.next();
    expect(request.headers.authorization).toBe("Bearer t");
    request.list([], "1");
    await answer;

    const broken = { command: "sh", args: ["-c", "echo expired >&2; exit 1"] };
    client = newKubernetesClient(kubeConfigOf(cluster?.server ?? "", { exec: broken }));
    await expect(client.request("GET", "/a")).rejects.toThrow("GET /a: expired");
  });

  it("uses the service account of a pod, also at an IPv6 address", () => {
    const { KUBECONFIG, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = process.env;
    process.env.KUBERNETES_SERVICE_HOST = "fd00::1";
    process.env.KUBERNETES_SERVICE_PORT = "443";
    process.env.KUBECONFIG = "";
    try {
      expect(loadKubeConfig().getCurrentCluster()).toMatchObject({
        server: "https://[fd00::1]:443",
      });
    } finally {
      for (const [name, value] of Object.entries({
        ...{ KUBECONFIG, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT },
      }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

  it.each(["", "10.0.0.1", "file:///etc", "https://a b"])("refuses %j as a server", (url) => {
    expect(() => newKubernetesClient(kubeConfigOf(url))).toThrow(
      `kubeconfig: the server of cluster "scripted" is ${JSON.stringify(url)}; allowed: a URL such as https://10.0.0.1:6443`,
    );
  });

  it("lists the contexts of a file that does not have the requested context", () => {
    const file = join(folder, "kubeconfig");
    writeFileSync(
      file,
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
        users: [{ name: "u", user: {} }],
        contexts: [{ name: "one", context: { cluster: "c", user: "u" } }],
        "current-context": "one",
      }),
    );
    expect(loadKubeConfig({ file, context: "one" }).getCurrentCluster()?.name).toBe("c");
    expect(() => loadKubeConfig({ file, context: "two" })).toThrow(
      `kubeconfig ${file} has no context "two"; it has one`,
    );
  });
});
