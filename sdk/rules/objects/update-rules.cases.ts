import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, server } from "./places.fixture.ts";

const strategy = (maxSurge: number | string, maxUnavailable: number | string): Edit => [
  embedder,
  "spec strategy",
  { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
];
const setStrategy = (maxSurge: number | string, maxUnavailable: number | string): Edit => [
  decode,
  "spec rolloutStrategy rollingUpdateConfiguration",
  { maxSurge, maxUnavailable, partition: 0 },
];
const noRoom = (object: string, path: string, surge: number, replicas: number) =>
  `${object}: spec.${path}: adds a replica before it stops one (maxSurge ${surge} and maxUnavailable 0 of ${replicas}), and no node has the accelerators for it; allowed: free accelerators for one more replica, or an update that stops a replica first. Set maxSurge to 0 and maxUnavailable to 1; ignore this if an autoscaler adds nodes.`;
const ofDeployment = noRoom("Deployment ml/embedder", "strategy.rollingUpdate", 1, 2);

const onVolcano: Edit = [embedder, "spec template spec schedulerName", "volcano"];
const minimum = (pods: string): Edit => [
  embedder,
  "metadata annotations scheduling.volcano.sh/group-min-member",
  pods,
];
const incomplete = (kind: string, pods: number, why: string, most: number, fix: string) =>
  `${kind} ml/embedder: metadata.annotations["scheduling.volcano.sh/group-min-member"]: is ${pods}, but ${why}; allowed: at most ${most}. ${fix}`;
const together = "Set maxSurge to 100%, use the strategy Recreate, or use a LeaderWorkerSet.";
const newPods = (pods: number) =>
  `an update creates ${pods} ${pods === 1 ? "pod" : "pods"} of the new ReplicaSet, which has a PodGroup of its own, before they are ready`;

export const updateCases: readonly RuleCases[] = [
  {
    rule: "update-fits-the-cluster",
    parameters: { nodes: [8, 8, 8, 8, 2] },
    allows: {
      "a free accelerator for one more replica": [[embedder, "spec replicas", 1]],
      "an update that stops a pod first": [strategy(0, 1)],
      "an update that may stop a pod": [strategy(1, 1)],
      Recreate: [[embedder, "spec strategy", { type: "Recreate" }]],
      "pods without accelerators": [strategy(1, 0), [embedder, `${server} resources`, undefined]],
      "more pods than fit, which another rule reports": [
        strategy(1, 0),
        [embedder, "spec replicas", 9],
      ],
      "a service that is stopped": [strategy(1, 0), [embedder, "spec replicas", 0]],
    },
    refuses: {
      "an update that adds a pod on full nodes": {
        edits: [strategy(0, 1), strategy(1, 0)],
        finds: [ofDeployment],
      },
      "25 % of two pods": {
        edits: [strategy(0, 1), strategy("25%", "25%")],
        finds: [ofDeployment],
      },
      "an update that adds a group": {
        edits: [strategy(0, 1), setStrategy(1, 0)],
        finds: [
          noRoom(
            "LeaderWorkerSet ml/svc-decode",
            "rolloutStrategy.rollingUpdateConfiguration",
            1,
            1,
          ),
        ],
      },
      "percentages of a group that round to an added one": {
        edits: [strategy(0, 1), setStrategy("50%", "50%")],
        finds: [
          noRoom(
            "LeaderWorkerSet ml/svc-decode",
            "rolloutStrategy.rollingUpdateConfiguration",
            1,
            1,
          ),
        ],
      },
    },
  },
  {
    rule: "generated-gang-can-be-complete",
    allows: {
      "an update that creates all pods": [onVolcano, strategy("100%", 0), minimum("2")],
      "an update that stops all pods first": [
        onVolcano,
        [embedder, "spec strategy", { type: "Recreate" }],
        minimum("2"),
      ],
      "a minimum of one pod": [onVolcano, minimum("1")],
      "another scheduler, which does not read it": [minimum("2")],
      "one pod that stops and one that is added": [onVolcano, strategy(1, 1), minimum("2")],
      "a StatefulSet that creates its pods together": [
        onVolcano,
        minimum("2"),
        [embedder, "spec podManagementPolicy", "Parallel"],
        [embedder, "kind", "StatefulSet"],
      ],
    },
    refuses: {
      "an update that creates one of two pods": {
        edits: [onVolcano, strategy("25%", "25%"), minimum("2")],
        finds: [incomplete("Deployment", 2, newPods(1), 1, together)],
      },
      "the default strategy": {
        edits: [onVolcano, [embedder, "spec replicas", 4], minimum("3")],
        finds: [incomplete("Deployment", 3, newPods(2), 2, together)],
      },
      "more pods than there are": {
        edits: [onVolcano, strategy("100%", 0), minimum("3")],
        finds: [
          incomplete(
            "Deployment",
            3,
            "it has 2 pods",
            2,
            "Lower the minimum, or raise the replicas.",
          ),
        ],
      },
      "a StatefulSet that creates one pod at a time": {
        edits: [onVolcano, strategy(1, 1), minimum("2"), [embedder, "kind", "StatefulSet"]],
        finds: [
          incomplete(
            "StatefulSet",
            2,
            "OrderedReady creates one pod at a time",
            1,
            "Set podManagementPolicy to Parallel.",
          ),
        ],
      },
    },
  },
];
