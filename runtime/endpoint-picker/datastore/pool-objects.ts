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
}

export interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339; empty where a file does not say. */
  readonly creationTimestamp: string;
}

export interface PoolObject extends ObjectIdentity {
  /** API group, inference.networking.k8s.io unless `--pool-group` says otherwise. */
  readonly group: string;
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

export interface PoolReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export interface ObjectiveObject extends ObjectIdentity {
  readonly poolRef: PoolReference;
  readonly priority: number;
}

export interface RewriteObject extends ObjectIdentity {
  readonly poolRef: PoolReference;
  readonly rules: readonly RewriteRuleObject[];
}

export interface RewriteRuleObject {
  /**
   * Model names that the rule is for; undefined for every model. A match without a model matches nothing, so
   * `matches: [{}]` gives an empty list.
   */
  readonly models: readonly string[] | undefined;
  readonly targets: readonly RewriteTarget[];
}

export interface RewriteTarget {
  readonly model: string;
  /** Undefined where the object gives no weights. */
  readonly weight: number | undefined;
}

export const noObjects: PoolObjects = { pool: undefined, pods: [], objectives: [], rewrites: [] };

/** Where objects come from. */
export interface PoolSource {
  /**
   * Starts reading. `onChange` is called with all objects, first when everything was read once, then after
   * changes; several changes at once make one call.
   */
  start(onChange: (objects: PoolObjects) => void): void;
  /** Everything was read once, and the pool exists. */
  synced(): boolean;
  stop(): Promise<void>;
}
