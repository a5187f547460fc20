import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { debugReaderName, metricsReaderName } from "../../topology/names.ts";
import { clusterObjectMeta, type PlanContext } from "../object-meta.ts";
import { metricsAuthRules } from "./rbac-rules.ts";
import { type Account, planRole } from "./role.ts";

/**
 * What a program needs to ask the API server who may read its pages, and what it may read of the others' itself: a
 * ClusterRole, since reviews belong to no namespace, and its binding.
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

/** Lets these accounts, such as that of a Prometheus, read the metrics of every program of this project. */
export const planMetricsReaders = (context: PlanContext, readers: readonly Account[]) =>
  planReaders(context, metricsReaderName, "/metrics", readers);

/** Lets these accounts read every program's debug pages, which name requests, models and users. */
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

/** A rule for pages of programs. */
export const mayRead = (...pages: string[]) => ({ nonResourceURLs: pages, verbs: ["get"] });
