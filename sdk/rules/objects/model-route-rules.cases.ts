import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { backends, embedder, localPool, route, server } from "./places.fixture.ts";

const matches = "spec rules 0 matches";
const byHeader = (name: string) => [{ headers: [{ type: "Exact", name, value: "m" }] }];
const modelRouter = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "models-model-router", namespace: "ml" },
  spec: {
    selector: { matchLabels: { app: "models-model-router" } },
    template: {
      metadata: { labels: { app: "models-model-router" } },
      spec: { containers: [{ name: "model-router", image: "i:1", args: ["model-router"] }] },
    },
  },
};

/** A second pool with one Deployment, next to the pool of the stack, whose engines serve `m`. */
const second = (...args: string[]): Edit[] => [
  [
    "ConfigMap/settings",
    "",
    {
      apiVersion: "inference.networking.k8s.io/v1",
      kind: "InferencePool",
      metadata: { name: "canary", namespace: "ml" },
      spec: { targetPorts: [{ number: 8080 }], selector: { matchLabels: { app: "embedder" } } },
    },
  ],
  [embedder, `${server} image`, "vllm/vllm-openai:v0.32.0"],
  [embedder, `${server} args`, args],
];
const divided = (weight: number): Edit => [
  route,
  backends,
  [localPool, { ...localPool, name: "canary", weight }],
];
const differs = (canary: string) =>
  `HTTPRoute ml/svc: spec.rules[0].backendRefs: divides requests over svc, which serves m, and canary, which serves ${canary}; allowed: pools that serve one model name. Set one servedModelName on both, or rewrite the model for each pool.`;

export const modelRouteCases: readonly RuleCases[] = [
  {
    rule: "weighted-pools-share-a-model",
    allows: {
      "a common name": [...second("--model", "n", "--served-model-name", "m"), divided(10)],
      "a pool without requests": [...second("--model", "n"), divided(0)],
      "a pool whose model is not known": [...second(), divided(10)],
    },
    refuses: {
      "two models": { edits: [...second("--model", "n"), divided(10)], finds: [differs("n")] },
      "a name that only one pool serves": {
        edits: [...second("--model", "m", "--served-model-name", "chat"), divided(1)],
        finds: [differs("chat")],
      },
      "a typing error": {
        edits: [...second("--model", "n", "--served-model-name", "M"), divided(90)],
        finds: [differs("M")],
      },
    },
  },
  {
    rule: "route-by-model-has-a-model-router",
    allows: {
      "another header": [[route, matches, byHeader("x-tenant")]],
      "matches without headers": [[route, matches, [{ path: { value: "/v1" } }]]],
      "a model router in the stack": [
        ["ConfigMap/settings", "", modelRouter],
        [route, matches, byHeader("X-Gateway-Model-Name")],
      ],
    },
    refuses: {
      "the model header without a model router": {
        edits: [[route, matches, byHeader("X-Gateway-Model-Name")]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].matches[0].headers[0].name: is X-Gateway-Model-Name, a header that no model router of the stack sets; allowed: a header that a model router sets. Create a ModelRouter.",
        ],
      },
      "the model header together with another header": {
        edits: [[route, matches, [...byHeader("x-tenant"), ...byHeader("X-Gateway-Model-Name")]]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].matches[1].headers[0].name: is X-Gateway-Model-Name, a header that no model router of the stack sets; allowed: a header that a model router sets. Create a ModelRouter.",
        ],
      },
      "the base-model header, in any letter case": {
        edits: [[route, matches, byHeader("x-gateway-base-model-name")]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].matches[0].headers[0].name: is x-gateway-base-model-name, a header that no model router of the stack sets; allowed: a header that a model router sets. Create a ModelRouter.",
        ],
      },
    },
  },
];
