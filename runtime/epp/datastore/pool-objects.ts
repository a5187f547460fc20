import type { ObjectIdentity } from "../../../sdk/routing/object-identity.ts";
import type { LLMServiceObject } from "../../../sdk/routing/registrations.ts";
import type { ModelRewriteObject } from "../../../sdk/routing/rewrite-table.ts";
import type { AboutPool, RoutedPool } from "../../../sdk/routing/routed-pool.ts";

/**
 * The Kubernetes objects that a picker uses, read from the API server or from a file. They have only the fields that
 * the picker uses; the rest is removed on arrival.
 */
export interface PoolObjects {
  /** Undefined while the pool does not exist or is being deleted. */
  readonly pool: PoolObject | undefined;
  /** Pods of the pool's namespace, ready or not. */
  readonly pods: readonly PodObject[];
  /** Objectives of the pool's namespace, for any pool. */
  readonly objectives: readonly ObjectiveObject[];
  /** Rewrites of the pool's namespace, for any pool. */
  readonly rewrites: readonly RewriteObject[];
  /** LLMServices of the pool's namespace and of the namespaces that it admits, for any pool. */
  readonly services: readonly ServiceObject[];
}

export interface PoolObject extends ObjectIdentity, RoutedPool {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly targetPorts: readonly number[];
  readonly appProtocol: "http" | "kubernetes.io/h2c";
}

export interface PodObject extends ObjectIdentity {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Empty before the pod has an address. */
  readonly ip: string;
  /** Whether condition Ready is True. */
  readonly ready: boolean;
  readonly deleting: boolean;
  /** Format of the KV blocks of a prefiller or a decoder; undefined if unknown, and for other pods. */
  readonly kvFormat?: string | undefined;
}

export interface ObjectiveObject extends ObjectIdentity, AboutPool {
  readonly priority: number;
}

export type RewriteObject = ModelRewriteObject & ObjectIdentity;

export type ServiceObject = LLMServiceObject & ObjectIdentity;

export const noObjects: PoolObjects = {
  pool: undefined,
  pods: [],
  objectives: [],
  rewrites: [],
  services: [],
};

/** Source of the objects of a pool. */
export interface PoolSource {
  /**
   * Starts reading. `onChange` receives all objects: first when everything was read once, then after changes. Changes
   * in quick succession cause one call. A list that did not change is the same array as before.
   */
  start(onChange: (objects: PoolObjects) => void): void;
  /** Reports whether everything was read once and the pool exists. */
  synced(): boolean;
  stop(): Promise<void>;
}
