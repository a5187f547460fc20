import { describeRandomClusters } from "./random-clusters.behaviour.ts";

/** What the matrix leaves out: more clusters. */
describeRandomClusters(500, 2_026);
