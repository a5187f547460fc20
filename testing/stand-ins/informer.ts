import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import type { ApiClient } from "../api/api-client.ts";
import { type KubeObject, keyOf } from "./objects.ts";

/** A local copy of all objects of one kind, kept current by a watch. */
export interface Informer<T extends KubeObject> {
  list(): T[];
  /** Resolves when the first list has arrived. */
  synced: Promise<void>;
}

export interface InformerOptions {
  /** Called after each change, with nothing: controllers look at the whole. */
  onChange: () => void;
  signal: AbortSignal;
}

const reconnectMs = 200;

/**
 * Lists a collection, watches it from there, and lists again when the watch is lost. `path` is the path of the
 * collection, for example `/api/v1/pods`.
 */
export function informer<T extends KubeObject>(
  client: Pick<ApiClient, "request" | "watch">,
  path: string,
  { onChange, signal }: InformerOptions,
): Informer<T> {
  const cache = new Map<string, T>();
  let markSynced = () => {};
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve;
  });
  const follow = async () => {
    while (!signal.aborted) {
      try {
        const version = await fill(client, path, cache);
        markSynced();
        onChange();
        await watch(
          client,
          `${path}?watch=true&resourceVersion=${version}`,
          cache,
          onChange,
          signal,
        );
      } catch (error) {
        if (signal.aborted) return;
        // A kind whose CRD is gone has no objects.
        if (error instanceof ApiError && error.status === 404) cache.clear();
        await sleep(reconnectMs);
      }
    }
  };
  void follow().finally(markSynced);
  return { list: () => [...cache.values()], synced };
}

interface List<T> {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string };
  items: T[];
}

async function fill<T extends KubeObject>(
  client: Pick<ApiClient, "request">,
  path: string,
  cache: Map<string, T>,
): Promise<string> {
  const { apiVersion, kind, metadata, items } = await client.request<List<T>>("GET", path);
  cache.clear();
  for (const item of items) {
    // Members of a list do not say their kind; the list does.
    const object = { ...item, apiVersion, kind: kind.replace(/List$/, "") };
    cache.set(keyOf(object), object);
  }
  return metadata.resourceVersion;
}

async function watch<T extends KubeObject>(
  client: Pick<ApiClient, "watch">,
  path: string,
  cache: Map<string, T>,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const { type, object } of client.watch<T>(path, signal)) {
    if (type === "DELETED") cache.delete(keyOf(object));
    else cache.set(keyOf(object), object);
    onChange();
  }
}
