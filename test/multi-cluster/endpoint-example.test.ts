import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadProject, memoryState, openStack } from "../../engine/index.ts";
import {
  giveCertificates,
  startClusterSet,
  startSetController,
  type TestClusterSet,
} from "../../testing/cluster-set.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/live-traffic.ts";
import { repositoryRoot } from "../../testing/repository.ts";

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

const ask = (client: OpenAI) =>
  client.completions.create({ model: "base", prompt: "Hello.", max_tokens: 1 });

/** Asks on and on, one request after the other. */
function steadily(ask: () => Promise<unknown>) {
  let asked = 0;
  let isOver = false;
  const failures: unknown[] = [];
  const asking = (async () => {
    for (; !isOver; asked += 1) await ask().catch((error) => failures.push(error));
  })();
  return {
    more: (requests: number) => {
      const wanted = asked + requests;
      return eventually(() => expect(asked).toBeGreaterThanOrEqual(wanted));
    },
    async failures() {
      isOver = true;
      await asking;
      return failures;
    },
  };
}

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
  await giveCertificates(set, {
    hostname: "qwen-epp.default.svc",
    secret: "qwen-picker",
    configMap: "picker-authorities",
  });
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

  const before = { east: east.servedCount(), west: west.servedCount() };
  for (let sent = 0; sent < 20; sent += 1) await ask(east.client);
  expect(east.servedCount() - before.east).toBe(20);
  expect(west.servedCount() - before.west).toBe(0);

  // Its pods go and come back, its picker stays: no request is lost, also of those that are on their way.
  const answers = steadily(() => ask(east.client));
  await east.setReady(false);
  await eventually(() => expect(west.servedCount() - before.west).toBeGreaterThanOrEqual(20));
  const atHome = east.servedCount();
  await answers.more(20);
  expect(east.servedCount()).toBe(atHome);
  await east.setReady(true);
  await eventually(() => expect(east.servedCount()).toBeGreaterThan(atHome));
  expect(await answers.failures()).toEqual([]);

  const moved = west.servedCount();
  await east.cutOff();
  await eventually(async () => void (await ask(east.client)));
  for (let sent = 0; sent < 20; sent += 1) await ask(east.client);
  expect(west.servedCount() - moved).toBeGreaterThanOrEqual(21);

  await east.restore();
  await eventually(async () => {
    await ask(east.client);
    expect(east.servedCount()).toBeGreaterThan(0);
  });

  expect((await stack.up()).summary).toEqual({ same: up.steps.length });
  expect((await stack.destroy()).diagnostics).toEqual([]);
}, 180_000);
