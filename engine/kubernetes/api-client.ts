import type { KubeConfig } from "@kubernetes/client-node";
import { ApiError, NoAnswerError } from "../../kubernetes/api/api-error.ts";
import {
  type KubernetesClient,
  type Method,
  newKubernetesClient,
  type RequestOptions,
} from "../../kubernetes/api/client.ts";
import { collectionPath, groupVersionPath, objectPath } from "../../kubernetes/paths.ts";
import { NoSuchKindError, UnreachableError } from "./api-error.ts";
import type { KubernetesObject } from "./object.ts";

/** The address of a kind in the API. */
export interface KindAddress {
  plural: string;
  namespaced: boolean;
}

const TIMEOUT_MILLISECONDS = 60_000;
const MOST_RETRIES = 10;

/**
 * One API server: requests with the kubeconfig's credentials and limited concurrency, to kinds at their served
 * addresses.
 */
export class ApiClient {
  readonly #client: KubernetesClient;
  readonly #origin: string;
  readonly #kinds = new Map<string, Promise<Map<string, KindAddress>>>();

  constructor(config: KubeConfig, parallel: number) {
    this.#client = newKubernetesClient(config, {
      timeoutMs: TIMEOUT_MILLISECONDS,
      retries: MOST_RETRIES,
      connections: parallel,
      userAgent: "pulumi-inference-engine",
    });
    this.#origin = new URL(config.getCurrentCluster()?.server ?? "").origin;
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the address of a kind, with one discovery request for each group and version. */
  async addressOf(apiVersion: string, kind: string): Promise<KindAddress> {
    const known = this.#kinds.get(apiVersion) ?? this.#discover(apiVersion);
    this.#kinds.set(apiVersion, known);
    const address = (await known).get(kind);
    if (address === undefined) throw new NoSuchKindError(apiVersion, kind);
    return address;
  }

  /** Clears the discovered kinds, after a CRD was created or a kind was missing. */
  forgetKinds(): void {
    this.#kinds.clear();
  }

  /** Returns the path of an object, or of its collection if it has no name yet. */
  async pathOf({ apiVersion, kind, metadata }: KubernetesObject, name = ""): Promise<string> {
    const { plural, namespaced } = await this.addressOf(apiVersion, kind);
    const served = { apiVersion, plural };
    const namespace = namespaced ? (metadata.namespace ?? "default") : undefined;
    return name === ""
      ? collectionPath(served, namespace)
      : objectPath(served, { namespace, name });
  }

  /**
   * Sends a request. Errors contain only the server's message, as in the Pulumi provider: a diagnostic names the
   * resource.
   */
  async request<Answer = KubernetesObject>(
    method: Method,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    try {
      return await this.#client.request<Answer>(method, path, options);
    } catch (error) {
      if (error instanceof NoAnswerError) throw new UnreachableError(this.#origin, error);
      if (error instanceof ApiError && error.isStatus) error.message = error.detail;
      throw error;
    }
  }

  async #discover(apiVersion: string): Promise<Map<string, KindAddress>> {
    interface ResourceList {
      resources: { name: string; kind: string; namespaced: boolean }[];
    }
    try {
      const { resources } = await this.request<ResourceList>("GET", groupVersionPath(apiVersion));
      return new Map(
        resources
          .filter(({ name }) => !name.includes("/"))
          .map(({ name, kind, namespaced }) => [kind, { plural: name, namespaced }]),
      );
    } catch (error) {
      this.#kinds.delete(apiVersion);
      if (error instanceof ApiError && error.status === 404) return new Map();
      throw error;
    }
  }
}
