import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";

export interface Account {
  readonly name: string;
  readonly namespace: string;
}

/** Returns a role with the given PolicyRules, and the binding of the same name that grants it to accounts. */
export const planRole = (
  kind: "Role" | "ClusterRole",
  metadata: ObjectMeta,
  rules: readonly object[],
  accounts: readonly Account[],
): Manifest[] => [
  { apiVersion: kinds[kind].apiVersion, kind, metadata, rules },
  {
    apiVersion: kinds[kind].apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: groups.rbac, kind, name: metadata.name },
    subjects: accounts.map(({ name, namespace }) => ({ kind: "ServiceAccount", name, namespace })),
  },
];
