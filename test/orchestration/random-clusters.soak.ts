import { describeRandomClusters } from "./random-clusters.behaviour.ts";

/** More clusters than the matrix lane compares. */
describeRandomClusters(500, 2_026);
