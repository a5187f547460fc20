import type { ObjectIdentity } from "../../../sdk/routing/object-identity.ts";
import type { LLMServiceObject } from "../../../sdk/routing/registrations.ts";
import type { ModelRewriteObject } from "../../../sdk/routing/rewrite-table.ts";
import type { AboutPool, RoutedPool } from "../../../sdk/routing/routed-pool.ts";

/**
 * The Kubernetes objects that a picker works from, as a source reads them: from the API server or from a file.
 * Only the fields that the picker uses; everything else is trimmed on arrival.
 */
export interface PoolObjects {
  /** Undefined while it does not exist or is being deleted. */
  readonly pool: PoolObject | undefined;
  /** Pods of the pool's namespace, ready or not. */
  readonly pods: readonly PodObject[];
  /** Objectives of the pool's namespace, whichever pool they name. */
  readonly objectives: readonly ObjectiveObject[];
  /** Rewrites of the pool's namespace, whichever pool they name. */
  readonly rewrites: readonly RewriteObject[];
  /** LLMServices of the pool's namespace and of those that it admits, whichever pools they name. */
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
  /** Condition Ready is True. */
  readonly ready: boolean;
  readonly deleting: boolean;
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

/** The place that objects come from. */
export interface PoolSource {
  /**
   * Starts reading. `onChange` is called with all objects, first when everything was read once, then after
   * changes; several changes at once make one call. A list that did not change is the same array as before.
   */
  start(onChange: (objects: PoolObjects) => void): void;
  /** Everything was read once, and the pool exists. */
  synced(): boolean;
  stop(): Promise<void>;
}
