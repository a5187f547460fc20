import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { statusPath } from "../../../kubernetes/paths.ts";
import { mergePatch } from "../../../kubernetes/values/merge-patch.ts";
import type { StatusObject } from "./status-object.ts";
import type { WantedStatus } from "./statuses.ts";

/** Result of a write. `conflict`: the object changed, and its watch event will requeue it. */
export type WriteResult = "unchanged" | "written" | "conflict" | "gone";

interface Known {
  readonly uid: string;
  /** Resource version in the cache when the status was computed. */
  readonly from: string;
  readonly resourceVersion: string;
  readonly status: object;
}

/**
 * Writes the changed fields of a status. A write contains the version of the object from which the status was computed,
 * so that the API server refuses it if the object has changed since.
 */
export class StatusWriter {
  readonly #client: Pick<KubernetesClient, "request">;
  /** Statuses whose watch events have not arrived yet. */
  readonly #written = new Map<string, Known>();

  constructor(client: Pick<KubernetesClient, "request">) {
    this.#client = client;
  }

  /** Returns the object with the last written status, because the watch event arrives after the response. */
  current<Status, Reading>(
    key: string,
    object: StatusObject<Status, Reading>,
  ): StatusObject<Status, Reading> {
    const known = this.#written.get(key);
    if (known === undefined) return object;
    if (known.from !== object.resourceVersion || known.uid !== object.uid) {
      this.#written.delete(key);
      return object;
    }
    const { resourceVersion, status } = known;
    return { ...object, resourceVersion, status: status as Status };
  }

  forget(key: string): void {
    this.#written.delete(key);
  }

  async write(key: string, { kind, object, status }: WantedStatus): Promise<WriteResult> {
    const patch = mergePatch({ ...object.status }, { ...status });
    if (patch === undefined) return "unchanged";
    const { resourceVersion } = object;
    try {
      const answer = await this.#client.request<Answer>("PATCH", statusPath(kind, object), {
        contentType: mergePatchType,
        body: { metadata: { resourceVersion }, status: patch },
      });
      this.#written.set(key, {
        uid: object.uid,
        from: this.#written.get(key)?.from ?? resourceVersion,
        resourceVersion: answer.metadata.resourceVersion,
        status: answer.status ?? {},
      });
      return "written";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409) return "conflict";
      if (error.status === 404) return "gone";
      throw error;
    }
  }
}

interface Answer {
  readonly metadata: { readonly resourceVersion: string };
  readonly status?: object;
}
