import type { RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, gang, template, worker } from "./places.fixture.ts";

function podGroup(name: string) {
  return {
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "PodGroup",
    metadata: { name, namespace: "ml" },
    spec: { minMember: 1 },
  };
}

export const nameCases: readonly RuleCases[] = [
  {
    rule: "lws-name-fits",
    allows: {
      "a name of 50 characters for groups of several pods": [
        [decode, "metadata name", "d".repeat(50)],
      ],
      "a name of 52 characters for groups of one pod": [
        [decode, `${template} size`, 1],
        [decode, "metadata name", "d".repeat(52)],
      ],
      "a name that the API server generates": [[decode, "metadata generateName", "d"]],
    },
    refuses: {
      "a name of 51 characters for groups of several pods": {
        edits: [[decode, "metadata name", "d".repeat(51)]],
        finds: [
          'LeaderWorkerSet ml/ddddddddddddddddddddddddddddddddddddddddddddddddddd: metadata.name: is "ddddddddddddddddddddddddddddddddddddddddddddddddddd" (51 characters); allowed: a DNS label that starts with a letter, at most 50 characters. Shorten the name.',
        ],
      },
      "a name that starts with a digit": {
        edits: [[decode, "metadata name", "4decode"]],
        finds: [
          'LeaderWorkerSet ml/4decode: metadata.name: is "4decode" (7 characters); allowed: a DNS label that starts with a letter, at most 50 characters. Shorten the name.',
        ],
      },
      "a name of 50 characters for more than ten replicas": {
        edits: [
          [decode, "metadata name", "d".repeat(50)],
          [`LeaderWorkerSet/${"d".repeat(50)}`, "spec replicas", 11],
        ],
        finds: [
          'LeaderWorkerSet ml/dddddddddddddddddddddddddddddddddddddddddddddddddd: metadata.name: is "dddddddddddddddddddddddddddddddddddddddddddddddddd" (50 characters); allowed: a DNS label that starts with a letter, at most 49 characters. Shorten the name.',
        ],
      },
    },
  },
  {
    rule: "pod-labels-are-valid",
    allows: {
      "an empty value": [[embedder, "spec template metadata labels team", ""]],
      "a value of 63 characters": [
        [embedder, "spec template metadata labels team", "a".repeat(63)],
      ],
      "a value with capitals, an underscore and a dot": [
        [embedder, "spec template metadata labels team", "ML_team.1"],
      ],
    },
    refuses: {
      "a value of 64 characters": {
        edits: [[embedder, "spec template metadata labels team", "a".repeat(64)]],
        finds: [
          'Deployment ml/embedder: spec.template.metadata.labels.team: is "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; allowed: at most 63 letters, digits, dashes, underscores and dots. Change the value of the label.',
        ],
      },
      "a value with a space": {
        edits: [[embedder, "spec template metadata labels team", "m l"]],
        finds: [
          'Deployment ml/embedder: spec.template.metadata.labels.team: is "m l"; allowed: at most 63 letters, digits, dashes, underscores and dots. Change the value of the label.',
        ],
      },
      "a value that starts with a dash": {
        edits: [[decode, `${worker} metadata labels team`, "-a"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.metadata.labels.team: is "-a"; allowed: at most 63 letters, digits, dashes, underscores and dots. Change the value of the label.',
        ],
      },
    },
  },
  {
    rule: "generated-names-do-not-collide",
    allows: {
      "a Service of that name in another namespace": [
        ["Service/frontend", "metadata", { name: "svc-decode", namespace: "other" }],
      ],
      "a Service with a longer name": [["Service/frontend", "metadata name", "svc-decode-leader"]],
      "a LeaderWorkerSet whose name only starts like a group's name": [
        [decode, "metadata name", "svc-prefill-0x"],
      ],
    },
    refuses: {
      "a Service with the name of a set's headless Service": {
        edits: [["Service/frontend", "metadata name", "svc-decode"]],
        finds: [
          "Service ml/svc-decode: metadata.name: leads to ml/Service/svc-decode, as does LeaderWorkerSet svc-decode; allowed: names that no other object of the stack has. Rename one of the two objects.",
        ],
      },
      "a LeaderWorkerSet with the name of a group of another set": {
        edits: [[decode, "metadata name", "svc-prefill-0"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill-0: metadata.name: leads to ml/StatefulSet/svc-prefill-0, as does LeaderWorkerSet svc-prefill; allowed: names that no other object of the stack has. Rename one of the two objects.",
        ],
      },
      "a StatefulSet with the name of a set's leaders": {
        edits: [
          [
            embedder,
            "",
            { kind: "StatefulSet", metadata: { name: "svc-decode", namespace: "ml" } },
          ],
        ],
        finds: [
          "StatefulSet ml/svc-decode: metadata.name: leads to ml/StatefulSet/svc-decode, as does LeaderWorkerSet svc-decode; allowed: names that no other object of the stack has. Rename one of the two objects.",
        ],
      },
    },
  },
  {
    rule: "pod-group-names-are-unique",
    allows: {
      "a PodGroup of the same name in another namespace": [
        ["ConfigMap/settings", "", { ...podGroup("svc"), metadata: { name: "svc" } }],
      ],
      "a PodGroup of another name": [["ConfigMap/settings", "", podGroup("other")]],
      "a PodGroup of the same name and another API": [
        [
          "ConfigMap/settings",
          "",
          { ...podGroup("svc"), apiVersion: "scheduling.k8s.io/v1alpha2" },
        ],
      ],
    },
    refuses: {
      "a second PodGroup of the same name": {
        edits: [["ConfigMap/settings", "", podGroup("svc")]],
        finds: [
          "PodGroup ml/svc: metadata.name: is svc, the name of another PodGroup in the namespace; allowed: a unique name. Rename one of the two PodGroups.",
        ],
      },
      "a second PodGroup renamed to the first one's name": {
        edits: [
          ["ConfigMap/settings", "", podGroup("other")],
          ["PodGroup/other", "metadata name", "svc"],
        ],
        finds: [
          "PodGroup ml/svc: metadata.name: is svc, the name of another PodGroup in the namespace; allowed: a unique name. Rename one of the two PodGroups.",
        ],
      },
      "the first PodGroup renamed to the second one's name": {
        edits: [
          ["ConfigMap/settings", "", podGroup("other")],
          [gang, "metadata name", "other"],
        ],
        finds: [
          "PodGroup ml/other: metadata.name: is other, the name of another PodGroup in the namespace; allowed: a unique name. Rename one of the two PodGroups.",
        ],
      },
    },
  },
];
