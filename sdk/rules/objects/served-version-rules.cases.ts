import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { embedder } from "./places.fixture.ts";

const settings = (apiVersion: string, kind: string): Edit => [
  "ConfigMap/settings",
  "",
  { apiVersion, kind, metadata: { name: "settings", namespace: "ml" }, spec: {} },
];
const found = (kind: string, name: string, apiVersion: string, use: string) =>
  `${kind} ml/${name}: apiVersion: is ${apiVersion}, in which current clusters do not serve ${kind}; allowed: ${use}. Write it as ${use}.`;

export const servedVersionCases: readonly RuleCases[] = [
  {
    rule: "versions-are-served",
    allows: {
      "the successor of InferenceModel": [
        settings("inference.networking.x-k8s.io/v1alpha2", "InferenceObjective"),
      ],
      "an older version that is still served": [
        settings("gateway.networking.k8s.io/v1beta1", "HTTPRoute"),
      ],
      "a kind of another project": [settings("example.com/v1alpha1", "InferenceModel")],
    },
    refuses: {
      "a kind that is gone": {
        edits: [settings("inference.networking.x-k8s.io/v1alpha2", "InferenceModel")],
        finds: [
          found(
            "InferenceModel",
            "settings",
            "inference.networking.x-k8s.io/v1alpha2",
            "InferenceObjective of llm-d.ai/v1alpha2",
          ),
        ],
      },
      "a version that is gone": {
        edits: [["PodDisruptionBudget/decode", "apiVersion", "policy/v1beta1"]],
        finds: [
          found(
            "PodDisruptionBudget",
            "decode",
            "policy/v1beta1",
            "PodDisruptionBudget of policy/v1",
          ),
        ],
      },
      "a Deployment of another group": {
        edits: [[embedder, "apiVersion", "extensions/v1beta1"]],
        finds: [found("Deployment", "embedder", "extensions/v1beta1", "Deployment of apps/v1")],
      },
    },
  },
];
