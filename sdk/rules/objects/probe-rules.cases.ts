import type { RuleCases } from "./edited-stack.fixture.ts";
import {
  decode,
  embedder,
  leader,
  leaderEngine,
  prefill,
  server,
  template,
  workerEngine,
} from "./places.fixture.ts";

export const probeCases: readonly RuleCases[] = [
  {
    rule: "workers-have-no-network-probe",
    allows: {
      "a worker's probe that runs a command": [
        [decode, `${workerEngine} livenessProbe`, { exec: { command: ["true"] } }],
      ],
      "a worker's port that serves no requests": [
        [decode, `${workerEngine} ports`, [{ name: "ray", containerPort: 6380 }]],
      ],
      "a network probe of a pod that serves": [
        [embedder, `${server} livenessProbe`, { tcpSocket: { port: 8080 }, failureThreshold: 90 }],
      ],
      "the serving port in a group's only template": [
        [decode, leader, undefined],
        [decode, `${workerEngine} ports`, [{ name: "http", containerPort: 8000 }]],
      ],
    },
    refuses: {
      "a worker's liveness probe over HTTP": {
        edits: [[decode, `${workerEngine} livenessProbe`, { httpGet: { port: 8000 } }]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].livenessProbe: is set; allowed: exec probes. Remove the probe, or make it an exec probe.",
        ],
      },
      "a worker's readiness probe over TCP": {
        edits: [[decode, `${workerEngine} readinessProbe`, { tcpSocket: { port: 8000 } }]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].readinessProbe: is set; allowed: exec probes. Remove the probe, or make it an exec probe.",
        ],
      },
      "a worker that declares the serving port": {
        edits: [[decode, `${workerEngine} ports`, [{ name: "http", containerPort: 8000 }]]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].ports: is the serving port; allowed: ports that workers listen on. Remove the port, or rename it.",
        ],
      },
    },
  },
  {
    rule: "leaders-are-ready-when-serving",
    allows: {
      "a TCP probe of the serving port": [
        [decode, `${leaderEngine} readinessProbe`, { tcpSocket: { port: 8000 } }],
      ],
      "a probe that runs a command": [
        [decode, `${leaderEngine} readinessProbe`, { exec: { command: ["./ready"] } }],
      ],
      "a single pod without a probe": [
        [decode, `${template} size`, 1],
        [decode, `${leaderEngine} readinessProbe`, undefined],
      ],
    },
    refuses: {
      "a leader without a readiness probe": {
        edits: [[decode, `${leaderEngine} readinessProbe`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].readinessProbe: is missing; allowed: a probe on the serving port. Add a readinessProbe.",
        ],
      },
      "a readiness probe of the port on which the group forms": {
        edits: [[decode, `${leaderEngine} readinessProbe`, { tcpSocket: { port: 6379 } }]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].readinessProbe: checks port 6379, on which its pods form the group; allowed: the port that serves the model, because the other port opens long before the model is loaded. Change the probe's port, or remove the probe to use the planned probe.",
        ],
      },
      "a liveness probe of the port on which the group forms": {
        edits: [[decode, `${leaderEngine} livenessProbe`, { httpGet: { port: 6379 } }]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].livenessProbe: checks port 6379, on which its pods form the group; allowed: the port that serves the model, because the other port opens long before the model is loaded. Change the probe's port.",
        ],
      },
      "a readiness probe that is null": {
        edits: [[prefill, `${leaderEngine} readinessProbe`, null]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].readinessProbe: is missing; allowed: a probe on the serving port. Add a readinessProbe.",
        ],
      },
    },
  },
  {
    rule: "loading-has-time",
    parameters: {
      models: {
        "acme/large": {
          model_type: "llama",
          architectures: ["LlamaForCausalLM"],
          vocab_size: 128_256,
          hidden_size: 8192,
          intermediate_size: 28_672,
          num_hidden_layers: 80,
          num_attention_heads: 64,
          num_key_value_heads: 8,
          torch_dtype: "bfloat16",
          max_position_embeddings: 131_072,
        },
      },
    },
    allows: {
      "a liveness probe after a startup probe": [
        [decode, `${leaderEngine} livenessProbe`, { httpGet: { port: "http" } }],
      ],
      "a liveness probe that begins after 5 minutes": [
        [embedder, `${server} livenessProbe`, { initialDelaySeconds: 300 }],
      ],
      "a grace period of 30 seconds": [
        [embedder, "spec template spec terminationGracePeriodSeconds", 30],
      ],
    },
    refuses: {
      "a liveness probe that fails after 30 seconds": {
        edits: [[embedder, `${server} livenessProbe`, { httpGet: { port: 8080 } }]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].livenessProbe: fails after 30 s; allowed: at least 300 s, the loading time of a model. Add a startupProbe with a longer budget.",
        ],
      },
      "a startup probe that fails after a minute": {
        edits: [[decode, `${leaderEngine} startupProbe failureThreshold`, 6]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].startupProbe: fails after 60 s; allowed: at least 300 s, the loading time of a model. Raise failureThreshold.",
        ],
      },
      "a large model that a parameter describes": {
        edits: [
          [embedder, `${server} startupProbe`, { httpGet: { port: 8080 }, failureThreshold: 31 }],
          [embedder, `${server} args`, ["vllm", "serve", "acme/large"]],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].startupProbe: fails after 310 s; allowed: at least 509 s, the loading time of acme/large of 141 GB. Raise failureThreshold.",
        ],
      },
      "a grace period of 5 seconds": {
        edits: [[embedder, "spec template spec terminationGracePeriodSeconds", 5]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.terminationGracePeriodSeconds: is 5 s; allowed: at least 30 s, the time that running requests may take. Raise terminationGracePeriodSeconds.",
        ],
      },
    },
  },
];
