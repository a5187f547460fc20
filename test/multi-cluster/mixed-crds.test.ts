import { describeClusterSet } from "./cluster-set.behaviour.ts";

/** Two members serve this project's InferencePoolImport, two the shipped one; all in one etcd. */
describeClusterSet({ sharedEtcd: true, shipped: ["c", "d"] });
