import { setTimeout as sleep } from "node:timers/promises";
import { unlessAbsent } from "../../kubernetes/api/api-error.ts";
import type { PropertyMap } from "../property-value.ts";
import type { ProviderLog } from "../provider.ts";
import type { ApiClient } from "./api-client.ts";
import { annotation, type KubernetesObject } from "./object.ts";
import type { Lookup, ReadyCondition } from "./object-status.ts";

const DEFAULT_TIMEOUT_SECONDS = 600;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 2_000;

// Kinds for which the provider has always applied `pulumi.com/skipAwait` to deletions too.
const SKIPS_DELETION = new Set([
  ...["v1/Namespace", "v1/Pod", "v1/ReplicationController", "apps/v1/DaemonSet"],
  ...["apps/v1/Deployment", "apps/v1/StatefulSet", "batch/v1/Job"],
]);

/** Returns `customTimeouts`, otherwise the annotation `pulumi.com/timeoutSeconds`, otherwise ten minutes. */
export function timeoutSeconds(custom: number | undefined, inputs: KubernetesObject): number {
  const annotated = Number(annotation(inputs, "pulumi.com/timeoutSeconds"));
  return custom || (annotated > 0 ? annotated : DEFAULT_TIMEOUT_SECONDS);
}

export interface Wait {
  client: ApiClient;
  path: string;
  seconds: number;
  log: ProviderLog;
}

/**
 * Waits until an object meets its condition. On a timeout, the error contains the unmet condition and the last live
 * object.
 */
export async function awaitReady(
  written: KubernetesObject,
  condition: ReadyCondition,
  wait: Wait,
): Promise<{ live: KubernetesObject; initErrors?: string[] }> {
  let live = written;
  for await (const isLast of attempts(wait.seconds)) {
    const readiness = await condition(live, lookupWith(wait.client));
    if (readiness.ready) return { live };
    if (readiness.failed || isLast) {
      const after = readiness.failed ? "" : `after ${wait.seconds} s still `;
      return { live, initErrors: [`${after}waiting for ${readiness.waitingFor}`] };
    }
    wait.log.status(`waiting for ${readiness.waitingFor}`);
    live = await wait.client.request("GET", wait.path);
  }
  return { live };
}

/** Waits until an object is deleted, or another object has its name. */
export async function awaitGone(object: KubernetesObject, wait: Wait): Promise<void> {
  const key = `${object.apiVersion}/${object.kind}`;
  if (annotation(object, "pulumi.com/skipAwait") === "true" && SKIPS_DELETION.has(key)) return;
  const { uid } = object.metadata;
  for await (const isLast of attempts(wait.seconds)) {
    const live = await getIfPresent(wait.client, wait.path);
    if (live === undefined || (uid !== undefined && live.metadata.uid !== uid)) return;
    const finalizers = (live.metadata.finalizers ?? []) as string[];
    const holding =
      finalizers.length > 0 ? `; it is held by the finalizers ${finalizers.join(", ")}` : "";
    if (isLast)
      throw new Error(
        `${object.kind} ${object.metadata.name} was not gone after ${wait.seconds} s${holding}`,
      );
    wait.log.status(`waiting for the object to be gone${holding}`);
  }
}

export function lookupWith(client: ApiClient): Lookup {
  return (path, query = {}) => unlessAbsent(client.request<PropertyMap>("GET", path, { query }));
}

async function getIfPresent(
  client: ApiClient,
  path: string,
): Promise<KubernetesObject | undefined> {
  return (await lookupWith(client)(path)) as KubernetesObject | undefined;
}

/** Yields for each attempt whether it is the last one, with increasing pauses between attempts. */
async function* attempts(seconds: number): AsyncGenerator<boolean> {
  const end = Date.now() + seconds * 1000;
  let pause = FIRST_PAUSE_MILLISECONDS;
  for (;;) {
    const left = end - Date.now();
    yield left <= 0;
    await sleep(Math.min(pause, Math.max(left, 0)));
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MILLISECONDS);
  }
}
