import type { RuleCases } from "./edited-stack.fixture.ts";
import { route } from "./places.fixture.ts";

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

export const modelRouteCases: readonly RuleCases[] = [
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
