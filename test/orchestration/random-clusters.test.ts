import { describeRandomClusters } from "./random-clusters.behaviour.ts";

describeRandomClusters(40, 61);
