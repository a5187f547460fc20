import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { type ScriptedServer, startScriptedServer, TestTime } from "../api/api-server.fixture.ts";
import { type KubernetesClient, newKubernetesClient } from "../api/client.ts";
import { loadKubeConfig } from "../api/load-kubeconfig.ts";
import { LeaderElection } from "./leader-election.ts";

describe("with an API server", () => {
  let cluster: AttachedCluster;
  let client: KubernetesClient;
  let path: string;
  let namespace: string;

  beforeAll(async () => {
    cluster = await sharedCluster();
    client = newKubernetesClient(loadKubeConfig({ file: cluster.kubeconfig }));
    namespace = await freshNamespace(cluster);
    path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  }, 120_000);
  afterAll(() => {
    client?.close();
    cluster?.detach();
  });

  const elections: LeaderElection[] = [];
  afterEach(() => Promise.all(elections.splice(0).map((election) => election.release())));

  /** Returns a candidate, and a promise that resolves when it leads. */
  function candidate(name: string, identity: string): [LeaderElection, Promise<void>] {
    let lead = () => {};
    const led = new Promise<void>((resolve) => {
      lead = resolve;
    });
    const election = new LeaderElection({
      ...{ client, namespace, name, identity, timing: { retryMs: 20 } },
      onChange: (leading) => leading && lead(),
    });
    elections.push(election);
    election.start();
    return [election, led];
  }

  it("elects one of two candidates, and the other when the first releases the lease", async () => {
    const [first, firstLeads] = candidate("handover", "first");
    await firstLeads;
    const [second, secondLeads] = candidate("handover", "second");
    await expect(cluster.request("GET", `${path}/handover`)).resolves.toMatchObject({
      spec: { holderIdentity: "first", leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
    await renewedAgain("handover");
    expect([first.isLeader(), second.isLeader()]).toEqual([true, false]);
    await first.release();
    expect(first.isLeader()).toBe(false);
    await secondLeads;
    await expect(cluster.request("GET", `${path}/handover`)).resolves.toMatchObject({
      spec: { holderIdentity: "second", leaseTransitions: 1 },
    });
  });

  it("elects one of many concurrent candidates", async () => {
    const all = Array.from({ length: 8 }, (_, at) => candidate("rush", `c${at}`));
    await Promise.race(all.map(([, led]) => led));
    await renewedAgain("rush");
    expect(all.filter(([election]) => election.isLeader())).toHaveLength(1);
  });

  async function renewedAgain(name: string): Promise<void> {
    const renewTime = async () =>
      (await cluster.request<{ spec: { renewTime: string } }>("GET", `${path}/${name}`)).spec
        .renewTime;
    const before = await renewTime();
    while ((await renewTime()) === before) await new Promise(setImmediate);
  }
});

describe("with a scripted API server", () => {
  let server: ScriptedServer;
  let client: KubernetesClient;
  let time: TestTime;
  let election: LeaderElection;
  let changes: boolean[];
  let problems: string[];

  beforeEach(async () => {
    server = await startScriptedServer();
    client = newKubernetesClient(server.config);
    time = new TestTime();
    changes = [];
    problems = [];
    election = new LeaderElection({
      ...{ client, namespace: "default", name: "l", identity: "me", time, wallClock: () => 0 },
      onChange: (leading) => changes.push(leading),
      onProblem: (problem) => problems.push(problem),
    });
    election.start();
  });
  afterEach(async () => {
    client.close();
    const released = election.release();
    await server.close();
    await released;
  });

  const leaseOf = (holderIdentity: string, renewTime: string, leaseDurationSeconds = 15) =>
    JSON.stringify({
      metadata: { name: "l", resourceVersion: "1" },
      spec: { holderIdentity, renewTime, leaseDurationSeconds, leaseTransitions: 4 },
    });

  async function next(method: string) {
    const request = await server.next();
    expect(request.method).toBe(method);
    return request;
  }

  /** Serves reads of the lease until the first write. */
  async function readUntilWrite(lease: string) {
    for (;;) {
      const request = await server.next();
      if (request.method !== "GET") return request;
      request.refuse(200, { body: lease });
    }
  }

  it("takes over a lease that was not renewed for its holder's lease duration, measured by its own clock", async () => {
    const startedAt = time.now();
    const write = await readUntilWrite(leaseOf("other", "2999-01-01T00:00:00.000000Z", 30));
    expect(time.now() - startedAt).toBeGreaterThan(30_000);
    expect(time.now() - startedAt).toBeLessThan(34_000);
    expect(changes).toEqual([]);
    write.refuse(200, { body: "{}" });
    await next("GET");
    expect(changes).toEqual([true]);
  });

  it("does not take over a lease that is renewed", async () => {
    for (let renewal = 0; renewal < 30; renewal++)
      (await next("GET")).refuse(200, { body: leaseOf("other", String(renewal)) });
    expect(time.now()).toBeGreaterThan(60_000);
    expect(changes).toEqual([]);
  });

  it("does not lead after a conflicting write, and reports no problem", async () => {
    (await next("GET")).refuse(404);
    (await next("POST")).refuse(409);
    (await next("GET")).refuse(200, { body: leaseOf("", "") });
    (await next("PUT")).refuse(409);
    await next("GET");
    expect([changes, problems]).toEqual([[], []]);
  });

  it("steps down if it cannot renew, before another candidate may take over", async () => {
    (await next("GET")).refuse(404);
    (await next("POST")).refuse(200, { body: "{}" });
    let request = await next("GET");
    const ledFrom = time.now() - 2_000;
    expect(election.isLeader()).toBe(true);
    while (changes.length < 2) {
      request.refuse(500);
      request = await next("GET");
    }
    expect(changes).toEqual([true, false]);
    expect(time.waits.slice(0, 5)).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
    expect(time.now() - ledFrom).toBeLessThan(15_000);
    expect(problems).not.toEqual([]);
  });

  it("does not lead past its deadline while a request hangs", async () => {
    (await next("GET")).refuse(404);
    (await next("POST")).refuse(200, { body: "{}" });
    await next("GET");
    time.pass(7_999);
    expect(election.isLeader()).toBe(true);
    time.pass(1);
    expect(election.isLeader()).toBe(false);
  });

  it("counts a renewal from its request, even if the response is late", async () => {
    (await next("GET")).refuse(404);
    (await next("POST")).refuse(200, { body: "{}" });
    const renewal = await next("GET");
    renewal.refuse(200, { body: leaseOf("me", "x") });
    const write = await next("PUT");
    time.pass(7_000);
    write.refuse(200, { body: "{}" });
    await next("GET");
    // Other candidates saw the lease change before the 7 s and count its 15 s from there; after the response, 2 s of
    // the remaining time have already passed.
    time.pass(999);
    expect(election.isLeader()).toBe(true);
    time.pass(1);
    expect(election.isLeader()).toBe(false);
  });

  it("steps down immediately if another candidate holds the lease", async () => {
    (await next("GET")).refuse(404);
    (await next("POST")).refuse(200, { body: "{}" });
    (await next("GET")).refuse(200, { body: leaseOf("other", "x") });
    await next("GET");
    expect(changes).toEqual([true, false]);
  });

  it("releases a lease that an aborted write acquired", async () => {
    (await next("GET")).refuse(404);
    const write = await next("POST");
    const released = election.release();
    await write.closed;
    (await next("GET")).refuse(200, { body: leaseOf("me", "x") });
    const freeing = await next("PUT");
    let body = "";
    freeing.response.req.on("data", (chunk) => {
      body += chunk;
    });
    freeing.response.req.on("end", () => freeing.refuse(200, { body: "{}" }));
    await released;
    expect(JSON.parse(body).spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(changes).toEqual([]);
  });

  it("refuses a second start", () => {
    expect(() => election.start()).toThrow(/lease l was already started/);
  });
});
