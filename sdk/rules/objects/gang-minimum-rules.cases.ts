import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, gang, leader, prefill, template, worker } from "./places.fixture.ts";

/** Sets the gang's minimum with minTaskMember instead of sub-groups. */
const tasks: Edit[] = [
  [gang, "spec subGroupPolicy", undefined],
  [gang, "spec minTaskMember", { "prefill-0": 2, "decode-0": 2 }],
  [prefill, `${leader} metadata annotations volcano.sh/task-spec`, "prefill-0"],
  [prefill, `${worker} metadata annotations volcano.sh/task-spec`, "prefill-0"],
  [decode, `${leader} metadata annotations volcano.sh/task-spec`, "decode-0"],
  [decode, `${worker} metadata annotations volcano.sh/task-spec`, "decode-0"],
];

export const gangMinimumCases: readonly RuleCases[] = [
  {
    rule: "min-member-is-the-minimum",
    allows: {
      "a sub-group whose minimum is 0": [
        [gang, "spec subGroupPolicy 1 minSubGroups", 0],
        [gang, "spec minMember", 2],
      ],
      "a minimum of tasks": [...tasks],
      "sub-groups without a minimum": [
        [gang, "spec subGroupPolicy 0 minSubGroups", undefined],
        [gang, "spec subGroupPolicy 1 minSubGroups", undefined],
        [gang, "spec minMember", 3],
      ],
    },
    refuses: {
      "a minMember above the sum of the sub-groups": {
        edits: [[gang, "spec minMember", 6]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 6; allowed: 4, the sum of minSubGroups x subGroupSize. Change it to the allowed value.",
        ],
      },
      "a minMember below the sum of the sub-groups": {
        edits: [[gang, "spec minMember", 2]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 2; allowed: 4, the sum of minSubGroups x subGroupSize. Change it to the allowed value.",
        ],
      },
      "a sub-group's minimum that minMember does not include": {
        edits: [[gang, "spec subGroupPolicy 0 minSubGroups", 2]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 4; allowed: 6, the sum of minSubGroups x subGroupSize. Change it to the allowed value.",
        ],
      },
      "a minMember below the sum of the tasks": {
        edits: [...tasks, [gang, "spec minMember", 3]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 3; allowed: at least 4, the sum of minTaskMember. Change it to the allowed value.",
        ],
      },
    },
  },
  {
    rule: "gang-has-one-kind-of-minimum",
    allows: {
      "a minimum of tasks": [...tasks],
      "minMember without another minimum": [[gang, "spec subGroupPolicy", undefined]],
      "a minTaskMember that is null": [[gang, "spec minTaskMember", null]],
    },
    refuses: {
      "sub-groups with an empty minTaskMember": {
        edits: [[gang, "spec minTaskMember", {}]],
        finds: [
          "PodGroup ml/svc: spec.minTaskMember: is set; allowed: no minTaskMember together with subGroupPolicy. Change it to the allowed value.",
        ],
      },
      "sub-groups with a minTaskMember": {
        edits: [[gang, "spec minTaskMember", { decode: 2 }]],
        finds: [
          "PodGroup ml/svc: spec.minTaskMember: is set; allowed: no minTaskMember together with subGroupPolicy. Change it to the allowed value.",
        ],
      },
      "tasks with an empty subGroupPolicy": {
        edits: [...tasks, [gang, "spec subGroupPolicy", []]],
        finds: [
          "PodGroup ml/svc: spec.minTaskMember: is set; allowed: no minTaskMember together with subGroupPolicy. Change it to the allowed value.",
        ],
      },
    },
  },
  {
    rule: "gang-minimum-has-its-pods",
    allows: {
      "a minimum of tasks": [...tasks],
      "more replicas than the minimum": [[decode, "spec replicas", 3]],
      "a PodGroup without pods in the stack": [
        [prefill, "", undefined],
        [decode, "", undefined],
      ],
    },
    refuses: {
      "a minMember above the pods": {
        edits: [[gang, "spec minMember", 5]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 5; allowed: at most 4, the number of pods of the gang. Change it to the allowed value.",
        ],
      },
      "a minimum of two roles if one role has no pods": {
        edits: [[prefill, "", undefined]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 4; allowed: at most 2, the number of pods of the gang. Change it to the allowed value.",
        ],
      },
      "a minimum of two roles if one has 0 replicas": {
        edits: [[decode, "spec replicas", 0]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is 4; allowed: at most 2, the number of pods of the gang. Change it to the allowed value.",
        ],
      },
      "a task's minimum above its pods": {
        edits: [...tasks, [gang, "spec minTaskMember prefill-0", 3]],
        finds: [
          'PodGroup ml/svc: spec.minTaskMember["prefill-0"]: is 3; allowed: at most 2, the number of pods of the task. Change it to the allowed value.',
        ],
      },
      "the minimum of a task without pods": {
        edits: [...tasks, [gang, "spec minTaskMember decode-1", 2]],
        finds: [
          'PodGroup ml/svc: spec.minTaskMember["decode-1"]: is 2; allowed: at most 0, the number of pods of the task. Change it to the allowed value.',
        ],
      },
    },
  },
  {
    rule: "gang-minimum-has-its-replicas",
    allows: {
      "more replicas than the minimum": [[decode, "spec replicas", 3]],
      "a minimum of 0": [[gang, "spec subGroupPolicy 1 minSubGroups", 0]],
      "a minimum of all replicas": [
        [decode, "spec replicas", 2],
        [gang, "spec subGroupPolicy 1 minSubGroups", 2],
      ],
    },
    refuses: {
      "a minimum above the only replica": {
        edits: [[gang, "spec subGroupPolicy 1 minSubGroups", 2]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].minSubGroups: is 2; allowed: at most 1, the number of replicas of the sub-group's workloads. Change it to the allowed value.",
        ],
      },
      "a minimum of a role with 0 replicas": {
        edits: [[prefill, "spec replicas", 0]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[0].minSubGroups: is 1; allowed: at most 0, the number of replicas of the sub-group's workloads. Change it to the allowed value.",
        ],
      },
      "a minimum above two replicas": {
        edits: [
          [decode, "spec replicas", 2],
          [gang, "spec subGroupPolicy 1 minSubGroups", 3],
        ],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].minSubGroups: is 3; allowed: at most 2, the number of replicas of the sub-group's workloads. Change it to the allowed value.",
        ],
      },
    },
  },
  {
    rule: "sub-group-is-a-replica",
    allows: {
      "a key that all pods of the role share": [
        [gang, "spec subGroupPolicy 0 matchLabelKeys", ["fusioninfer.io/role-name"]],
      ],
      "no sub-groups": [[gang, "spec subGroupPolicy", undefined]],
      "a sub-group that grows with its replica": [
        [decode, `${template} size`, 3],
        [gang, "spec subGroupPolicy 1 subGroupSize", 3],
      ],
    },
    refuses: {
      "a sub-group larger than a replica": {
        edits: [[gang, "spec subGroupPolicy 1 subGroupSize", 4]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].subGroupSize: is 4; allowed: 2, the number of pods of a replica. Change it to the allowed value.",
        ],
      },
      "a sub-group with an empty list of keys": {
        edits: [[gang, "spec subGroupPolicy 1 matchLabelKeys", []]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].matchLabelKeys: is empty; allowed: a label whose value differs between replicas. Change it to the allowed value.",
        ],
      },
      "a sub-group without keys": {
        edits: [[gang, "spec subGroupPolicy 1 matchLabelKeys", undefined]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].matchLabelKeys: is empty; allowed: a label whose value differs between replicas. Change it to the allowed value.",
        ],
      },
      "a key that no pod has": {
        edits: [[gang, "spec subGroupPolicy 1 matchLabelKeys", ["mine"]]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].matchLabelKeys: is mine; allowed: labels that all pods of the sub-group have. Change it to the allowed value.",
        ],
      },
      "a replica larger than its sub-group": {
        edits: [[decode, `${template} size`, 3]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].subGroupSize: is 2; allowed: 3, the number of pods of a replica. Change it to the allowed value.",
        ],
      },
    },
  },
  {
    rule: "sub-groups-are-disjoint",
    allows: {
      "a sub-group without a name": [[gang, "spec subGroupPolicy 1 name", undefined]],
      "a single sub-group": [[gang, "spec subGroupPolicy 1", undefined]],
      "a selector with one more label": [
        [gang, "spec subGroupPolicy 1 labelSelector matchLabels app", "x"],
      ],
    },
    refuses: {
      "two sub-groups of one name": {
        edits: [[gang, "spec subGroupPolicy 1 name", "prefill"]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].name: is prefill; allowed: a name other than the name of subGroupPolicy[0]. Change it to the allowed value.",
        ],
      },
      "a sub-group that selects all pods": {
        edits: [[gang, "spec subGroupPolicy 1 labelSelector", { matchLabels: {} }]],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].labelSelector: selects pods that subGroupPolicy[0] also selects; allowed: pods that no other policy selects. Select by a label that differs between the two.",
        ],
      },
      "a sub-group that selects all pods of the service": {
        edits: [
          [
            gang,
            "spec subGroupPolicy 0 labelSelector matchLabels",
            { "fusioninfer.io/service": "svc" },
          ],
        ],
        finds: [
          "PodGroup ml/svc: spec.subGroupPolicy[1].labelSelector: selects pods that subGroupPolicy[0] also selects; allowed: pods that no other policy selects. Select by a label that differs between the two.",
        ],
      },
    },
  },
  {
    rule: "min-resources-are-the-minimum",
    allows: {
      "a minimum without resources": [[gang, "spec minResources", undefined]],
      "fewer GPUs than the minimum of pods asks for": [
        [gang, "spec minResources nvidia.com/gpu", "16"],
      ],
      "the resources of tasks": [...tasks],
      "all CPUs that the minimum of pods asks for": [[gang, "spec minResources cpu", "128"]],
    },
    refuses: {
      "more GPUs than the minimum of pods asks for": {
        edits: [[gang, "spec minResources nvidia.com/gpu", "48"]],
        finds: [
          'PodGroup ml/svc: spec.minResources["nvidia.com/gpu"]: is 48; allowed: at most 32. Change it to the allowed value.',
        ],
      },
      "a resource that no pod asks for": {
        edits: [[gang, "spec minResources amd.com/gpu", "1"]],
        finds: [
          'PodGroup ml/svc: spec.minResources["amd.com/gpu"]: is 1; allowed: only resources that the gang\'s pods request. Change it to the allowed value.',
        ],
      },
      "a CPU more than the minimum of pods asks for": {
        edits: [[gang, "spec minResources cpu", "129"]],
        finds: [
          "PodGroup ml/svc: spec.minResources.cpu: is 129; allowed: at most 128. Change it to the allowed value.",
        ],
      },
      "a GPU more than the tasks ask for": {
        edits: [...tasks, [gang, "spec minResources nvidia.com/gpu", "33"]],
        finds: [
          'PodGroup ml/svc: spec.minResources["nvidia.com/gpu"]: is 33; allowed: at most 32. Change it to the allowed value.',
        ],
      },
    },
  },
];
