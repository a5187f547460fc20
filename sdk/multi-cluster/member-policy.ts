/**
 * Rights of a member in a cluster set. The owner of the set defines them, never the member. They are checked only here.
 */

/** Names that a member may export. */
export interface ExportGrant {
  /** A namespace, or a prefix of namespaces (`ml-*`). */
  readonly namespace: string;
  /** Names of pools, or prefixes of names; undefined for all. */
  readonly pools?: readonly string[] | undefined;
}

export interface MemberPolicy {
  /** Names that it may export; undefined for all names that are not granted to another member. */
  readonly exports?: readonly ExportGrant[] | undefined;
  /** Maximum number of exported pools; older pools take precedence. Default `mostExports`. */
  readonly maxExports?: number | undefined;
  /** CIDRs to which requests for this member may be sent; undefined for any. */
  readonly networks?: readonly string[] | undefined;
  /** Upper limit for the endpoints that its picker reports. */
  readonly maxEndpoints?: number | undefined;
  /** Labels by which exports select the members that import them, including its region and zone. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Required uid of its namespace kube-system; undefined to accept the first uid that the member reports. */
  readonly uid?: string | undefined;
}

/** Default limit on the pools that a member exports. Each becomes an import in every other member. */
export const mostExports = 100;

export const openPolicy: MemberPolicy = {};

/** Returns why a member may not export a name, as text that follows the name; undefined if the member may export it. */
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
