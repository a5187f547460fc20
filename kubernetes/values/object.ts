/** The fields of every object in the API server. */
export interface KubernetesObject {
  readonly metadata: ObjectMeta;
}

export interface ObjectMeta {
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Increases with each change of the spec. */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns `namespace/name`, or only the name for a cluster-scoped object. */
export const keyOf = ({ metadata: { namespace, name } }: KubernetesObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Whether a value has the fields of every object. */
export const isObject = (object: unknown): object is KubernetesObject =>
  typeof (object as Partial<KubernetesObject> | null)?.metadata?.name === "string";
