import { setTimeout as sleep } from "node:timers/promises";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { Cluster } from "../../testing/cluster.ts";
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

/**
 * Pods become ready and not ready, LLMServices and rewrites change their models: 3 to 1 to 1. An object whose status
 * is still to come is passed over: what it would be later says nothing about now.
 *
 * @returns milliseconds that the API server took to answer each change
 */
export async function changeThings(
  cluster: Cluster,
  namespace: string,
  expectations: Expectations,
  { seconds, changesASecond }: Rate,
): Promise<number[]> {
  const started = performance.now();
  const answers: number[] = [];
  const running = new Set<Promise<void>>();
  const kinds = [changePod, changePod, changePod, changeService, changeRewrite];
  for (let n = 0; n < seconds * changesASecond; n += 1) {
    const wait = started + (n * 1000) / changesASecond - performance.now();
    if (wait > 0) await sleep(wait);
    const sent = performance.now();
    const change = kinds[n % kinds.length]?.(cluster, namespace, expectations, n);
    if (change === undefined) continue;
    running.add(change);
    void change.finally(() => {
      running.delete(change);
      answers.push(performance.now() - sent);
    });
  }
  await Promise.all(running);
  return answers;
}

/** Undefined where the object was passed over. */
type Change = (
  cluster: Cluster,
  namespace: string,
  expectations: Expectations,
  n: number,
) => Promise<void> | undefined;

/** How many pods of each service are not ready. */
const notReady = new Map<number, number>();

const changePod: Change = (cluster, namespace, expectations, n) => {
  const service = n % counts.services;
  if (expectations.isOpen(collections.services, `s${service}`)) return undefined;
  const ready = (notReady.get(service) ?? 0) > 0;
  notReady.set(service, ready ? 0 : 1);
  const readyPods = counts.podsOfService - (ready ? 0 : 1);
  expectations.expect(
    collections.services,
    `s${service}`,
    ({ status }) => status?.components?.w?.readyPods === readyPods,
  );
  const path = `${pathOf(namespace, "v1/pods", podName(service, 0))}/status`;
  return cluster.request("PATCH", path, { status: readiness(ready) }, mergePatchType);
};

/** Every tenth service takes the name of another, and loses it again with its next change. */
const changeService: Change = (cluster, namespace, expectations, n) => {
  const at = (n * 7) % counts.llmServices;
  const name = n % 10 === 3 ? modelOf((at + 1) % counts.llmServices) : `${modelOf(at)}-${n}`;
  const spec = { models: [{ name }] };
  return changeSpec(cluster, namespace, expectations, [collections.llmServices, `l${at}`], spec);
};

const changeRewrite: Change = (cluster, namespace, expectations, n) => {
  const at = (n * 7) % counts.rewrites;
  const spec = rewriteSpec(modelOf((at + n) % counts.llmServices));
  return changeSpec(cluster, namespace, expectations, [collections.rewrites, `r${at}`], spec);
};

function changeSpec(
  cluster: Cluster,
  namespace: string,
  expectations: Expectations,
  [collection, name]: readonly [string, string],
  spec: object,
): Promise<void> | undefined {
  if (expectations.isOpen(collection, name)) return undefined;
  const sent = performance.now();
  const path = pathOf(namespace, collection, name);
  return cluster.request<Watched>("PATCH", path, { spec }, mergePatchType).then(({ metadata }) => {
    // The status is about the new generation, which the change's answer names.
    const { generation } = metadata;
    expectations.expect(
      collection,
      name,
      ({ status }) => (status?.conditions?.[0]?.observedGeneration ?? 0) >= generation,
      sent,
    );
  });
}
