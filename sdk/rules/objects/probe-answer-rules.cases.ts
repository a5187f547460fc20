import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leaderEngine, server } from "./places.fixture.ts";

const liveness = (fields: object): Edit => [
  decode,
  `${leaderEngine} livenessProbe`,
  { httpGet: { path: "/health", port: "http" }, ...fields },
];
const starts = (...args: string[]): Edit => [embedder, `${server} args`, args];
const vllm = starts("vllm", "serve", "m", "--port", "8080", "--api-key", "$(KEY)");
const asks = (probe: object): Edit => [embedder, `${server} readinessProbe`, probe];
const models = { path: "/v1/models", port: 8080 };
const curl = (...more: string[]) => ["curl", "-f", ...more, "http://localhost:8080/v1/models"];

export const probeAnswerCases: readonly RuleCases[] = [
  {
    rule: "probes-tolerate-load",
    allows: {
      "the defaults of Kubernetes": [liveness({})],
      "five minutes": [liveness({ periodSeconds: 10, failureThreshold: 30 })],
      "an impatient readiness probe": [[decode, `${leaderEngine} readinessProbe periodSeconds`, 1]],
      "a program without devices": [
        [embedder, `${server} livenessProbe`, { tcpSocket: { port: 80 }, failureThreshold: 1 }],
      ],
    },
    refuses: {
      "one failure": {
        edits: [liveness({ failureThreshold: 1, periodSeconds: 60, timeoutSeconds: 4 })],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].livenessProbe: ends the engine after one failure, within 60 s; allowed: more than one failure, over at least 30 s. Set failureThreshold to 5, which tolerates five minutes.",
        ],
      },
      "a few seconds": {
        edits: [liveness({ periodSeconds: 2 })],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].livenessProbe: ends the engine after 3 failures, within 6 s; allowed: more than one failure, over at least 30 s. Set failureThreshold to 150, which tolerates five minutes.",
        ],
      },
      "a command": {
        edits: [
          [
            decode,
            `${leaderEngine} livenessProbe`,
            { exec: { command: ["curl", "localhost:8000/health"] }, periodSeconds: 5 },
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].livenessProbe: ends the engine after 3 failures, within 15 s; allowed: more than one failure, over at least 30 s. Set failureThreshold to 60, which tolerates five minutes.",
        ],
      },
    },
  },
  {
    rule: "probes-need-no-key",
    allows: {
      "the health path": [vllm, asks({ httpGet: { path: "/health", port: 8080 } })],
      "a header with the key": [
        vllm,
        asks({
          httpGet: { ...models, httpHeaders: [{ name: "Authorization", value: "Bearer x" }] },
        }),
      ],
      "an engine without keys": [
        starts("vllm", "serve", "m", "--port", "8080"),
        asks({ httpGet: models }),
      ],
      "a command with the key": [
        vllm,
        asks({ exec: { command: curl("-H", "Authorization: Bearer $KEY") } }),
      ],
    },
    refuses: {
      "the list of models": {
        edits: [vllm, asks({ httpGet: models })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: calls /v1/models without a key, but --api-key makes vLLM refuse this with 401; allowed: /health, which needs no key. Change the path to /health.",
        ],
      },
      "a key in a variable": {
        edits: [
          starts("vllm", "serve", "m", "--port", "8080"),
          asks({ httpGet: models }),
          [embedder, `${server} env`, [{ name: "VLLM_API_KEY", valueFrom: {} }]],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: calls /v1/models without a key, but VLLM_API_KEY makes vLLM refuse this with 401; allowed: /health, which needs no key. Change the path to /health.",
        ],
      },
      "a path of SGLang that needs the key": {
        edits: [
          starts("python3", "-m", "sglang.launch_server", "--port", "8080", "--api-key", "k"),
          asks({ httpGet: { path: "/get_model_info", port: 8080 } }),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: calls /get_model_info without a key, but --api-key makes SGLang refuse this with 401; allowed: /health, which needs no key. Change the path to /health.",
        ],
      },
      "a command without the key": {
        edits: [vllm, asks({ exec: { command: curl() } })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: calls /v1/models without a key, but --api-key makes vLLM refuse this with 401; allowed: /health, which needs no key. Change the path to /health.",
        ],
      },
    },
  },
];
