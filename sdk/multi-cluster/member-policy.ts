/**
 * What a member of a cluster set may do to the others. It comes from whoever keeps the set, never from the member, and
 * the rules stand here once.
 */

/** Names that a member may export. */
export interface ExportGrant {
  /** A namespace, or how namespaces begin (`ml-*`). */
  readonly namespace: string;
  /** Names of pools, or how they begin; undefined for all. */
  readonly pools?: readonly string[] | undefined;
}

export interface MemberPolicy {
  /** Undefined: any name that no other member's list has. */
  readonly exports?: readonly ExportGrant[] | undefined;
  /** Most pools that it exports, the oldest first; undefined for `mostExports`. */
  readonly maxExports?: number | undefined;
  /** CIDRs to which requests may go because of it; undefined for any. */
  readonly networks?: readonly string[] | undefined;
  /** Most endpoints that its picker is believed to have. */
  readonly maxEndpoints?: number | undefined;
  /** Labels by which exports choose who imports them, its region and zone among them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Uid of its namespace kube-system; undefined before it was read. */
  readonly uid?: string | undefined;
}

/** Pools that a member exports, where nothing else is said: each becomes an import in every other member. */
export const mostExports = 100;

export const openPolicy: MemberPolicy = {};

/** Why a member may not export a name, to follow the name; undefined where it may. */
export function exportDenial(
  policies: ReadonlyMap<string, MemberPolicy>,
  member: string,
  namespace: string,
  name: string,
): string | undefined {
  if (namespace.startsWith("kube-"))
    return "is in a system namespace, from which nothing is exported";
  const { exports } = policies.get(member) ?? openPolicy;
  if (exports !== undefined)
    return isGranted(exports, namespace, name)
      ? undefined
      : `is not among the names that the cluster set lets ${member} export (exports of the member)`;
  const owners = [...policies]
    .filter(([, policy]) => policy.exports && isGranted(policy.exports, namespace, name))
    .map(([owner]) => owner)
    .sort();
  if (owners.length === 0) return undefined;
  return `is reserved for ${owners.join(", ")}; add it to exports of ${member} too`;
}

const isGranted = (grants: readonly ExportGrant[], namespace: string, name: string): boolean =>
  grants.some(
    (grant) =>
      matches(grant.namespace, namespace) &&
      (grant.pools === undefined || grant.pools.some((pattern) => matches(pattern, name))),
  );

const matches = (pattern: string, text: string): boolean =>
  pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
