import type { KubernetesClient, Method, RequestOptions } from "../../../kubernetes/api/client.ts";
import { applyPatchType, mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { collectionPath, objectPath, statusPath } from "../../../kubernetes/paths.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type { Write } from "../../../sdk/multi-cluster/writes.ts";
import { annotation, label } from "../../../sdk/names.ts";
import { managedBy } from "../../../sdk/topology/multi-cluster-names.ts";
import { type ImportDetail, readImport } from "./read-import.ts";
import { readPool } from "./read-pool.ts";
import type { RemoteCluster } from "./remote-cluster.ts";

export interface MemberWriterOptions {
  readonly client: Pick<KubernetesClient, "request">;
  readonly controllerName: string;
  /** Returns the signal that aborts a write when this process may no longer write. */
  readonly mayWrite: () => AbortSignal;
}

/** Timeout of a write, in ms. An API server that hangs must not block a queue for longer. */
const timeoutMs = 10_000;

/** Writes to one member, and keeps the results until the member's watch reports them. */
export class MemberWriter {
  readonly #options: MemberWriterOptions;

  constructor(options: MemberWriterOptions) {
    this.#options = options;
  }

  /** Throws ApiError if the write is refused, and Error if it is no longer allowed or gets no response. */
  async write(
    { written }: Pick<RemoteCluster, "written">,
    namespace: string,
    name: string,
    write: Write,
  ): Promise<void> {
    const { controllerName } = this.#options;
    const key = `${namespace}/${name}`;
    const object = { namespace, name };
    const path = objectPath(kinds.InferencePoolImport, object);
    const status = statusPath(kinds.InferencePoolImport, object);
    const labels = { [label.managedBy]: managedBy(controllerName) };
    const imported = (object: KubernetesObject) => {
      const view = readImport(controllerName)(object);
      if (view !== undefined) written.imports.put(key, view);
    };
    const detailOf = (clusters: ImportDetail["clusters"]) => ({
      [annotation.importDetail]: JSON.stringify({
        controller: controllerName,
        clusters,
      } satisfies ImportDetail),
    });
    const annotated = async (uid: string, annotations: Readonly<Record<string, string | null>>) =>
      imported(
        await this.#request("PATCH", path, {
          contentType: mergePatchType,
          body: { metadata: { uid, annotations } },
        }),
      );
    const { apiVersion, kind } = kinds.InferencePoolImport;
    switch (write.kind) {
      case "create-import":
        return imported(
          await this.#request("POST", collectionPath(kinds.InferencePoolImport, namespace), {
            body: {
              ...{ apiVersion, kind },
              metadata: {
                ...{ namespace, name, labels },
                ...(write.clusters && { annotations: detailOf(write.clusters) }),
              },
            },
          }),
        );
      case "apply-import":
        return imported(
          await this.#request("PATCH", status, {
            contentType: applyPatchType,
            query: { force: "true" },
            body: { apiVersion, kind, metadata: { name, uid: write.uid }, status: write.status },
          }),
        );
      case "clear-import":
        return imported(
          await this.#request("PATCH", status, {
            contentType: mergePatchType,
            body: {
              metadata: { resourceVersion: write.resourceVersion },
              status: write.status,
            },
          }),
        );
      case "release-import":
        return imported(
          await this.#request("PATCH", path, {
            contentType: mergePatchType,
            body: {
              metadata: {
                resourceVersion: write.resourceVersion,
                labels: { [label.managedBy]: null },
              },
            },
          }),
        );
      case "delete-import":
        await this.#delete(path, {
          uid: write.uid,
          resourceVersion: write.resourceVersion,
        });
        return written.imports.deleted(key, write.uid);
      case "write-detail":
        return annotated(write.uid, detailOf(write.clusters));
      case "remove-detail":
        return annotated(write.uid, { [annotation.importDetail]: null });
      case "write-parents": {
        const pool = readPool(
          await this.#request("PATCH", statusPath(kinds.InferencePool, object), {
            contentType: mergePatchType,
            body: {
              metadata: { resourceVersion: write.resourceVersion },
              status: { parents: write.parents },
            },
          }),
        );
        if (pool !== undefined) written.pools.put(key, pool);
      }
    }
  }

  /** Deletes this object only, not a later one of the same name. */
  #delete(
    path: string,
    preconditions: { uid: string; resourceVersion?: string },
  ): Promise<KubernetesObject> {
    return this.#request("DELETE", path, { body: { preconditions } });
  }

  #request(method: Method, path: string, options: RequestOptions): Promise<KubernetesObject> {
    const { client, controllerName, mayWrite } = this.#options;
    const signal = mayWrite();
    signal.throwIfAborted();
    return client.request<KubernetesObject>(method, path, {
      ...options,
      query: { fieldManager: managedBy(controllerName), ...options.query },
      signal,
      timeoutMs,
    });
  }
}
