import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { debugReaderName, metricsReaderName } from "../../names.ts";
import { clusterObjectMeta, type PlanContext } from "../object-meta.ts";
import { metricsAuthRules } from "./rbac-rules.ts";
import { type Account, planRole } from "./role.ts";

/**
 * Plans the permission to check tokens of clients that read a program's pages, and the permissions in `more`. Token and
 * access reviews are cluster-scoped, so this is a ClusterRole with its binding.
 */
export const planMetricsAuth = (
  context: PlanContext,
  name: string,
  account: string,
  more: readonly object[] = [],
): Manifest[] =>
  planRole(
    "ClusterRole",
    clusterObjectMeta(context, name),
    [...metricsAuthRules, ...more],
    [{ name: account, namespace: context.metadata.namespace }],
  );

/** Permits these accounts, such as Prometheus's, to read the metrics of every program of this project. */
export const planMetricsReaders = (context: PlanContext, readers: readonly Account[]) =>
  planReaders(context, metricsReaderName, "/metrics", readers);

/** Permits these accounts to read the debug pages of every program. These pages contain requests, models and users. */
export const planDebugReaders = (context: PlanContext, readers: readonly Account[]) =>
  planReaders(context, debugReaderName, "/debug/*", readers);

const planReaders = (
  context: PlanContext,
  name: string,
  pages: string,
  readers: readonly Account[],
): Manifest[] =>
  readers.length === 0
    ? []
    : planRole("ClusterRole", clusterObjectMeta(context, name), [mayRead(pages)], readers);

/** Returns a rule that permits reading the given pages of programs. */
export const mayRead = (...pages: string[]) => ({ nonResourceURLs: pages, verbs: ["get"] });
