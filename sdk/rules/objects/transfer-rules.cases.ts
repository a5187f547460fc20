import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, leader, leaderEngine, prefill, template } from "./places.fixture.ts";

const variable = "VLLM_NIXL_SIDE_CHANNEL_HOST";
const withoutHost: Edit = [prefill, `${leaderEngine} env`, undefined];
const runs = (place: string, config: object, before = ""): Edit => [
  place,
  `${leaderEngine} args`,
  [`${before}vllm serve m --kv-transfer-config '${JSON.stringify(config)}'`],
];
const nixl = { kv_connector: "NixlConnector", kv_role: "kv_both" };
const several = {
  kv_connector: "MultiConnector",
  kv_role: "kv_both",
  kv_connector_extra_config: { connectors: [nixl] },
};
const nested = { ...several, kv_connector_extra_config: { connectors: [several] } };
const localhost = (name: string, peer: string) =>
  `LeaderWorkerSet ml/${name}: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].env: leaves ${variable} at localhost, but LeaderWorkerSet ${peer} transfers blocks of the same model; allowed: the address of the pod, from status.podIP. Add ${variable} with valueFrom: {fieldRef: {fieldPath: status.podIP}}.`;

const device = "resources limits vpc.amazonaws.com/efa";
const gpus = "resources limits nvidia.com/gpu";
const share = (place: string): Edit[] => [
  [place, `${template} size`, 1],
  [place, `${leaderEngine} ${gpus}`, "4"],
  [place, `${leaderEngine} ${device}`, "16"],
];
const onEfa = [...share(decode), ...share(prefill)];
const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "kubernetes.io/hostname" }],
  },
};
const together =
  "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.affinity: lets the pods share a node with LeaderWorkerSet svc-decode, to which EFA has no connection there; allowed: pods of prefillers and decoders on different nodes. Add podAntiAffinity over kubernetes.io/hostname against the pods of the other side.";

export const transferCases: readonly RuleCases[] = [
  {
    rule: "transfers-have-an-address",
    allows: {
      "a consumer, which sends no blocks": [[decode, `${leaderEngine} env`, undefined]],
      "an address from a script": [
        runs(prefill, nixl, `export ${variable}=$(hostname -i); `),
        withoutHost,
      ],
      "variables of a ConfigMap, which may set it": [
        [prefill, `${leaderEngine} envFrom`, [{ configMapRef: { name: "engine" } }]],
        withoutHost,
      ],
      "another connector": [
        runs(prefill, { ...nixl, kv_connector: "P2pNcclConnector" }),
        withoutHost,
      ],
      "no other engine that transfers": [[decode, "", undefined], withoutHost],
      "an engine of another model": [
        [
          decode,
          `${leaderEngine} args`,
          ["vllm serve other --kv-transfer-config.kv_connector NixlConnector"],
        ],
        withoutHost,
      ],
    },
    refuses: {
      "a producer": { edits: [withoutHost], finds: [localhost("svc-prefill", "svc-decode")] },
      "one of several connectors": {
        edits: [runs(prefill, several), withoutHost],
        finds: [localhost("svc-prefill", "svc-decode")],
      },
      "one of nested connectors": {
        edits: [runs(prefill, nested), withoutHost],
        finds: [localhost("svc-prefill", "svc-decode")],
      },
      "a decoder that also sends": {
        edits: [runs(decode, nixl), [decode, `${leaderEngine} env`, undefined]],
        finds: [localhost("svc-decode", "svc-prefill")],
      },
    },
  },
  {
    rule: "efa-pairs-use-different-nodes",
    allows: {
      "pods that need a whole instance": [...onEfa, [prefill, `${leaderEngine} ${gpus}`, "8"]],
      "anti-affinity on one side": [...onEfa, [decode, `${leader} spec affinity`, apart]],
      "a side without EFA": [...onEfa, [decode, `${leaderEngine} ${device}`, undefined]],
      "a spread over nodes": [
        ...onEfa,
        [
          prefill,
          `${leader} spec topologySpreadConstraints`,
          [{ topologyKey: "kubernetes.io/hostname", maxSkew: 1 }],
        ],
      ],
    },
    refuses: {
      "four GPUs on both sides": {
        edits: [...onEfa.slice(0, -1), [prefill, `${leaderEngine} ${device}`, "16"]],
        finds: [together],
      },
      "a GPU on one side": {
        edits: [
          ...onEfa,
          [prefill, `${leaderEngine} ${gpus}`, "8"],
          [prefill, `${leaderEngine} ${gpus}`, "1"],
        ],
        finds: [together],
      },
      "node affinity, which does not part pods": {
        edits: [
          [decode, `${leader} spec affinity`, { nodeAffinity: {} }],
          ...share(decode),
          ...share(prefill).slice(0, -1),
          [prefill, `${leaderEngine} ${device}`, "16"],
        ],
        finds: [together],
      },
    },
  },
];
