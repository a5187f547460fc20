import type { RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leader, server } from "./places.fixture.ts";

const shared = `${leader} spec volumes 0 emptyDir sizeLimit`;

export const quantityCases: readonly RuleCases[] = [
  {
    rule: "quantities-are-valid",
    allows: {
      "a decimal suffix": [[decode, shared, "24G"]],
      "an exponent and a fraction": [
        [embedder, `${server} resources`, { requests: { cpu: "0.5", memory: "1.5e9" } }],
      ],
      "a number": [[embedder, `${server} resources`, { limits: { cpu: 2 } }]],
      "the word limits elsewhere": [["ConfigMap/settings", "data", { limits: { memory: "24g" } }]],
    },
    refuses: {
      "a lower-case suffix of a volume": {
        edits: [[decode, shared, "24g"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.volumes[0].emptyDir.sizeLimit: is "24g"; allowed: a number of at least 0, with a suffix such as m, k, M, G, Ki, Mi or Gi. Write 24G (powers of 1000) or 24Gi (powers of 1024); the API server would reject the object.',
        ],
      },
      "a suffix with B": {
        edits: [[embedder, `${server} resources`, { limits: { memory: "64GB" } }]],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].resources.limits.memory: is "64GB"; allowed: a number of at least 0, with a suffix such as m, k, M, G, Ki, Mi or Gi. Write 64G (powers of 1000) or 64Gi (powers of 1024); the API server would reject the object.',
        ],
      },
      "a blank in a request": {
        edits: [[embedder, `${server} resources`, { requests: { memory: "8 Gi" } }]],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].resources.requests.memory: is "8 Gi"; allowed: a number of at least 0, with a suffix such as m, k, M, G, Ki, Mi or Gi. Write 8G (powers of 1000) or 8Gi (powers of 1024); the API server would reject the object.',
        ],
      },
      "a quantity in a quota": {
        edits: [["ResourceQuota/gpus", "spec hard requests.memory", "1tb"]],
        finds: [
          'ResourceQuota ml/gpus: spec.hard["requests.memory"]: is "1tb"; allowed: a number of at least 0, with a suffix such as m, k, M, G, Ki, Mi or Gi. Write 1T (powers of 1000) or 1Ti (powers of 1024); the API server would reject the object.',
        ],
      },
      "a quantity in a template of another kind": {
        edits: [
          [
            "ConfigMap/settings",
            "",
            {
              apiVersion: "ray.io/v1",
              kind: "RayCluster",
              metadata: { name: "ray", namespace: "ml" },
              spec: {
                headGroupSpec: {
                  template: {
                    spec: { containers: [{ name: "a", resources: { limits: { cpu: "two" } } }] },
                  },
                },
              },
            },
          ],
        ],
        finds: [
          'RayCluster ml/ray: spec.headGroupSpec.template.spec.containers[0].resources.limits.cpu: is "two"; allowed: a number of at least 0, with a suffix such as m, k, M, G, Ki, Mi or Gi. Correct the quantity; the API server would reject the object.',
        ],
      },
    },
  },
];
