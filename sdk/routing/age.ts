/** An object as far as its age decides who comes first. */
export interface Aged {
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339 as the API server writes it; empty where the object was never in a cluster, which counts as oldest. */
  readonly creationTimestamp: string;
}

/**
 * The older object first. Ages have a resolution of one second, so that objects which one stack makes are often of
 * one age: namespace and name decide between those, for every reader alike.
 */
export function olderFirst(a: Aged, b: Aged): number {
  return (
    compare(a.creationTimestamp, b.creationTimestamp) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
