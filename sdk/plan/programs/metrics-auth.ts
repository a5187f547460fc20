import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { metricsReaderName } from "../../topology/names.ts";
import { clusterObjectMeta, type PlanContext } from "../object-meta.ts";
import { metricsAuthRules } from "./rbac-rules.ts";

/** A ServiceAccount. */
export interface Account {
  readonly name: string;
  readonly namespace: string;
}

const group = groups.rbac;
const apiVersion = `${group}/v1`;

/**
 * What a program needs to ask the API server who may read its pages, and what it may read of the others' itself: a
 * ClusterRole, since reviews belong to no namespace, and its binding.
 */
export function planMetricsAuth(
  context: PlanContext,
  name: string,
  account: string,
  more: readonly object[] = [],
): Manifest[] {
  const metadata = clusterObjectMeta(context, name);
  return [
    { apiVersion, kind: "ClusterRole", metadata, rules: [...metricsAuthRules, ...more] },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: context.metadata.namespace }],
    },
  ];
}

/** Lets these accounts, such as that of a Prometheus, read the metrics of every program of this project. */
export function planMetricsReaders(context: PlanContext, readers: readonly Account[]): Manifest[] {
  if (readers.length === 0) return [];
  const metadata = clusterObjectMeta(context, metricsReaderName);
  return [
    { apiVersion, kind: "ClusterRole", metadata, rules: [mayRead("/metrics")] },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name: metricsReaderName },
      subjects: readers.map(({ name, namespace }) => ({ kind: "ServiceAccount", name, namespace })),
    },
  ];
}

/** A rule for pages of programs. */
export const mayRead = (...pages: string[]) => ({ nonResourceURLs: pages, verbs: ["get"] });
