import { type CapacityCase, describeCapacity } from "./capacity.behaviour.ts";

/** The core promise, on the real LeaderWorkerSet manager and the real Volcano: decision 0001's table, and the other stories. */

const workloads = ["perReplica", "perRole"] as const;

/** Story 4, pods of prefill-0/decode-0/decode-1 on nodes. */
const subGroup = { 80: "2/4/4", 72: "2/4/0", 64: "2/4/0", 48: "2/4/0", 32: "0/0/0", 16: "0/0/0" };
const cases: CapacityCase[] = [
  ...workloads.flatMap((workload) =>
    Object.entries(subGroup).map(
      ([gpus, bound]): CapacityCase => ({
        story: 4,
        gpus: Number(gpus),
        layout: "subGroup",
        workload,
        bound,
      }),
    ),
  ),
  { story: 4, gpus: 80, layout: "task", workload: "auto", bound: "2/4/4" },
  { story: 4, gpus: 64, layout: "task", workload: "auto", bound: "0/0/0" },
  {
    story: 4,
    gpus: 64,
    layout: "subGroup",
    workload: "perReplica",
    bound: "2/4/0",
    nodesFirst: true,
  },
  { story: 3, gpus: 56, layout: "subGroup", workload: "auto", bound: "4/0" },
  { story: 3, gpus: 24, layout: "subGroup", workload: "perRole", bound: "0/0" },
  { story: 2, gpus: 4, layout: "subGroup", workload: "auto", bound: "1/1/1/1/0/0" },
  { story: 2, gpus: 1, layout: "subGroup", workload: "perRole", bound: "0/0/0/0/0/0" },
  { story: 1, gpus: 8, layout: "subGroup", workload: "auto", bound: "1" },
];

describeCapacity(cases);
