import type { RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leader, prefill, template, worker } from "./places.fixture.ts";

export const groupCases: readonly RuleCases[] = [
  {
    rule: "rollout-is-explicit",
    allows: {
      "a configuration that names maxSurge only": [
        [decode, "spec rolloutStrategy rollingUpdateConfiguration", { maxSurge: 1 }],
      ],
      "a strategy without a type": [[decode, "spec rolloutStrategy type", undefined]],
      "a set of 0 replicas": [[decode, "spec replicas", 0]],
    },
    refuses: {
      "a set without a strategy": {
        edits: [[decode, "spec rolloutStrategy", undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.rolloutStrategy.rollingUpdateConfiguration: is missing; allowed: maxUnavailable, maxSurge and partition. Set them, for example to 1, 0 and 0.",
        ],
      },
      "a strategy without a configuration": {
        edits: [[prefill, "spec rolloutStrategy", { type: "RollingUpdate" }]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.rolloutStrategy.rollingUpdateConfiguration: is missing; allowed: maxUnavailable, maxSurge and partition. Set them, for example to 1, 0 and 0.",
        ],
      },
      "a configuration that is null": {
        edits: [[decode, "spec rolloutStrategy rollingUpdateConfiguration", null]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.rolloutStrategy.rollingUpdateConfiguration: is missing; allowed: maxUnavailable, maxSurge and partition. Set them, for example to 1, 0 and 0.",
        ],
      },
    },
  },
  {
    rule: "rollout-can-progress",
    allows: {
      "a configuration with the controller's defaults": [
        [decode, "spec rolloutStrategy rollingUpdateConfiguration", {}],
      ],
      "maxUnavailable 0 with a maxSurge in percent": [
        [
          decode,
          "spec rolloutStrategy rollingUpdateConfiguration",
          { maxUnavailable: 0, maxSurge: "10%" },
        ],
      ],
      "a set without a strategy": [[decode, "spec rolloutStrategy", undefined]],
    },
    refuses: {
      "maxUnavailable 0 with maxSurge 0": {
        edits: [[decode, "spec rolloutStrategy rollingUpdateConfiguration maxUnavailable", 0]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.rolloutStrategy.rollingUpdateConfiguration: sets maxUnavailable and maxSurge to 0; allowed: at least one of them above 0. Set maxUnavailable to 1, or maxSurge to 1 if there are spare GPUs.",
        ],
      },
      "maxUnavailable 0 percent with maxSurge 0": {
        edits: [[decode, "spec rolloutStrategy rollingUpdateConfiguration maxUnavailable", "0%"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.rolloutStrategy.rollingUpdateConfiguration: sets maxUnavailable and maxSurge to 0; allowed: at least one of them above 0. Set maxUnavailable to 1, or maxSurge to 1 if there are spare GPUs.",
        ],
      },
      "maxUnavailable 0 without maxSurge": {
        edits: [
          [prefill, "spec rolloutStrategy rollingUpdateConfiguration", { maxUnavailable: 0 }],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.rolloutStrategy.rollingUpdateConfiguration: sets maxUnavailable and maxSurge to 0; allowed: at least one of them above 0. Set maxUnavailable to 1, or maxSurge to 1 if there are spare GPUs.",
        ],
      },
    },
  },
  {
    rule: "groups-restart-whole",
    allows: {
      "groups that restart as a whole after they have started": [
        [decode, `${template} restartPolicy`, "RecreateGroupAfterStart"],
      ],
      "a set without a restart policy": [[decode, `${template} restartPolicy`, undefined]],
      "workers whose containers always restart": [
        [decode, `${worker} spec restartPolicy`, "Always"],
      ],
    },
    refuses: {
      "the restart policy None": {
        edits: [[decode, `${template} restartPolicy`, "None"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.restartPolicy: is None; allowed: RecreateGroupOnPodRestart, RecreateGroupAfterStart. Change restartPolicy to an allowed value.",
        ],
      },
      "the restart policy Default": {
        edits: [[decode, `${template} restartPolicy`, "Default"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.restartPolicy: is Default; allowed: RecreateGroupOnPodRestart, RecreateGroupAfterStart. Change restartPolicy to an allowed value.",
        ],
      },
      "workers whose containers never restart": {
        edits: [[decode, `${worker} spec restartPolicy`, "Never"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.restartPolicy: is Never; allowed: Always. Remove restartPolicy from the pod template.",
        ],
      },
    },
  },
  {
    rule: "group-placement-matches",
    allows: {
      "a group without a template for its leader": [[decode, leader, undefined]],
      "no node selector on one side and an empty one on the other": [
        [decode, `${leader} spec nodeSelector`, undefined],
        [decode, `${worker} spec nodeSelector`, {}],
      ],
      "tolerations with their fields in another order": [
        [decode, `${worker} spec tolerations`, [{ operator: "Exists", key: "gpu" }]],
      ],
    },
    refuses: {
      "workers without the leader's tolerations": {
        edits: [[decode, `${worker} spec tolerations`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.tolerations: differs from leaderTemplate; allowed: the same in both templates. Copy it from one template to the other.",
        ],
      },
      "workers on different nodes than their leader": {
        edits: [[decode, `${worker} spec nodeSelector`, { pool: "other" }]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.nodeSelector: differs from leaderTemplate; allowed: the same in both templates. Copy it from one template to the other.",
        ],
      },
      "a leader in one zone and workers in any": {
        edits: [[decode, `${leader} spec nodeSelector zone`, "a"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.nodeSelector: differs from leaderTemplate; allowed: the same in both templates. Copy it from one template to the other.",
        ],
      },
    },
  },
  {
    rule: "templates-have-no-revision",
    allows: {
      "a revision on a LeaderWorkerSet": [
        [decode, "metadata labels", { "fusioninfer.io/revision": "1" }],
      ],
      "a team's label on a template": [[decode, `${leader} metadata labels team`, "ml"]],
      "a revision on a Deployment": [
        [embedder, "metadata labels", { "fusioninfer.io/revision": "1" }],
      ],
    },
    refuses: {
      "a revision on the leader's template": {
        edits: [[decode, `${leader} metadata labels fusioninfer.io/revision`, "1"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.metadata.labels["fusioninfer.io/revision"]: is set; allowed: this label only on the workload. Remove the label from the template.',
        ],
      },
      "a revision on the workers' template": {
        edits: [[decode, `${worker} metadata labels fusioninfer.io/revision`, "1"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.metadata.labels["fusioninfer.io/revision"]: is set; allowed: this label only on the workload. Remove the label from the template.',
        ],
      },
      "a revision on a Deployment's template": {
        edits: [[embedder, "spec template metadata labels fusioninfer.io/revision", "1"]],
        finds: [
          'Deployment ml/embedder: spec.template.metadata.labels["fusioninfer.io/revision"]: is set; allowed: this label only on the workload. Remove the label from the template.',
        ],
      },
    },
  },
  {
    rule: "lws-sub-group-size-divides",
    allows: {
      "one sub-group of all pods": [[decode, `${template} subGroupPolicy`, { subGroupSize: 2 }]],
      "sub-groups of one pod": [[decode, `${template} subGroupPolicy`, { subGroupSize: 1 }]],
      "sub-groups that exclude the leader": [
        [decode, `${template} size`, 9],
        [
          decode,
          `${template} subGroupPolicy`,
          { subGroupSize: 4, subGroupPolicyType: "LeaderExcluded" },
        ],
      ],
      "sub-groups of all pods but the leader": [
        [decode, `${template} size`, 5],
        [decode, `${template} subGroupPolicy`, { subGroupSize: 4 }],
      ],
    },
    refuses: {
      "a sub-group larger than the group": {
        edits: [[decode, `${template} subGroupPolicy`, { subGroupSize: 3 }]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize: is 3, but a group has 2 pods; allowed: a divisor of 2 or 1. Change subGroupSize or size.",
        ],
      },
      "a sub-group that divides all pods, but excludes the leader": {
        edits: [
          [decode, `${template} size`, 8],
          [
            decode,
            `${template} subGroupPolicy`,
            { subGroupSize: 4, subGroupPolicyType: "LeaderExcluded" },
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize: is 4, but a group has 8 pods, and the sub-groups exclude the leader; allowed: a divisor of 7. Change subGroupSize or size.",
        ],
      },
      "a sub-group that divides neither all pods nor all workers": {
        edits: [
          [decode, `${template} size`, 5],
          [decode, `${template} subGroupPolicy`, { subGroupSize: 3 }],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize: is 3, but a group has 5 pods; allowed: a divisor of 5 or 4. Change subGroupSize or size.",
        ],
      },
      "a sub-group of twice the pods of its group": {
        edits: [[prefill, `${template} subGroupPolicy`, { subGroupSize: 4 }]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize: is 4, but a group has 2 pods; allowed: a divisor of 2 or 1. Change subGroupSize or size.",
        ],
      },
    },
  },
];
