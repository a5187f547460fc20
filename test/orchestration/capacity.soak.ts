import { describeCapacity } from "./capacity.behaviour.ts";

/** Cases that `npm test` skips: more GPU counts, layouts and forms of every story. */

const workloads = ["perReplica", "perRole"] as const;

describeCapacity([
  ...workloads.flatMap((workload) => [
    ...[80, 72, 48, 32].map((gpus) => ({
      story: 4,
      gpus,
      layout: "subGroup" as const,
      workload,
      nodesFirst: true as const,
    })),
    ...[64, 56, 32, 24].map((gpus) => ({
      story: 3,
      gpus,
      layout: "subGroup" as const,
      workload,
    })),
    ...[6, 5, 4, 3, 2, 1].map((gpus) => ({
      story: 2,
      gpus,
      layout: "subGroup" as const,
      workload,
    })),
  ]),
  ...[72, 48, 32, 16].map((gpus) => ({
    story: 4,
    gpus,
    layout: "task" as const,
    workload: "auto" as const,
  })),
  ...[64, 56, 32].map((gpus) => ({
    story: 3,
    gpus,
    layout: "task" as const,
    workload: "auto" as const,
  })),
  { story: 2, gpus: 4, layout: "task", workload: "auto" },
  { story: 1, gpus: 0, layout: "subGroup", workload: "auto", bound: "0" },
]);
