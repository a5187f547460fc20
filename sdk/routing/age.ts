/** The fields of an object that determine its precedence by age. */
export interface Aged {
  readonly namespace: string;
  readonly name: string;
  /**
   * RFC 3339, as the API server writes it. Empty for an object that was never in a cluster; such an object counts as
   * the oldest.
   */
  readonly creationTimestamp: string;
}

/**
 * Compares objects by age, the older first. Timestamps have a resolution of one second, so objects of one stack often
 * have the same age. Namespace and name then decide, so that every reader has the same order.
 */
export function olderFirst(a: Aged, b: Aged): number {
  return (
    compare(a.creationTimestamp, b.creationTimestamp) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
