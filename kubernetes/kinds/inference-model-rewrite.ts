import { groups } from "./groups.ts";
import { addressOf, defineKind, type KindAddress } from "./kind.ts";

/** Versions that clusters serve, the preferred one first. In the last one, `targets` is called `split`. */
export const rewriteVersions = [
  `${groups.llmD}/v1alpha2`,
  `${groups.inferenceExperimental}/v1alpha2`,
  `${groups.inferenceExperimental}/v1alpha1`,
] as const;
export type RewriteVersion = (typeof rewriteVersions)[number];

/** Also the older versions of InferenceObjective. */
export const [, ...olderVersions] = rewriteVersions;

export const inferenceModelRewrite = defineKind({
  group: groups.llmD,
  version: "v1alpha2",
  kind: "InferenceModelRewrite",
  plural: "inferencemodelrewrites",
  scope: "Namespaced",
  otherVersions: olderVersions,
  readiness: "exists",
});

/** Returns the address of the kind in a version. */
export const rewriteKind = (apiVersion: RewriteVersion): KindAddress =>
  addressOf(inferenceModelRewrite, apiVersion);
