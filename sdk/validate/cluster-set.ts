import { z } from "zod";
import { clusterSetRules } from "../invariants/cluster-sets.ts";
import { ClusterSetSpec } from "../spec/cluster-set.ts";
import { laterInProgramPods } from "./program-pods.ts";
import type { SpecKind } from "./spec-kind.ts";

export const clusterSetSpecKind: SpecKind<ClusterSetSpec> = {
  kind: "ClusterSet",
  schema: ClusterSetSpec,
  rules: clusterSetRules,
  deferrable: [...laterInProgramPods(""), /^members\[\d+\]\.kubeconfigSecret$/],
};

/** The identity of the controller in a member: whether a lasting token is made for it. */
export const ClusterSetMemberSpec = z.strictObject({ token: z.boolean().default(false) });
export type ClusterSetMemberSpec = z.infer<typeof ClusterSetMemberSpec>;

export const clusterSetMemberSpecKind: SpecKind<ClusterSetMemberSpec> = {
  kind: "ClusterSetMember",
  schema: ClusterSetMemberSpec,
  rules: [],
  deferrable: [],
};
