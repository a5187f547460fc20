import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { clusterObjectMeta, objectMeta, type PlanContext } from "../object-meta.ts";

/** What a program may do, by PolicyRules. */
export interface Permissions {
  /** In its own namespace. */
  readonly namespace?: readonly object[];
  /** In every namespace. */
  readonly cluster?: readonly object[];
}

const group = groups.rbac;
const apiVersion = `${group}/v1`;

/** Who a program is and what it may do: a ServiceAccount, and roles of the same name bound to it. */
export function planIdentity(
  context: PlanContext,
  name: string,
  { namespace, cluster }: Permissions,
): Manifest[] {
  const meta = objectMeta(context, name);
  const clusterMeta = clusterObjectMeta(context, name);
  const bound = (kind: "Role" | "ClusterRole") => ({
    roleRef: { apiGroup: group, kind, name },
    subjects: [{ kind: "ServiceAccount", name, namespace: context.metadata.namespace }],
  });
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: meta },
    ...(namespace === undefined
      ? []
      : [
          { apiVersion, kind: "Role", metadata: meta, rules: namespace },
          { apiVersion, kind: "RoleBinding", metadata: meta, ...bound("Role") },
        ]),
    ...(cluster === undefined
      ? []
      : [
          { apiVersion, kind: "ClusterRole", metadata: clusterMeta, rules: cluster },
          {
            apiVersion,
            kind: "ClusterRoleBinding",
            metadata: clusterMeta,
            ...bound("ClusterRole"),
          },
        ]),
  ];
}
