// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a shell
import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leaderEngine, server } from "./places.fixture.ts";

const vllm: Edit = [embedder, `${server} args`, ["vllm", "serve", "m"]];
const sideChannel = "VLLM_NIXL_SIDE_CHANNEL_HOST";
const env = (name: string, more: object): Edit => [embedder, `${server} env`, [{ name, ...more }]];

const serves = (...words: string[]): Edit => [embedder, `${server} args`, words];
const runs = (...words: string[]): Edit => [embedder, `${server} command`, words];
const loopback = (given: string) =>
  `Deployment ml/embedder: spec.template.spec.containers[0].args: ${given}; allowed: an address that other pods can reach. Set --host to 0.0.0.0.`;

export const addressCases: readonly RuleCases[] = [
  {
    rule: "advertised-addresses-are-reachable",
    allows: {
      "the pod's address": [
        vllm,
        env(sideChannel, { valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }),
      ],
      "the pod's address through another variable": [
        vllm,
        env(sideChannel, { value: "$(POD_IP)" }),
      ],
      "a host on which the server listens": [
        [embedder, `${server} args`, ["vllm", "serve", "m", "--host", "0.0.0.0"]],
      ],
      "an address that a script replaces": [
        [embedder, `${server} args`, [`export ${sideChannel}=$(hostname -i); vllm serve m`]],
        [embedder, `${server} command`, ["/bin/sh", "-c"]],
        env(sideChannel, { value: "0.0.0.0" }),
      ],
      "the address of ranks in one pod": [vllm, env("VLLM_HOST_IP", { value: "127.0.0.1" })],
    },
    refuses: {
      "any interface": {
        edits: [vllm, env(sideChannel, { value: "0.0.0.0" })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is 0.0.0.0 for VLLM_NIXL_SIDE_CHANNEL_HOST, which other pods connect to; allowed: the address of the pod, from status.podIP. Replace value by valueFrom: {fieldRef: {fieldPath: status.podIP}}.",
        ],
      },
      localhost: {
        edits: [vllm, env(sideChannel, { value: "localhost" })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is localhost for VLLM_NIXL_SIDE_CHANNEL_HOST, which other pods connect to; allowed: the address of the pod, from status.podIP. Replace value by valueFrom: {fieldRef: {fieldPath: status.podIP}}.",
        ],
      },
      "a fixed address": {
        edits: [vllm, env(sideChannel, { value: "10.1.2.3" })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is 10.1.2.3 for VLLM_NIXL_SIDE_CHANNEL_HOST, which other pods connect to; allowed: the address of the pod, from status.podIP. Replace value by valueFrom: {fieldRef: {fieldPath: status.podIP}}.",
        ],
      },
      "the address of ranks of several pods": {
        edits: [[decode, `${leaderEngine} env`, [{ name: "VLLM_HOST_IP", value: "127.0.0.1" }]]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].env[0].value: is 127.0.0.1 for VLLM_HOST_IP, which other pods connect to; allowed: the address of the pod, from status.podIP. Replace value by valueFrom: {fieldRef: {fieldPath: status.podIP}}.",
        ],
      },
    },
  },
  {
    rule: "engine-listens-on-the-pod",
    allows: {
      "an address of all interfaces": [serves("vllm", "serve", "m", "--host=0.0.0.0")],
      "another server in the pod": [
        [embedder, "spec template spec containers 1", { name: "proxy", image: "proxy:1" }],
        serves("vllm", "serve", "m", "--host=127.0.0.1"),
      ],
      "an address that a variable sets": [serves("sglang", "serve", "--host=$(HOST)")],
      "a program that no probe and no port reaches": [
        [embedder, `${server} ports`, undefined],
        serves("vllm", "serve", "m", "--host=127.0.0.1"),
      ],
    },
    refuses: {
      "vLLM on localhost": {
        edits: [serves("vllm", "serve", "m", "--host", "localhost")],
        finds: [loopback("set --host localhost")],
      },
      "SGLang at its default": {
        edits: [serves("python3", "-m", "sglang.launch_server", "--model-path=m")],
        finds: [loopback("leave --host at SGLang's default, 127.0.0.1")],
      },
      "TensorRT-LLM at its default": {
        edits: [serves("trtllm-serve", "m")],
        finds: [loopback("leave --host at TensorRT-LLM's default, localhost")],
      },
    },
  },
  {
    rule: "arguments-are-expanded",
    allows: {
      "a variable of the container": [env("M", { value: "m" }), runs("vllm", "serve", "$(M)")],
      "a variable of a Secret": [
        env("M", { valueFrom: { secretKeyRef: { name: "s", key: "m" } } }),
        runs("vllm", "serve", "$(M)"),
      ],
      "a variable of a controller": [runs("vllm", "serve", "m", "--node-rank=$(LWS_WORKER_INDEX)")],
      "a variable of a shell": [[embedder, `${server} command`, ["sh", "-c", "vllm serve ${M}"]]],
      "an escaped reference": [runs("vllm", "serve", "m", "--served-model-name=$$(M)")],
    },
    refuses: {
      "a variable of a shell without a shell": {
        edits: [env("M", { value: "m" }), runs("vllm", "serve", "--model=${M}")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].command[2]: contains ${M}, which the engine gets as it is written; allowed: $(M), which Kubernetes expands. Write $(M), or start the engine with sh -c.",
        ],
      },
      "a variable that the container does not have": {
        edits: [env("M", { value: "m" }), runs("vllm", "serve", "$(M)", "--port=$(PORT)")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].command[3]: contains $(PORT), but the container has no variable PORT; allowed: variables of the container. Add PORT to env.",
        ],
      },
      "a variable of the engine's published image": {
        edits: [
          [embedder, `${server} image`, "vllm/vllm-openai:v0.32.0"],
          [embedder, `${server} args`, ["--model", "$(M)"]],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args[1]: contains $(M), but the container has no variable M; allowed: variables of the container. Add M to env.",
        ],
      },
    },
  },
];
