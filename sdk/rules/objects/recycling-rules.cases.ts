import type { RuleCases } from "./edited-stack.fixture.ts";

const controller = (...more: string[]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "inference-status-controller", namespace: "ml" },
  spec: {
    selector: { matchLabels: { app: "inference-status-controller" } },
    template: {
      metadata: { labels: { app: "inference-status-controller" } },
      spec: {
        containers: [
          { name: "status-controller", image: "i:1", args: ["status-controller", ...more] },
        ],
      },
    },
  },
});

const service = (spec: object) => ({
  apiVersion: "fusioninfer.io/v1alpha1",
  kind: "InferenceService",
  metadata: { name: "svc", namespace: "ml" },
  spec: { roles: [], ...spec },
});

const finding =
  "InferenceService ml/svc: spec.resilience.recycle: is set, but the status controller runs without --recycle-pods; allowed: a status controller with --recycle-pods. Set recyclesPods: true in InferenceControllers.";

const recycled = service({ resilience: { recycle: { podsPerHour: 2 } } });

export const recyclingCases: readonly RuleCases[] = [
  {
    rule: "recycling-is-enabled",
    allows: {
      "a service without recycling": [
        ["Deployment/embedder", "", controller()],
        ["ConfigMap/settings", "", service({})],
      ],
      "a controller in another stack": [["ConfigMap/settings", "", recycled]],
      "a controller that recycles": [
        ["Deployment/embedder", "", controller("--recycle-pods")],
        ["ConfigMap/settings", "", recycled],
      ],
    },
    refuses: {
      "recycling that no controller enables": {
        edits: [
          ["Deployment/embedder", "", controller()],
          ["ConfigMap/settings", "", recycled],
        ],
        finds: [finding],
      },
      "recycling with the default budget": {
        edits: [
          ["Deployment/embedder", "", controller("--lease-namespace=ml")],
          ["ConfigMap/settings", "", service({ resilience: { recycle: {} } })],
        ],
        finds: [finding],
      },
      "a controller whose flag is false": {
        edits: [
          ["ConfigMap/settings", "", recycled],
          ["Deployment/embedder", "", controller("--recycle-pods=false")],
        ],
        finds: [finding],
      },
    },
  },
];
