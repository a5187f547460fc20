import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leader, leaderEngine, server } from "./places.fixture.ts";

const service = (name: string, fields: object = {}): Edit => [
  "ConfigMap/settings",
  "",
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "ml" },
    spec: { selector: { app: "a" }, ports: [{ port: 8000 }], ...fields },
  },
];
const only = "links to other pods are off";
const noLinks: Edit[] = [
  [decode, `${leader} spec enableServiceLinks`, false],
  ["LeaderWorkerSet/svc-prefill", `${leader} spec enableServiceLinks`, false],
  [embedder, "spec template spec enableServiceLinks", false],
];
const found = (kind: string, path: string, name: string, variable: string, engine = "vLLM") =>
  `${kind}: ${path}.enableServiceLinks: lets Service ${name} set ${variable} to tcp://ADDRESS:PORT, which ${engine} reads as a number; allowed: false, or Services of other names. Set enableServiceLinks to false.`;
const groups = (name: string, variable: string) =>
  ["prefill", "decode"].map((role) =>
    found(
      `LeaderWorkerSet ml/svc-${role}`,
      "spec.leaderWorkerTemplate.leaderTemplate.spec",
      name,
      variable,
    ),
  );

export const serviceLinkCases: readonly RuleCases[] = [
  {
    rule: "services-set-no-variable-of-an-engine",
    allows: {
      "a Service that is named like its engine and a model": [service("vllm-qwen")],
      "a headless Service": [service("vllm", { clusterIP: "None" })],
      [only]: [...noLinks, service("vllm")],
      "a Service of another namespace": [
        service("vllm"),
        ["Service/vllm", "metadata namespace", "other"],
      ],
      "a variable that the container sets": [
        [decode, `${leaderEngine} env`, [{ name: "VLLM_PORT", value: "5000" }]],
        [
          "LeaderWorkerSet/svc-prefill",
          `${leaderEngine} env`,
          [{ name: "VLLM_PORT", value: "5000" }],
        ],
        service("vllm"),
      ],
    },
    refuses: {
      "a Service named vllm": { edits: [service("vllm")], finds: groups("vllm", "VLLM_PORT") },
      "a Service of the side channel": {
        edits: [service("vllm-nixl-side-channel")],
        finds: groups("vllm-nixl-side-channel", "VLLM_NIXL_SIDE_CHANNEL_PORT"),
      },
      "a Service named sglang": {
        edits: [
          [embedder, `${server} image`, "lmsysorg/sglang:v0.5.23"],
          [embedder, `${server} args`, ["python3", "-m", "sglang.launch_server"]],
          service("sglang"),
        ],
        finds: [
          found("Deployment ml/embedder", "spec.template.spec", "sglang", "SGLANG_PORT", "SGLang"),
        ],
      },
    },
  },
];
