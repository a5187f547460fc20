import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { digest } from "./good-stack.fixture.ts";
import {
  decode,
  embedder,
  leader,
  leaderEngine,
  leaderSidecar,
  prefill,
  serve,
  server,
} from "./places.fixture.ts";

/** A command with a transfer and further options. */
const served = (flags: string, connector = "NixlConnector") => [
  `vllm serve m --kv-transfer-config '{"kv_connector":"${connector}","kv_role":"kv_both"}' ${flags}`,
];
const differs = (given: string, setting: string, allowed: string) =>
  `LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: use ${given} for ${setting}; allowed: ${allowed}, as on the prefillers. Set the same ${setting} on both sides.`;

const misdirected = (served: number, target: number) =>
  `LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: serve on port ${served}, but the decode sidecar forwards requests to port ${target}; allowed: ${target}. Change the port of the engine or of the sidecar.`;

/** Gives pods the labels of llm-d instead of the labels of this project. */
const llmD = (object: string, role: string): Edit[] => [
  [
    object,
    `${leader} metadata labels`,
    { "llm-d.ai/role": role, "llm-d.ai/inferenceServing": "true", "llm-d.ai/model": "m" },
  ],
];

export const pairCases: readonly RuleCases[] = [
  {
    rule: "prefill-and-decode-both-run",
    allows: {
      "both sides scaled to 0": [
        [decode, "spec replicas", 0],
        [prefill, "spec replicas", 0],
      ],
      "neither side": [
        [decode, "", undefined],
        [prefill, "", undefined],
      ],
      "decoders of llm-d, which may serve alone": [
        ...llmD(decode, "decode"),
        [prefill, "", undefined],
      ],
      "more decoders than prefillers": [[decode, "spec replicas", 8]],
    },
    refuses: {
      "prefillers with decoders scaled to 0": {
        edits: [[decode, "spec replicas", 0]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.replicas: is 1, but service svc runs no decoder; allowed: replicas on both sides, or 0 on both. Add a decoder, or scale this side to 0.",
        ],
      },
      "decoders with prefillers scaled to 0": {
        edits: [[prefill, "spec replicas", 0]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.replicas: is 1, but service svc runs no prefiller; allowed: replicas on both sides, or 0 on both. Add a prefiller, or scale this side to 0.",
        ],
      },
      "prefillers of llm-d without decoders": {
        edits: [...llmD(prefill, "prefill"), ...llmD(decode, "decode"), [decode, "", undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.replicas: is 1, but service llm-d.ai/inferenceServing=true,llm-d.ai/model=m runs no decoder; allowed: replicas on both sides, or 0 on both. Add a decoder, or scale this side to 0.",
        ],
      },
      "decoders without a set of prefillers": {
        edits: [[prefill, "", undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.replicas: is 1, but service svc runs no prefiller; allowed: replicas on both sides, or 0 on both. Add a prefiller, or scale this side to 0.",
        ],
      },
    },
  },
  {
    rule: "pair-has-one-image",
    allows: {
      "another image outside of the pair": [[embedder, `${server} image`, "other:1.0.0"]],
      "another image on both sides": [
        [decode, `${leaderEngine} image`, "vllm:1.0.0"],
        [prefill, `${leaderEngine} image`, "vllm:1.0.0"],
      ],
      "only decoders": [[prefill, "", undefined]],
    },
    refuses: {
      "decoders of an older version": {
        edits: [[decode, `${leaderEngine} image`, "vllm/vllm-openai:v0.10.0"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].image: is vllm/vllm-openai:v0.10.0; allowed: vllm/vllm-openai:v0.11.0@sha256:5555555555555555555555555555555555555555555555555555555555555555, as on the prefillers. Use the same image on both sides.",
        ],
      },
      "prefillers of a newer version": {
        edits: [[prefill, `${leaderEngine} image`, "vllm/vllm-openai:v0.12.0"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].image: is vllm/vllm-openai:v0.11.0@sha256:5555555555555555555555555555555555555555555555555555555555555555; allowed: vllm/vllm-openai:v0.12.0, as on the prefillers. Use the same image on both sides.",
        ],
      },
      "decoders without an image": {
        edits: [[decode, `${leaderEngine} image`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].image: is missing; allowed: vllm/vllm-openai:v0.11.0@sha256:5555555555555555555555555555555555555555555555555555555555555555, as on the prefillers. Use the same image on both sides.",
        ],
      },
    },
  },
  {
    rule: "pair-has-one-model",
    allows: {
      "only decoders": [[prefill, "", undefined]],
      "a model that a variable sets": [
        [decode, `${leaderEngine} args`, ["vllm serve $MODEL --kv-transfer-config=x"]],
      ],
      "another model on both sides": [
        [decode, `${leaderEngine} args`, ["vllm serve n --kv-transfer-config=x"]],
        [prefill, `${leaderEngine} args`, ["vllm serve n --kv-transfer-config=x"]],
      ],
    },
    refuses: {
      "decoders of another model": {
        edits: [[decode, `${leaderEngine} args`, ["vllm serve n --kv-transfer-config=x"]]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: load n; allowed: m, as on the prefillers. Set the same --model on both sides.",
        ],
      },
      "prefillers that load the weights from a path": {
        edits: [
          [
            prefill,
            `${leaderEngine} args`,
            ["vllm serve --model=/models/m --kv-transfer-config=x"],
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: load m; allowed: /models/m, as on the prefillers. Set the same --model on both sides.",
        ],
      },
      "decoders that load the weights from a path": {
        edits: [[decode, `${leaderEngine} args`, ["vllm serve /models/m --kv-transfer-config=x"]]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: load /models/m; allowed: m, as on the prefillers. Set the same --model on both sides.",
        ],
      },
    },
  },
  {
    rule: "pair-has-one-cache",
    allows: {
      "the same settings in other words": [
        [prefill, `${leaderEngine} args`, served("--kv-cache-dtype fp8 --block-size=16")],
        [decode, `${leaderEngine} args`, served("--kv-cache-dtype=fp8_e4m3")],
      ],
      "a data type that a variable sets": [
        [decode, `${leaderEngine} args`, served("--kv-cache-dtype $TYPE")],
      ],
      "several connectors": [[decode, `${leaderEngine} args`, served("", "MultiConnector")]],
      "a transfer that LMCache configures": [
        [decode, `${leaderEngine} env`, [{ name: "LMCACHE_CONFIG_FILE", value: "/c.yaml" }]],
        [decode, `${leaderEngine} args`, served("", "MultiConnector")],
      ],
      "only decoders": [
        [prefill, "", undefined],
        [decode, `${leaderEngine} args`, served("--kv-cache-dtype fp8")],
      ],
    },
    refuses: {
      "decoders with another data type": {
        edits: [[decode, `${leaderEngine} args`, served("--kv-cache-dtype fp8")]],
        finds: [differs("fp8", "--kv-cache-dtype", "auto")],
      },
      "prefillers with another block size": {
        edits: [[prefill, `${leaderEngine} args`, served("--block-size=128")]],
        finds: [differs("16", "--block-size", "128")],
      },
      "decoders with another connector": {
        edits: [[decode, `${leaderEngine} args`, served("", "LMCacheConnectorV1")]],
        finds: [differs("LMCacheConnectorV1", "the KV cache transfer", "NixlConnector")],
      },
      "decoders of llm-d with another data type": {
        edits: [
          ...llmD(prefill, "prefill"),
          ...llmD(decode, "decode"),
          [decode, `${leaderEngine} args`, served("--kv-cache-dtype fp8")],
        ],
        finds: [differs("fp8", "--kv-cache-dtype", "auto")],
      },
      "decoders of llm-d without a transfer": {
        edits: [
          ...llmD(prefill, "prefill"),
          ...llmD(decode, "decode"),
          [decode, `${leaderEngine} args`, serve("")],
        ],
        finds: [differs("none", "the KV cache transfer", "NixlConnector")],
      },
    },
  },
  {
    rule: "pair-transfers-blocks",
    allows: {
      "a transfer flag with underscores": [
        [decode, `${leaderEngine} args`, serve("--kv_transfer_config=x")],
      ],
      "an engine of unknown kind": [[decode, `${leaderEngine} args`, ["./engine m"]]],
      "a configuration file that may configure the transfer": [
        [decode, `${leaderEngine} args`, serve("--config engine.yaml")],
      ],
      "a decoder whose blocks LMCache transfers": [
        [decode, `${leaderEngine} env`, [{ name: "LMCACHE_CONFIG_FILE", value: "/c.yaml" }]],
        [decode, `${leaderEngine} args`, serve("")],
      ],
      "an SGLang decoder": [
        [decode, `${leaderEngine} args`, ["sglang serve --disaggregation-mode decode"]],
      ],
    },
    refuses: {
      "a vLLM decoder without a transfer": {
        edits: [[decode, `${leaderEngine} args`, serve("")]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: start vLLM without --kv-transfer-config; allowed: a KV cache transfer, because the service has prefillers and decoders. Add "--kv-transfer-config", \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\', and set the environment variable VLLM_NIXL_SIDE_CHANNEL_HOST from status.podIP.',
        ],
      },
      "a vLLM prefiller of llm-d without a transfer": {
        edits: [...llmD(prefill, "prefill"), [prefill, `${leaderEngine} args`, serve("")]],
        finds: [
          'LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: start vLLM without --kv-transfer-config; allowed: a KV cache transfer, because the service has prefillers and decoders. Add "--kv-transfer-config", \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\', and set the environment variable VLLM_NIXL_SIDE_CHANNEL_HOST from status.podIP.',
        ],
      },
      "a vLLM prefiller without a transfer": {
        edits: [[prefill, `${leaderEngine} args`, serve("")]],
        finds: [
          'LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: start vLLM without --kv-transfer-config; allowed: a KV cache transfer, because the service has prefillers and decoders. Add "--kv-transfer-config", \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\', and set the environment variable VLLM_NIXL_SIDE_CHANNEL_HOST from status.podIP.',
        ],
      },
      "an SGLang decoder without a mode": {
        edits: [[decode, `${leaderEngine} args`, ["sglang serve m"]]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: start SGLang without --disaggregation-mode; allowed: --disaggregation-mode decode on a decoder. Add "--disaggregation-mode", "decode", and set the same --disaggregation-transfer-backend on both sides.',
        ],
      },
      "an SGLang decoder in prefill mode": {
        edits: [[decode, `${leaderEngine} args`, ["sglang serve --disaggregation-mode prefill"]]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set --disaggregation-mode prefill; allowed: --disaggregation-mode decode on a decoder. Add "--disaggregation-mode", "decode", and set the same --disaggregation-transfer-backend on both sides.',
        ],
      },
    },
  },
  {
    rule: "routed-decoder-has-a-sidecar",
    allows: {
      "llm-d's sidecar": [
        [
          decode,
          leaderSidecar,
          { name: "proxy", image: "llm-d-routing-sidecar:1", restartPolicy: "Always" },
        ],
      ],
      "a sidecar among the containers": [
        [decode, leaderSidecar, undefined],
        [
          decode,
          `${leader} spec containers 1`,
          { name: "routing-proxy", image: `proxy:1@${digest}` },
        ],
      ],
      "no prefillers": [
        [prefill, "", undefined],
        [decode, leaderSidecar, undefined],
      ],
    },
    refuses: {
      "no sidecar": {
        edits: [[decode, leaderSidecar, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers: contain no decode sidecar; allowed: a decode sidecar in front of the engine. Add a sidecar that listens on the pool's port, and move the engine to another port.",
        ],
      },
      "another server": {
        edits: [
          [
            decode,
            `${leader} spec containers 1`,
            { name: "metrics", image: `exporter:1@${digest}` },
          ],
          [decode, leaderSidecar, undefined],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers: contain no decode sidecar; allowed: a decode sidecar in front of the engine. Add a sidecar that listens on the pool's port, and move the engine to another port.",
        ],
      },
      "an init container that terminates": {
        edits: [[decode, `${leaderSidecar} restartPolicy`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers: contain no decode sidecar; allowed: a decode sidecar in front of the engine. Add a sidecar that listens on the pool's port, and move the engine to another port.",
        ],
      },
    },
  },
  {
    rule: "decode-sidecar-reaches-its-engine",
    allows: {
      "the engine's port": [
        [decode, `${leaderEngine} args`, served("--port=8200")],
        [decode, `${leaderSidecar} args`, ["pd-sidecar", "--model-server-port", "8200"]],
      ],
      "a port that a variable sets": [
        [decode, `${leaderEngine} args`, served("--port=$PORT")],
        [decode, `${leaderSidecar} args`, ["pd-sidecar", "--model-server-port", "8200"]],
      ],
      "a port without a flag": [[decode, `${leaderEngine} args`, served("--port=8300")]],
    },
    refuses: {
      "llm-d's sidecar for another port": {
        edits: [
          [decode, `${leaderEngine} args`, served("--port=8300")],
          [decode, `${leaderSidecar} args`, ["--port=8000", "--vllm-port=8200"]],
        ],
        finds: [misdirected(8300, 8200)],
      },
      "this project's sidecar for another port": {
        edits: [
          [decode, `${leaderEngine} args`, served("--port=8300")],
          [decode, `${leaderSidecar} args`, ["pd-sidecar", "--model-server-port", "8200"]],
        ],
        finds: [misdirected(8300, 8200)],
      },
      "an engine on another port": {
        edits: [
          [decode, `${leaderSidecar} args`, ["--port=8000", "--vllm-port=8200"]],
          [decode, `${leaderEngine} args`, served("--port=8000")],
        ],
        finds: [misdirected(8000, 8200)],
      },
    },
  },
];
