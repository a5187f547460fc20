import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { applyPatchType } from "../../../kubernetes/api/patch-types.ts";
import type { KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { collectionPath, objectPath } from "../../../kubernetes/paths.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { label } from "../../../sdk/names.ts";
import { factsOf, kindOf } from "../../../sdk/topology/planned-kinds.ts";

/**
 * The agent's ServiceAccount, which owns the written objects, so that they are deleted with it. The ConfigMap that
 * defines the route cannot own them: it is recreated on changes, which would delete the route.
 */
export interface RouteOwner {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

interface Found {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

const fieldManager = "pulumi-inference-parents-agent";

/** Writes the objects of one route, and deletes objects that it wrote and that are no longer needed. */
export class RouteWriter {
  readonly #client: Pick<KubernetesClient, "request">;
  readonly #owner: RouteOwner;

  constructor(client: Pick<KubernetesClient, "request">, owner: RouteOwner) {
    this.#client = client;
    this.#owner = owner;
  }

  /**
   * Writes backends before the route that refers to them, and deletes them after it.
   *
   * @param backends kinds of backends that may have to be deleted
   * @throws Error if an object of that name has another owner, and ApiError
   */
  async write(
    objects: readonly Manifest[],
    backends: ReadonlyArray<Pick<KindAddress, "apiVersion" | "plural">>,
  ): Promise<void> {
    for (const object of objects) await this.#apply(object);
    const wanted = new Set(objects.map(pathOf));
    for (const kind of backends)
      for (const path of await this.#ownPaths(kind))
        if (!wanted.has(path)) await this.#client.request("DELETE", path).catch(unlessGone);
  }

  async #apply(object: Manifest): Promise<void> {
    const path = pathOf(object);
    const found = await this.#client.request<Found>("GET", path).catch(unlessGone);
    if (found !== undefined && !this.#isOwn(found))
      throw new Error(
        `${object.kind} ${this.#owner.namespace}/${object.metadata.name} does not belong to this agent; remove it, or give the imported pool another name`,
      );
    const { name, uid } = this.#owner;
    const { metadata } = object;
    const owner = { apiVersion: "v1", kind: "ServiceAccount", name, uid };
    await this.#client.request("PATCH", path, {
      contentType: applyPatchType,
      query: { fieldManager, force: "true" },
      body: {
        ...object,
        metadata: {
          ...metadata,
          labels: { ...metadata.labels, [label.parentsAgent]: name },
          ownerReferences: [owner],
        },
      },
    });
  }

  async #ownPaths(kind: Pick<KindAddress, "apiVersion" | "plural">): Promise<string[]> {
    const { namespace, name } = this.#owner;
    const { items } = await this.#client.request<{ items: readonly Found[] }>(
      "GET",
      collectionPath(kind, namespace),
      { query: { labelSelector: `${label.parentsAgent}=${name}` } },
    );
    return items.map(({ metadata }) => objectPath(kind, { namespace, name: metadata.name }));
  }

  #isOwn({ metadata: { labels = {} } }: Found): boolean {
    return labels[label.parentsAgent] === this.#owner.name;
  }
}

function pathOf(object: Manifest): string {
  const kind = kindOf(object);
  if (kind === undefined) throw new Error(`no kind ${object.kind}`);
  return objectPath(factsOf(kind), object.metadata);
}

function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
