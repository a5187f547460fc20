import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../epp/clock.ts";
import { newLog } from "../../manager/log.ts";
import { ClusterSet } from "./cluster-set.ts";
import type { RemoteCluster } from "./remote-cluster.ts";
import { plaintext } from "./remote-security.ts";

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A picker of another cluster that accepts connections and answers every request. */
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

const nowhere = { region: undefined, zone: undefined };
const cluster = (name: string, port: number): RemoteCluster => ({
  ...{ name, mode: "EndpointMode", ready: "True" },
  picker: {
    service: "epp",
    addresses: [{ host: "127.0.0.1", port }],
    ...{ healthPort: undefined, metricsPort: undefined },
  },
  ...{ parents: [], networks: undefined, maxEndpoints: undefined },
  location: nowhere,
});

/** A cluster set that uses the system clock. */
function clusterSet(): { readonly set: ClusterSet; readonly logged: () => string } {
  const lines: string[] = [];
  const set = new ClusterSet({
    policy: {
      ...{ selection: "active-passive", preference: "Any", spilloverQueueThreshold: 5, order: [] },
      ...{ weights: new Map(), location: nowhere },
    },
    ...{ localCluster: undefined, hopLimit: 1 },
    gateways: { security: undefined, request: undefined },
    ...{ security: plaintext, metricsSecurity: plaintext, loopback: true },
    health: { failures: 2, failbackDelayMs: 0 },
    clock: systemClock,
    log: newLog({ verbosity: 0, write: (line) => void lines.push(line), now: Date.now }),
  });
  cleanups.push(() => set.stop());
  return { set, logged: () => lines.join("") };
}

it("a cluster that leaves the import, or whose address changes, loses its connections", async () => {
  const [staying, leaving, moved] = [await picker(), await picker(), await picker()];
  const { set } = clusterSet();
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

it("clusters that do not respond are tried last if they are Ready in the import, and otherwise not at all", async () => {
  const [there, gone] = [await picker(), await unusedPort()];
  const { set, logged } = clusterSet();
  const names = () => set.inOrder(0).map(({ name, usable }) => (usable ? name : `${name}?`));
  const ready = (name: string, is: RemoteCluster["ready"]) => ({
    ...cluster(name, gone),
    ready: is,
  });
  const lost = [ready("a", "True"), ready("b", "False"), ready("c", "Unknown"), ready("d", "True")];
  set.update([...lost, cluster("e", there.port)]);
  await expect.poll(names).toEqual(["e", "a", "d"]);
  expect(logged()).not.toContain("no cluster responds");
  set.update(lost);
  await expect.poll(names).toEqual(["a", "d"]);
  expect(set.inOrder(0).map((each) => each.next()?.kind)).toEqual(["picker", "picker"]);
  set.update(lost.map((each) => ({ ...each, ready: "Unknown" })));
  expect(names()).toEqual([]);
  // A request from the picker of another cluster is not forwarded, even if no cluster responds.
  set.update(lost);
  expect(set.inOrder(1)).toEqual([]);
  expect(names()).toEqual(["a", "d"]);
  expect(logged().match(/no cluster responds/g)).toHaveLength(2);
});

/** Returns a port on which nothing listens. */
async function unusedPort(): Promise<number> {
  const server = createNetServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
