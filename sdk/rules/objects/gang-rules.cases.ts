import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import {
  decode,
  embedder,
  gang,
  groupName,
  leader,
  prefill,
  template,
  worker,
} from "./places.fixture.ts";

export const gangCases: readonly RuleCases[] = [
  {
    rule: "gang-pods-name-their-pod-group",
    allows: {
      "pods without a PodGroup": [[embedder, "spec template metadata annotations", {}]],
      "pods that name only a queue": [
        [embedder, "spec template metadata annotations", { "volcano.sh/queue-name": "gpu" }],
      ],
      "a PodGroup of another name that all its pods name": [
        [gang, "metadata name", "all"],
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} ${groupName}`, "all"],
          [set, `${worker} ${groupName}`, "all"],
        ]),
      ],
    },
    refuses: {
      "a PodGroup that is not in the stack": {
        edits: [[gang, "", undefined]],
        finds: [
          'LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is svc; allowed: a PodGroup of the stack in namespace ml. Create the PodGroup, or remove the annotation. Do the same in workerTemplate.',
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is svc; allowed: a PodGroup of the stack in namespace ml. Create the PodGroup, or remove the annotation. Do the same in workerTemplate.',
        ],
      },
      "a PodGroup of another namespace": {
        edits: [[gang, "metadata namespace", "other"]],
        finds: [
          'LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is svc; allowed: a PodGroup of the stack in namespace ml. Create the PodGroup, or remove the annotation. Do the same in workerTemplate.',
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is svc; allowed: a PodGroup of the stack in namespace ml. Create the PodGroup, or remove the annotation. Do the same in workerTemplate.',
        ],
      },
      "a leader that names another PodGroup": {
        edits: [[decode, `${leader} ${groupName}`, "service"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is service; allowed: a PodGroup of the stack in namespace ml. Create the PodGroup, or remove the annotation.',
        ],
      },
      "a Deployment whose pods name a PodGroup that is not in the stack": {
        edits: [
          [embedder, "spec template metadata annotations", { "scheduling.k8s.io/group-name": "x" }],
        ],
        finds: [
          'Deployment ml/embedder: spec.template.metadata.annotations["scheduling.k8s.io/group-name"]: is x; allowed: a PodGroup of the stack in namespace ml. Create the PodGroup, or remove the annotation.',
        ],
      },
    },
  },
  {
    rule: "leader-and-workers-share-a-gang",
    allows: {
      "a group without a template for its leader": [[decode, leader, undefined]],
      "leader and workers without a PodGroup": [
        [decode, `${leader} metadata annotations`, undefined],
        [decode, `${worker} metadata annotations`, undefined],
      ],
      "leader and workers with another PodGroup": [
        [decode, `${leader} ${groupName}`, "b"],
        [decode, `${worker} ${groupName}`, "b"],
      ],
    },
    refuses: {
      "workers that name no PodGroup": {
        edits: [[decode, `${worker} metadata annotations`, undefined]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is missing; allowed: svc, as on the leader. Set the same PodGroup in both templates.',
        ],
      },
      "a leader that names no PodGroup": {
        edits: [[decode, `${leader} metadata annotations`, {}]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is svc; allowed: no annotation, as on the leader. Set the same PodGroup in both templates.',
        ],
      },
      "workers that name another PodGroup than their leader": {
        edits: [[decode, `${worker} ${groupName}`, "other"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.metadata.annotations["scheduling.k8s.io/group-name"]: is other; allowed: svc, as on the leader. Set the same PodGroup in both templates.',
        ],
      },
    },
  },
  {
    rule: "gang-has-one-scheduler",
    allows: {
      "the default scheduler outside of the gang": [
        [embedder, "spec template spec schedulerName", "default-scheduler"],
      ],
      "another scheduler for the whole gang": [
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} spec schedulerName`, "vc"],
          [set, `${worker} spec schedulerName`, "vc"],
        ]),
      ],
      "no scheduler for a role outside of the gang": [
        [prefill, `${leader} metadata annotations`, {}],
        [prefill, `${worker} metadata annotations`, {}],
        [prefill, `${leader} spec schedulerName`, undefined],
        [prefill, `${worker} spec schedulerName`, undefined],
      ],
    },
    refuses: {
      "a leader that names no scheduler": {
        edits: [[decode, `${leader} spec schedulerName`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is volcano; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang. Do the same in workerTemplate.",
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is missing; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.schedulerName: is volcano; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
        ],
      },
      "workers of the default scheduler": {
        edits: [[decode, `${worker} spec schedulerName`, "default-scheduler"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is volcano; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang. Do the same in workerTemplate.",
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is volcano; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.schedulerName: is default-scheduler; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
        ],
      },
      "workers of another gang scheduler": {
        edits: [[prefill, `${worker} spec schedulerName`, "kai"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is volcano; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.workerTemplate.spec.schedulerName: is kai; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is volcano; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang. Do the same in workerTemplate.",
        ],
      },
      "a gang whose pods all name the default scheduler": {
        edits: [
          [prefill, `${leader} metadata annotations`, {}],
          [prefill, `${worker} metadata annotations`, {}],
          [decode, `${worker} metadata annotations`, {}],
          [decode, `${leader} spec schedulerName`, "default-scheduler"],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.schedulerName: is default-scheduler; allowed: the same gang scheduler for all pods of the gang. Set the same schedulerName in every pod template of the gang.",
        ],
      },
    },
  },
  {
    rule: "gang-workers-start-with-their-leader",
    allows: {
      "a set without a startup policy": [[decode, "spec startupPolicy", undefined]],
      "a set of single pods": [
        [decode, `${template} size`, 1],
        [decode, "spec startupPolicy", "LeaderReady"],
      ],
      "a gang of one pod": [
        [gang, "spec minMember", 1],
        [decode, "spec startupPolicy", "LeaderReady"],
      ],
    },
    refuses: {
      "decoders whose workers wait for their leader": {
        edits: [[decode, "spec startupPolicy", "LeaderReady"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.startupPolicy: is LeaderReady, but the gang needs 4 pods; allowed: LeaderCreated for a gang with workers. Set startupPolicy to LeaderCreated.",
        ],
      },
      "prefillers whose workers wait for their leader": {
        edits: [[prefill, "spec startupPolicy", "LeaderReady"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.startupPolicy: is LeaderReady, but the gang needs 4 pods; allowed: LeaderCreated for a gang with workers. Set startupPolicy to LeaderCreated.",
        ],
      },
      "waiting workers in a gang of two pods": {
        edits: [
          [gang, "spec minMember", 1],
          [decode, "spec startupPolicy", "LeaderReady"],
          [gang, "spec minMember", 2],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.startupPolicy: is LeaderReady, but the gang needs 2 pods; allowed: LeaderCreated for a gang with workers. Set startupPolicy to LeaderCreated.",
        ],
      },
    },
  },
  {
    rule: "gang-pods-have-no-exclusive-topology",
    allows: {
      "a team's annotation": [[decode, `${leader} metadata annotations team`, "ml"]],
      "an exclusive topology with a gang of one pod": [
        [gang, "spec minMember", 1],
        [
          decode,
          "metadata annotations",
          { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" },
        ],
      ],
      "an exclusive topology of single pods": [
        [decode, `${template} size`, 1],
        [
          decode,
          "metadata annotations",
          { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" },
        ],
      ],
    },
    refuses: {
      "an exclusive topology on the set": {
        edits: [
          [
            decode,
            "metadata annotations",
            { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" },
          ],
        ],
        finds: [
          'LeaderWorkerSet ml/svc-decode: metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]: is set on a gang; allowed: this annotation only outside of gangs. Remove the annotation.',
        ],
      },
      "an exclusive topology on the leader": {
        edits: [
          [
            decode,
            `${leader} metadata annotations leaderworkerset.sigs.k8s.io/exclusive-topology`,
            "rack",
          ],
        ],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]: is set on a gang; allowed: this annotation only outside of gangs. Remove the annotation.',
        ],
      },
      "an exclusive topology of sub-groups on the workers": {
        edits: [
          [
            decode,
            `${worker} metadata annotations leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology`,
            "rack",
          ],
        ],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.metadata.annotations["leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"]: is set on a gang; allowed: this annotation only outside of gangs. Remove the annotation.',
        ],
      },
    },
  },
  {
    rule: "gang-has-one-priority",
    allows: {
      "another priority outside of the gang": [
        [embedder, "spec template spec priorityClassName", "batch"],
      ],
      "a gang without a priority": [
        [gang, "spec priorityClassName", undefined],
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} spec priorityClassName`, undefined],
          [set, `${worker} spec priorityClassName`, undefined],
        ]),
      ],
      "another priority of the whole gang": [
        [gang, "spec priorityClassName", "high"],
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} spec priorityClassName`, "high"],
          [set, `${worker} spec priorityClassName`, "high"],
        ]),
      ],
    },
    refuses: {
      "a PodGroup without the priority of its pods": {
        edits: [[gang, "spec priorityClassName", undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.priorityClassName: is serving; allowed: no priorityClassName, as on the PodGroup. Set the same priorityClassName on both. Do the same in workerTemplate.",
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.priorityClassName: is serving; allowed: no priorityClassName, as on the PodGroup. Set the same priorityClassName on both. Do the same in workerTemplate.",
        ],
      },
      "workers without the gang's priority": {
        edits: [[decode, `${worker} spec priorityClassName`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.priorityClassName: is missing; allowed: serving, as on the PodGroup. Set the same priorityClassName on both.",
        ],
      },
      "a leader of another priority": {
        edits: [[prefill, `${leader} spec priorityClassName`, "batch"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.priorityClassName: is batch; allowed: serving, as on the PodGroup. Set the same priorityClassName on both.",
        ],
      },
    },
  },
  {
    rule: "gang-has-the-given-priority",
    parameters: { priorityClassName: "serving" },
    allows: {
      "another priority outside of the gang": [
        [embedder, "spec template spec priorityClassName", "batch"],
      ],
      "a stack without a PodGroup": [[gang, "", undefined]],
      "another priority on a queue": [["Queue/gpu", "spec priorityClassName", "batch"]],
    },
    refuses: {
      "a PodGroup without a priority": {
        edits: [[gang, "spec priorityClassName", undefined]],
        finds: [
          "PodGroup ml/svc: spec.priorityClassName: is missing; allowed: serving. Set priorityClassName.",
        ],
      },
      "workers without the priority": {
        edits: [[decode, `${worker} spec priorityClassName`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.priorityClassName: is missing; allowed: serving. Set priorityClassName.",
        ],
      },
      "a leader of another priority": {
        edits: [[prefill, `${leader} spec priorityClassName`, "batch"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.priorityClassName: is batch; allowed: serving. Set priorityClassName.",
        ],
      },
    },
  },
  {
    rule: "gang-topology-names-one-tier",
    allows: {
      "a tier by its number": [
        [gang, "spec networkTopology", { mode: "hard", highestTierAllowed: 2 }],
      ],
      "a tier by its name": [[gang, "spec networkTopology", { highestTierName: "rack" }]],
      "a tier of a sub-group": [
        [gang, "spec subGroupPolicy 0 networkTopology", { highestTierAllowed: 1 }],
      ],
    },
    refuses: {
      "a tier with both number and name": {
        edits: [[gang, "spec networkTopology", { highestTierAllowed: 2, highestTierName: "rack" }]],
        finds: [
          "PodGroup ml/svc: spec.networkTopology.highestTierName: is rack; allowed: no highestTierName together with highestTierAllowed. Change it to the allowed value.",
        ],
      },
      "a name added to a number": {
        edits: [
          [gang, "spec networkTopology", { highestTierAllowed: 2 }],
          [gang, "spec networkTopology highestTierName", "rack"],
        ],
        finds: [
          "PodGroup ml/svc: spec.networkTopology.highestTierName: is rack; allowed: no highestTierName together with highestTierAllowed. Change it to the allowed value.",
        ],
      },
      "a sub-group's tier with both number and name": {
        edits: [
          [
            gang,
            "spec subGroupPolicy 1 networkTopology",
            { highestTierAllowed: 1, highestTierName: "r" },
          ],
        ],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].networkTopology.highestTierName: is r; allowed: no highestTierName together with highestTierAllowed. Change it to the allowed value.",
        ],
      },
    },
  },
];
