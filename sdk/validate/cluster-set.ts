import { clusterSetRules } from "../rules/spec/multi-cluster/cluster-sets.ts";
import { ClusterSetMemberSpec, ClusterSetSpec } from "../spec/cluster-set.ts";
import type { SpecKind } from "./spec-kind.ts";

export const clusterSetSpecKind: SpecKind<ClusterSetSpec> = {
  kind: "ClusterSet",
  schema: ClusterSetSpec,
  rules: clusterSetRules,
};

export const clusterSetMemberSpecKind: SpecKind<ClusterSetMemberSpec> = {
  kind: "ClusterSetMember",
  schema: ClusterSetMemberSpec,
  rules: [],
};
