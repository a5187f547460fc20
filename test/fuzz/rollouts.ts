import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { GateWatch } from "../../components/rollout/gate-watch.ts";
import { readResponses } from "../../components/rollout/read-responses.ts";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import { counts, defaultGate } from "../../sdk/rollout/counts.fixture.ts";
import { type OwnedPod, podsOfSets } from "../../sdk/rollout/set-pods.ts";
import { restartsPods } from "../../sdk/rollout/set-state.ts";
import { spoiledObject } from "./arbitraries.ts";
import { assertInWords, target } from "./target.ts";

/** Inputs of rollouts: pages of pickers, pods that others created, and the inputs of resources. */

const corpus: unknown[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "corpus", "responses.json"), "utf8"),
);

const page = fc.nat(200).map((responses) => ({
  process: "p",
  endpoints: ["old", "new"].map((uid) => ({
    ...counts(responses, responses % 7),
    ...{ uid, set: "svc", revision: uid },
  })),
}));

/** A SCRIPTED API server with one picker, which sends the pages one after the other. */
function clientOf(pages: readonly unknown[]): KubernetesClient {
  const labels = { app: "epp", "pod-template-hash": "h" };
  const owner = (kind: string, name: string, uid: string) => [
    { kind, name, uid, controller: true },
  ];
  const picker = { name: "epp-0", labels, ownerReferences: owner("ReplicaSet", "epp-h", "r") };
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  const set = { name: "epp-h", uid: "r", ownerReferences: owner("Deployment", "epp", "d") };
  const spec = { replicas: 1, selector: { matchLabels: labels } };
  let read = 0;
  const request = async (_: string, path: string) => {
    if (path.endsWith("/pods")) return { items: [{ metadata: picker, status }] };
    if (path.endsWith("/replicasets")) return { items: [{ metadata: set, spec }] };
    if (path.endsWith("/deployments/epp")) return { metadata: { name: "epp", uid: "d" }, spec };
    read += 1;
    return pages[read - 1];
  };
  return { request } as unknown as KubernetesClient;
}

const pod = (name: string, uid: string, kind: string, owner: string) => ({
  metadata: { name, uid, ownerReferences: [{ kind, name: owner, uid: owner, controller: true }] },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const set = { metadata: { name: "svc", uid: "svc" }, spec: { replicas: 2 } };
const foreign = fc.record({
  name: fc.constantFrom("svc-0", "svc-1", "svc-2", "svc-0-1", "svc", "svc-", "other"),
  kind: fc.constantFrom("LeaderWorkerSet", "StatefulSet", "Pod"),
  owner: fc.constantFrom("svc", "svc-0", "svc-1", "other"),
});

const spec = fc.constant({
  replicas: 2,
  leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [{ name: "e" }] } } },
  networkConfig: { subdomainPolicy: "Shared" },
  rolloutStrategy: { rollingUpdateConfiguration: { maxUnavailable: 1 } },
});

export const rolloutTargets = [
  target(
    "pages of pickers for the gate of a rollout",
    fc.array(fc.oneof(page, spoiledObject(page), fc.constantFrom(...corpus)), {
      minLength: 1,
      maxLength: 6,
    }),
    async (pages) => {
      const client = clientOf(pages);
      const pods = ["old", "new"].map((uid) => ({
        ...{ set: "svc", name: uid, uid, serves: true, failure: undefined },
      }));
      const read = async () => ({ ...(await readResponses(client, "ns", "epp")), pods });
      const gate = new GateWatch(defaultGate, read, 60_000);
      try {
        for (const at of pages.keys()) await gate.check(at * 2_000);
      } catch (error) {
        assertInWords(error);
      }
      const { isSuspicious: _, ...numbers } = gate.counts;
      for (const value of Object.values(numbers))
        if (!Number.isSafeInteger(value) || value < 0) throw new Error(`a count of ${value}`);
    },
  ),
  target("pods that others created", fc.array(foreign, { maxLength: 8 }), (pods) => {
    const all = pods.map(({ name, kind, owner }, at) => pod(name, `pod ${at}`, kind, owner));
    const found = podsOfSets(all as OwnedPod[], [], [set]);
    for (const { name } of found)
      if (!/^svc(-[01])?$/.test(name)) throw new Error(`${name} is a pod of the set`);
  }),
  target(
    "inputs of a LeaderWorkerSet",
    fc.tuple(spoiledObject(spec), spoiledObject(spec)),
    ([before, after]) => {
      restartsPods(before, after);
      if (restartsPods(after, structuredClone(after))) throw new Error("nothing changed");
    },
  ),
];
