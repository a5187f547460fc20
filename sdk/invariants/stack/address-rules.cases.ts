import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leaderEngine, server } from "./places.fixture.ts";

const vllm: Edit = [embedder, `${server} args`, ["vllm", "serve", "m"]];
const sideChannel = "VLLM_NIXL_SIDE_CHANNEL_HOST";
const env = (name: string, more: object): Edit => [embedder, `${server} env`, [{ name, ...more }]];

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
];
