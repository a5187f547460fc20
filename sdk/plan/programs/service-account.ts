import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { clusterObjectMeta, objectMeta, type PlanContext } from "../object-meta.ts";
import { planRole } from "./role.ts";

/** Permissions of a program, as PolicyRules. */
export interface Permissions {
  /** Rules for its own namespace. */
  readonly namespace?: readonly object[];
  /** Rules for all namespaces. */
  readonly cluster?: readonly object[];
  /** Names of other ServiceAccounts with the same permissions. */
  readonly alsoFor?: readonly string[];
}

/** Plans the identity of a program: a ServiceAccount, and roles with the same name that are bound to it. */
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
