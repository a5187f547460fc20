import { setTimeout as sleep } from "node:timers/promises";
import { mergePatch } from "../../harness/api-client.ts";
import type { Cluster } from "../../harness/cluster.ts";
import type { Expectations, Watched } from "./expectations.ts";
import {
  collections,
  counts,
  modelOf,
  pathOf,
  podName,
  readiness,
  rewriteSpec,
} from "./objects.ts";

interface Rate {
  readonly seconds: number;
  readonly changesASecond: number;
}

/** Pods become ready and not ready, LLMServices and rewrites change their models: 3 to 1 to 1. */
export async function changeThings(
  cluster: Cluster,
  namespace: string,
  expectations: Expectations,
  { seconds, changesASecond }: Rate,
): Promise<void> {
  const started = performance.now();
  const running = new Set<Promise<void>>();
  const kinds = [changePod, changePod, changePod, changeService, changeRewrite];
  for (let n = 0; n < seconds * changesASecond; n += 1) {
    const wait = started + (n * 1000) / changesASecond - performance.now();
    if (wait > 0) await sleep(wait);
    const change = kinds[n % kinds.length]?.(cluster, namespace, expectations, n);
    if (change === undefined) continue;
    running.add(change);
    void change.finally(() => running.delete(change));
  }
  await Promise.all(running);
}

/** How many pods of each service are ready. */
const notReady = new Map<number, number>();

async function changePod(
  cluster: Cluster,
  namespace: string,
  expectations: Expectations,
  n: number,
): Promise<void> {
  const service = n % counts.services;
  if (expectations.isOpen(collections.services, `s${service}`)) return;
  const before = notReady.get(service) ?? 0;
  const ready = before > 0;
  notReady.set(service, ready ? 0 : 1);
  const readyPods = counts.podsOfService - (ready ? 0 : 1);
  expectations.expect(
    collections.services,
    `s${service}`,
    ({ status }) => status?.components?.w?.readyPods === readyPods,
  );
  const path = `${pathOf(namespace, "v1/pods", podName(service, 0))}/status`;
  await cluster.request("PATCH", path, { status: readiness(ready) }, mergePatch);
}

/** Every tenth service takes the name of another, and loses it again with its next change. */
const changeService: typeof changePod = async (cluster, namespace, expectations, n) => {
  const at = (n * 7) % counts.llmServices;
  const name = n % 10 === 3 ? modelOf((at + 1) % counts.llmServices) : `${modelOf(at)}-${n}`;
  const spec = { models: [{ name }] };
  await changeSpec(cluster, namespace, expectations, [collections.llmServices, `l${at}`], spec);
};

const changeRewrite: typeof changePod = async (cluster, namespace, expectations, n) => {
  const at = (n * 7) % counts.rewrites;
  const spec = rewriteSpec(modelOf((at + n) % counts.llmServices));
  await changeSpec(cluster, namespace, expectations, [collections.rewrites, `r${at}`], spec);
};

/** The status is about the new generation, which the change's answer names. */
async function changeSpec(
  cluster: Cluster,
  namespace: string,
  expectations: Expectations,
  [collection, name]: readonly [string, string],
  spec: object,
): Promise<void> {
  if (expectations.isOpen(collection, name)) return;
  const changed = await cluster.request<Watched>(
    "PATCH",
    pathOf(namespace, collection, name),
    { spec },
    mergePatch,
  );
  const { generation } = changed.metadata;
  expectations.expect(
    collection,
    name,
    ({ status }) => (status?.conditions?.[0]?.observedGeneration ?? 0) >= generation,
  );
}
