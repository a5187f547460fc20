import { describe } from "vitest";
import { describeClusterSet } from "./cluster-set.behaviour.ts";

const all = ["a", "b", "c", "d"];

describe("this project's InferencePoolImport, all data in one etcd, whose versions are one sequence", () => {
  describeClusterSet({ sharedEtcd: true, shipped: [], thorough: true });
});

describe("this project's InferencePoolImport, an etcd for each", () => {
  describeClusterSet({ sharedEtcd: false, shipped: [], thorough: true });
});

describe("the shipped InferencePoolImport, an etcd for each", () => {
  describeClusterSet({ sharedEtcd: false, shipped: all, thorough: true });
});
