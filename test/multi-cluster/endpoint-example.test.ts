import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadProject, memoryState, openStack } from "../../engine/index.ts";
import { selfSignedCertificate } from "../../runtime/process/tls/self-signed.ts";
import {
  startClusterSet,
  startSetController,
  type TestClusterSet,
} from "../harness/cluster-set.ts";
import { type LiveTraffic, startLiveTraffic } from "../harness/live-traffic.ts";
import { repositoryRoot } from "../harness/repository.ts";

/**
 * examples/multi-cluster-endpoint, whole: its program on three API servers, the controller with the permissions of its
 * components, in each cluster a gateway, pickers and model servers; requests by OpenAI's client.
 */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-endpoint-example-"));
const running: Array<{ stop(): Promise<unknown> }> = [];
let set: TestClusterSet;

beforeAll(async () => {
  set = await startClusterSet({
    members: ["east", "west"],
    folder,
    namespaces: ["inference-system"],
  });
  running.push(set);
}, 180_000);
afterAll(async () => {
  for (const each of running.reverse()) await each.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the example's README asks for. */
async function giveCertificates(): Promise<void> {
  const { cert, key } = selfSignedCertificate("qwen-pool-epp", new Date());
  const base64 = (text: Buffer | string) => Buffer.from(text).toString("base64");
  for (const cluster of set.members.values()) {
    await cluster.request("POST", "/api/v1/namespaces/default/secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "qwen-picker" },
      type: "kubernetes.io/tls",
      data: { "tls.crt": base64(cert), "tls.key": base64(key) },
    });
    await cluster.request("POST", "/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "picker-authorities" },
      data: { "ca.crt": cert.toString() },
    });
  }
}

const requestsTo = ({ servers }: LiveTraffic) =>
  servers.reduce((sum, { server }) => sum + server.served.length, 0);

const ask = (client: OpenAI) =>
  client.completions.create({ model: "base", prompt: "Hello.", max_tokens: 1 });

async function eventually(check: () => Promise<void> | void): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

it("serves each cluster's requests there, and elsewhere while it cannot", async () => {
  await giveCertificates();
  const project = await loadProject(
    join(repositoryRoot, "examples/multi-cluster-endpoint"),
    "test",
  );
  const stack = openStack({
    ...project,
    state: memoryState(),
    config: { kubeconfig: set.kubeconfig },
  });
  const up = await stack.up();
  expect(up.diagnostics).toEqual([]);
  running.push(await startSetController(set, "inference-system", join(folder, "controller")));

  const traffic = new Map<string, LiveTraffic>();
  for (const [name, { kubeconfig }] of set.members) {
    await eventually(async () => {
      const { items } = await (set.members.get(name) as (typeof set)["hub"]).request<{
        items: Array<{ status: { podIP?: string } }>;
      }>(
        "GET",
        "/api/v1/namespaces/default/pods?labelSelector=fusioninfer.io/component-type=worker",
      );
      expect(items.filter(({ status }) => status.podIP !== undefined).length).toBe(2);
    });
    const place = { kubeconfig, namespace: "default", folder: join(folder, name) };
    const live = await startLiveTraffic({
      ...place,
      serverOf: () => ({ stepMs: 1, anyModel: true }),
    });
    running.push(live);
    traffic.set(name, live);
  }
  const [east, west] = ["east", "west"].map((name) => traffic.get(name)) as [
    LiveTraffic,
    LiveTraffic,
  ];
  for (const { client } of [east, west]) await eventually(async () => void (await ask(client)));

  const before = { east: requestsTo(east), west: requestsTo(west) };
  for (let sent = 0; sent < 20; sent += 1) await ask(east.client);
  expect(requestsTo(east) - before.east).toBe(20);
  expect(requestsTo(west) - before.west).toBe(0);

  await east.cutOff();
  await eventually(async () => void (await ask(east.client)));
  for (let sent = 0; sent < 20; sent += 1) await ask(east.client);
  expect(requestsTo(west) - before.west).toBeGreaterThanOrEqual(21);

  await east.restore();
  await eventually(async () => {
    await ask(east.client);
    expect(requestsTo(east)).toBeGreaterThan(0);
  });

  expect((await stack.up()).summary).toEqual({ same: up.steps.length });
  expect((await stack.destroy()).diagnostics).toEqual([]);
}, 180_000);
