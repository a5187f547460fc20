/** What every object of the API server has. */
export interface KubernetesObject {
  readonly metadata: ObjectMeta;
}

export interface ObjectMeta {
  readonly name: string;
  /** Absent from objects of the whole cluster. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Rises with each change of the spec. */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `namespace/name`, or the name alone of an object of the whole cluster. */
export const keyOf = ({ metadata: { namespace, name } }: KubernetesObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Whether it has what every object has, whoever says that it is one. */
export const isObject = (object: unknown): object is KubernetesObject =>
  typeof (object as Partial<KubernetesObject> | null)?.metadata?.name === "string";
