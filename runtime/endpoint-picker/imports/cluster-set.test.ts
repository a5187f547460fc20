import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { newLog } from "../../manager/log.ts";
import { systemClock } from "../clock.ts";
import { ClusterSet } from "./cluster-set.ts";
import type { RemoteCluster } from "./remote-cluster.ts";
import { plaintext } from "./remote-security.ts";

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A picker of another cluster that takes connections, and answers whatever it is asked. */
async function picker() {
  const open = new Set<ServerHttp2Session>();
  const server: Http2Server = createServer();
  server.on("session", (session) => {
    open.add(session);
    session.on("close", () => open.delete(session));
  });
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200 });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    for (const session of open) session.destroy();
    server.close();
  });
  return { open, port: (server.address() as AddressInfo).port };
}

const cluster = (name: string, port: number): RemoteCluster => ({
  ...{ name, mode: "EndpointMode", ready: "True" },
  picker: {
    service: "epp",
    addresses: [{ host: "127.0.0.1", port }],
    ...{ healthPort: undefined, metricsPort: undefined },
  },
  ...{ parents: [], networks: undefined, maxEndpoints: undefined },
});

it("a cluster that leaves the import, or has another address, keeps no connection", async () => {
  const [staying, leaving, moved] = [await picker(), await picker(), await picker()];
  const set = new ClusterSet({
    ...{
      policy: { selection: "active-passive", preference: "Any", spillOverQueue: 5, order: [] },
      localCluster: undefined,
      hopLimit: 1,
    },
    ...{ security: plaintext, metricsSecurity: plaintext, loopback: true },
    health: { failures: 2, failBackAfterMs: 0 },
    clock: systemClock,
    log: newLog({ verbosity: 0, write: () => {}, now: Date.now }),
  });
  cleanups.push(() => set.stop());
  set.update([cluster("a", staying.port), cluster("b", leaving.port)]);
  const connections = () => [staying, leaving, moved].map(({ open }) => open.size > 0);
  await expect.poll(connections).toEqual([true, true, false]);
  set.update([cluster("a", staying.port)]);
  await expect.poll(connections).toEqual([true, false, false]);
  set.update([cluster("a", moved.port)]);
  await expect.poll(connections).toEqual([false, false, true]);
  set.stop();
  await expect.poll(connections).toEqual([false, false, false]);
});
