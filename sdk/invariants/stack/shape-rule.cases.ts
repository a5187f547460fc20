import type { RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, gang, server } from "./places.fixture.ts";

export const shapeCases: readonly RuleCases[] = [
  {
    rule: "objects-have-their-shape",
    allows: {
      "a Deployment of 0 replicas": [[embedder, "spec replicas", 0]],
      "annotations that are null": [[embedder, "metadata annotations", null]],
      "a ConfigMap with arbitrary content": [["ConfigMap/settings", "data", { any: ["thing"] }]],
    },
    refuses: {
      "replicas written as a string": {
        edits: [[embedder, "spec replicas", "2"]],
        finds: [
          'Deployment ml/embedder: spec.replicas: is "2"; allowed: a value that its kind accepts (Invalid input: expected number, received string). Correct the value; the API server would reject the object.',
        ],
      },
      "a group size that is a word": {
        edits: [[decode, "spec leaderWorkerTemplate size", "two"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.size: is "two"; allowed: a value that its kind accepts (Invalid input: expected number, received string). Correct the value; the API server would reject the object.',
        ],
      },
      "a number among the arguments": {
        edits: [[embedder, `${server} args`, ["--port", 8080]]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args[1]: is 8080; allowed: a value that its kind accepts (Invalid input: expected string, received number). Correct the value; the API server would reject the object.",
        ],
      },
      "a negative minMember": {
        edits: [[gang, "spec minMember", -1]],
        finds: [
          "PodGroup ml/svc: spec.minMember: is -1; allowed: a value that its kind accepts (Too small: expected number to be >=0). Correct the value; the API server would reject the object.",
        ],
      },
    },
  },
];
