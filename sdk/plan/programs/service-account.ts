import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { clusterObjectMeta, objectMeta, type PlanContext } from "../object-meta.ts";
import { planRole } from "./role.ts";

/** What a program may do, by PolicyRules. */
export interface Permissions {
  /** In its own namespace. */
  readonly namespace?: readonly object[];
  /** In every namespace. */
  readonly cluster?: readonly object[];
  /** Names of other ServiceAccounts that may do the same. */
  readonly alsoFor?: readonly string[];
}

/** The identity of a program and its permissions: a ServiceAccount, and roles of the same name bound to it. */
export function planIdentity(
  context: PlanContext,
  name: string,
  { namespace, cluster, alsoFor = [] }: Permissions,
): Manifest[] {
  const metadata = objectMeta(context, name);
  const { namespace: inNamespace } = context.metadata;
  const accounts = [name, ...alsoFor].map((account) => ({ name: account, namespace: inNamespace }));
  return [
    { apiVersion: kinds.ServiceAccount.apiVersion, kind: "ServiceAccount", metadata },
    ...(namespace === undefined ? [] : planRole("Role", metadata, namespace, accounts)),
    ...(cluster === undefined
      ? []
      : planRole("ClusterRole", clusterObjectMeta(context, name), cluster, accounts)),
  ];
}
