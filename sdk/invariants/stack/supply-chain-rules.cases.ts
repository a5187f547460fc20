import type { RuleCases } from "./edited-stack.fixture.ts";
import { digest } from "./good-stack.fixture.ts";
import { decode, embedder, server, workerEngine } from "./places.fixture.ts";

export const supplyChainCases: readonly RuleCases[] = [
  {
    rule: "image-tag-is-fixed",
    allows: {
      "a tag with the whole version": [[embedder, `${server} image`, "vllm/vllm-openai:v0.11.0"]],
      "a tag with a suffix after the version": [
        [embedder, `${server} image`, "registry:5000/server:1.2.3-cuda12"],
      ],
      "a digest": [[embedder, `${server} image`, `server@${digest}`]],
    },
    refuses: {
      "the tag latest": {
        edits: [[embedder, `${server} image`, "vllm/vllm-openai:latest"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is vllm/vllm-openai:latest; allowed: a digest, or a tag with the whole version. Name the version that was tested.",
        ],
      },
      "an image without a tag": {
        edits: [[embedder, `${server} image`, "registry:5000/server"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is registry:5000/server, which means latest; allowed: a digest, or a tag with the whole version. Name the version that was tested.",
        ],
      },
      "a tag with the major version only": {
        edits: [[embedder, `${server} image`, "server:v1"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is server:v1; allowed: a digest, or a tag with the whole version. Name the version that was tested.",
        ],
      },
    },
  },
  {
    rule: "image-has-a-digest",
    allows: {
      "a digest": [[embedder, `${server} image`, `server@${digest}`]],
      "a digest beside a tag": [[embedder, `${server} image`, `registry:5000/server:v1@${digest}`]],
      "a container without an image": [[embedder, `${server} image`, undefined]],
    },
    refuses: {
      "a tag": {
        edits: [[embedder, `${server} image`, "server:1.2.3"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is server:1.2.3; allowed: a digest. Append it.",
        ],
      },
      "a digest that is cut short": {
        edits: [[embedder, `${server} image`, "server@sha256:abc"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is server@sha256:abc; allowed: a digest. Append it.",
        ],
      },
      "a name alone": {
        edits: [[decode, `${workerEngine} image`, "server"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].image: is server; allowed: a digest. Append it.",
        ],
      },
    },
  },
  {
    rule: "pods-run-as-non-root",
    allows: {
      "runAsNonRoot of the pod": [
        [embedder, "spec template spec securityContext", { runAsNonRoot: true }],
        [embedder, `${server} securityContext`, { allowPrivilegeEscalation: false }],
      ],
      "another user of the container": [[embedder, `${server} securityContext runAsUser`, 1000]],
      "another user of the pod": [
        [embedder, "spec template spec securityContext", { runAsUser: 1000 }],
      ],
    },
    refuses: {
      "a container that says nothing": {
        edits: [[embedder, `${server} securityContext runAsNonRoot`, undefined]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.runAsNonRoot: is missing; allowed: true. Set it on the pod or on the container.",
        ],
      },
      "the user 0": {
        edits: [[embedder, `${server} securityContext runAsUser`, 0]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.runAsUser: is 0; allowed: another user than root. Set it on the pod or on the container.",
        ],
      },
      "runAsNonRoot false": {
        edits: [[embedder, `${server} securityContext runAsNonRoot`, false]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.runAsNonRoot: is false; allowed: true. Set it on the pod or on the container.",
        ],
      },
    },
  },
  {
    rule: "pods-are-restricted",
    allows: {
      "privileged false": [[embedder, `${server} securityContext privileged`, false]],
      "the capability to bind low ports": [
        [embedder, `${server} securityContext capabilities add`, ["NET_BIND_SERVICE"]],
      ],
      "hostPID false": [[embedder, "spec template spec hostPID", false]],
    },
    refuses: {
      "a privileged container": {
        edits: [[embedder, `${server} securityContext privileged`, true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.privileged: is true; allowed: false. Remove it.",
        ],
      },
      "a container that may gain privileges": {
        edits: [[embedder, `${server} securityContext allowPrivilegeEscalation`, true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.allowPrivilegeEscalation: is true; allowed: false. Set it to false.",
        ],
      },
      "the capability SYS_ADMIN": {
        edits: [[embedder, `${server} securityContext capabilities add`, ["SYS_ADMIN"]]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.capabilities.add: has SYS_ADMIN; allowed: NET_BIND_SERVICE, IPC_LOCK. Remove it.",
        ],
      },
      "the host's process ids": {
        edits: [[embedder, "spec template spec hostPID", true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.hostPID: is true; allowed: false. Remove it.",
        ],
      },
    },
  },
];
