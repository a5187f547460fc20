import type { RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, gang, leader, pool, route, server } from "./places.fixture.ts";

export const shapeCases: readonly RuleCases[] = [
  {
    rule: "objects-have-their-shape",
    allows: {
      "a Deployment of 0 replicas": [[embedder, "spec replicas", 0]],
      "annotations that are null": [[embedder, "metadata annotations", null]],
      "an object of an unknown kind": [
        ["ConfigMap/settings", "", { apiVersion: "example.com/v1", data: { any: ["thing"] } }],
      ],
      "a field that the schema does not have": [[embedder, "spec replica", 2]],
      "a listener with the highest port": [["Gateway/gateway", "spec listeners 0 port", 65_535]],
    },
    refuses: {
      "replicas written as a string": {
        edits: [[embedder, "spec replicas", "2"]],
        finds: [
          'Deployment ml/embedder: spec.replicas: is "2"; allowed: an integer (Kubernetes 1.36.3). Correct the value; the API server would reject the object.',
        ],
      },
      "a group size that is a word": {
        edits: [[decode, "spec leaderWorkerTemplate size", "two"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.size: is "two"; allowed: an integer (LeaderWorkerSet 0.9.0). Correct the value; the API server would reject the object.',
        ],
      },
      "a number among the arguments": {
        edits: [[embedder, `${server} args`, ["--port", 8080]]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args[1]: is 8080; allowed: a string (Kubernetes 1.36.3). Correct the value; the API server would reject the object.",
        ],
      },
      "a negative minMember": {
        edits: [[gang, "spec minMember", -1]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is -1; allowed: at least 0 (Volcano 1.14.1). Correct the value; the API server would reject the object.",
        ],
      },
      "a port above the range": {
        edits: [["Gateway/gateway", "spec listeners 0 port", 800_000]],
        finds: [
          "Gateway ml/gateway: spec.listeners[0].port: is 800000; allowed: 1 to 65535 (Gateway API 1.4.1). Correct the value; the API server would reject the object.",
        ],
      },
      "an empty name": {
        edits: [[route, "spec parentRefs 0 name", ""]],
        finds: [
          'HTTPRoute ml/svc: spec.parentRefs[0].name: is ""; allowed: a string of 1 to 253 characters (Gateway API 1.4.1). Correct the value; the API server would reject the object.',
        ],
      },
      "a misspelt word": {
        edits: [[pool, "spec endpointPickerRef failureMode", "FailClosed"]],
        finds: [
          'InferencePool ml/svc: spec.endpointPickerRef.failureMode: is "FailClosed"; allowed: FailOpen or FailClose (Gateway API Inference Extension 1.5.0). Did you mean FailClose?',
        ],
      },
      "a URL as hostname": {
        edits: [[route, "spec hostnames", ["http://x"]]],
        finds: [
          'HTTPRoute ml/svc: spec.hostnames[0]: is "http://x"; allowed: a string that matches ^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ (Gateway API 1.4.1). Correct the value; the API server would reject the object.',
        ],
      },
      "two listeners of one name": {
        edits: [
          ["Gateway/gateway", "spec listeners 1", { name: "https", port: 443, protocol: "HTTPS" }],
          ["Gateway/gateway", "spec listeners 1 name", "http"],
        ],
        finds: [
          'Gateway ml/gateway: spec.listeners[1].name: is "http"; allowed: each name at most once in the list (Gateway API 1.4.1). Correct the value; the API server would reject the object.',
        ],
      },
      "a missing field": {
        edits: [["Gateway/gateway", "spec listeners 0 protocol", undefined]],
        finds: [
          "Gateway ml/gateway: spec.listeners[0].protocol: is missing; allowed: a value (Gateway API 1.4.1). Add protocol; the API server would reject the object.",
        ],
      },
    },
  },
  {
    rule: "objects-have-known-fields",
    allows: {
      "a field of an unknown kind": [
        ["ConfigMap/settings", "", { apiVersion: "example.com/v1", anything: 1 }],
      ],
      "a field of the experimental channel": [[route, "spec rules 0 retry", { attempts: 1 }]],
      "keys of labels": [[embedder, "metadata labels", { anything: "x" }]],
    },
    refuses: {
      "a misspelt key of a toleration": {
        edits: [[decode, `${leader} spec tolerations`, [{ keyy: "a", operator: "Exists" }]]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.tolerations[0].keyy: unknown field "keyy"; did you mean key?',
        ],
      },
      "a misspelt field of metadata": {
        edits: [[embedder, "metadata lables", { a: "b" }]],
        finds: [
          'Deployment ml/embedder: metadata.lables: unknown field "lables"; did you mean labels?',
        ],
      },
      "a field of no kind": {
        edits: [[pool, "spec picker", "x"]],
        finds: [
          'InferencePool ml/svc: spec.picker: unknown field "picker"; allowed: appProtocol, endpointPickerRef, selector or targetPorts (Gateway API Inference Extension 1.5.0). Remove picker.',
        ],
      },
    },
  },
];
