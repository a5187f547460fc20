import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import {
  decode,
  embedder,
  gpu,
  leaderEngine,
  prefill,
  serve,
  server,
  template,
  workerEngine,
} from "./places.fixture.ts";

const vllm = (...args: string[]) => ["serve", "m", ...args];

/** Turns the embedder into a vLLM server. */
const asVllm = (...args: string[]): Edit[] => [
  [embedder, `${server} command`, ["vllm"]],
  [embedder, `${server} args`, vllm(...args)],
];

/** Starts the decoders with these flags, on two pods of eight GPUs. */
const copies = (flags: string): Edit => [decode, `${leaderEngine} args`, [`vllm serve m ${flags}`]];

const kv = (role: string, connector = "NixlConnector") =>
  `'{"kv_connector":"${connector}","kv_role":"${role}"}'`;

export const engineCases: readonly RuleCases[] = [
  {
    rule: "parallelism-fits-the-gpus",
    allows: {
      "tensor times pipeline parallel size equal to the GPUs of a replica": [
        [decode, `${leaderEngine} args`, serve("-tp 8 -pp 2")],
      ],
      "a size that a variable holds": [
        [decode, `${leaderEngine} args`, serve("--tensor-parallel-size $TP")],
      ],
      "a size written with an equals sign": [...asVllm("--tensor-parallel-size=1")],
      "arguments that set no size": [...asVllm("--max-model-len", "4096")],
    },
    refuses: {
      "copies on a pod that need more GPUs than the pod has": {
        edits: [copies("--data-parallel-size 32 --data-parallel-size-local 16")],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set parallel sizes for 16 accelerators, but the pod has 8; allowed: parallel sizes for 8 accelerators. Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
        ],
      },
      "two ranks of vLLM on one GPU": {
        edits: [
          [embedder, `${server} command`, ["vllm"]],
          [embedder, `${server} args`, vllm("-tp", "2")],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: set parallel sizes for 2 accelerators, but the replica has 1; allowed: parallel sizes for 1 accelerator. Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
        ],
      },
      "an SGLang server started by its command with too few GPUs": {
        edits: [
          [embedder, `${server} command`, ["python3", "-m", "sglang.launch_server", "--tp", "2"]],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].command: set parallel sizes for 2 accelerators, but the replica has 1; allowed: parallel sizes for 1 accelerator. Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
        ],
      },
    },
  },
  {
    rule: "accelerators-are-used",
    allows: {
      "more ranks than accelerators, which another rule refuses": asVllm("-tp", "4"),
      "tensor times pipeline parallel size equal to the GPUs of a replica": [
        [decode, `${leaderEngine} args`, serve("-tp 8 -pp 2")],
      ],
      "arguments without a parallel size": asVllm("--max-model-len", "4096"),
      "a script with an engine for each accelerator": [
        [embedder, `${server} command`, ["/bin/sh", "-c"]],
        [embedder, `${server} args`, ["vllm serve m & vllm serve m --port 8001 & wait"]],
        [embedder, `${server} ${gpu}`, "2"],
      ],
      "pods that each run an engine with one rank": [
        [
          decode,
          `${leaderEngine} args`,
          serve("-tp 8 --data-parallel-size 2 --data-parallel-rank 0"),
        ],
      ],
    },
    refuses: {
      "a tensor parallel size of half a replica's GPUs": {
        edits: [[decode, `${leaderEngine} args`, serve("--tensor-parallel-size 8")]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set parallel sizes for 8 accelerators, but the replica has 16; allowed: parallel sizes for 16 accelerators. Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
        ],
      },
      "a replica with one pod more than its parallel sizes use": {
        edits: [[decode, `${template} size`, 3]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set parallel sizes for 16 accelerators, but the replica has 24; allowed: parallel sizes for 24 accelerators. Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
        ],
      },
      "a second GPU without a parallel size": {
        edits: [...asVllm("--max-model-len", "4096"), [embedder, `${server} ${gpu}`, "2"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: set no parallel size, so the engine uses 1 accelerator, but the pod has 2; allowed: parallel sizes for 2 accelerators. Set --tensor-parallel-size 2, or request 1 accelerator.",
        ],
      },
      "a second GPU that a flag with underscores leaves idle": {
        edits: [...asVllm("--tensor_parallel_size=1"), [embedder, `${server} ${gpu}`, "2"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: set parallel sizes for 1 accelerator, but the replica has 2; allowed: parallel sizes for 2 accelerators. Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
        ],
      },
    },
  },
  {
    rule: "data-parallel-size-divides",
    allows: {
      "copies that fill both pods of a replica": [
        copies("--data-parallel-size 16 --data-parallel-size-local 8"),
      ],
      "copies that Ray places": [
        copies("--data-parallel-size 2 -tp 8 --data-parallel-backend ray"),
      ],
      "copies within one pod": [...asVllm("--data-parallel-size", "8")],
    },
    refuses: {
      "copies over several pods without a number for each pod": {
        edits: [copies("--data-parallel-size 16")],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set --data-parallel-size for several pods, but not --data-parallel-size-local; allowed: both. Change the sizes, or the number of pods per replica.",
        ],
      },
      "copies that the number for each pod does not divide": {
        edits: [copies("--data-parallel-size 12 --data-parallel-size-local 8")],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: divide 12 data-parallel ranks by 8 per pod; allowed: a whole number of pods. Change the sizes, or the number of pods per replica.",
        ],
      },
      "copies for more pods than a replica has": {
        edits: [copies("--data-parallel-size 32 --data-parallel-size-local 8")],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: distribute the data-parallel ranks over 4 pods; allowed: 2, the pods of a replica. Change the sizes, or the number of pods per replica.",
        ],
      },
      "data and pipeline parallel sizes together": {
        edits: [
          copies("--data-parallel-size 16 --data-parallel-size-local 8"),
          [
            decode,
            `${leaderEngine} args 0`,
            "vllm serve m --data-parallel-size 16 --data-parallel-size-local 8 -pp 2",
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set both a data and a pipeline parallel size; allowed: only one of the two. Change the sizes, or the number of pods per replica.",
        ],
      },
    },
  },
  {
    rule: "shell-changes-no-argument",
    allows: {
      "JSON in single quotes": [[decode, `${leaderEngine} args`, [`vllm serve m --x='{"a":1}'`]]],
      "JSON with its quotes escaped, and JSON in a comment": [
        [decode, `${leaderEngine} args`, ['vllm serve m --x "{\\"a\\":1}" # {"b":2}']],
      ],
      "JSON as an argument without a shell": [
        ...asVllm("--kv-transfer-config", '{"kv_role":"kv_both"}'),
      ],
    },
    refuses: {
      "JSON without quotes around it": {
        edits: [[decode, `${leaderEngine} args`, ['vllm serve m --x {"a":"b"}']]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: contains {"a":"b"}, which the engine receives as {a:b}; allowed: JSON in single quotes. Quote it: \'{"a":"b"}\'.',
        ],
      },
      "JSON without quotes after an equals sign": {
        edits: [[decode, `${leaderEngine} args`, ['vllm serve m --x={"a":1} && true']]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: contains {"a":1}, which the engine receives as --x={a:1}; allowed: JSON in single quotes. Quote it: \'{"a":1}\'.',
        ],
      },
      "JSON without quotes in the command of a shell": {
        edits: [[decode, `${leaderEngine} command`, ["bash", "-lc", 'serve --x ["a"]']]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: contains ["a"], which the engine receives as [a]; allowed: JSON in single quotes. Quote it: \'["a"]\'.',
        ],
      },
    },
  },
  {
    rule: "kv-transfer-fits-the-role",
    allows: {
      "a decoder that both produces and consumes": [
        [decode, `${leaderEngine} args`, serve(`--kv-transfer-config ${kv("kv_both")}`)],
      ],
      "a decoder without a transfer": [[decode, `${leaderEngine} args`, serve("")]],
      "a producer outside of prefill and decode": [
        ...asVllm("--kv-transfer-config", '{"kv_role":"kv_producer"}'),
      ],
    },
    refuses: {
      "a decoder that produces": {
        edits: [
          [decode, `${leaderEngine} args`, serve(`--kv-transfer-config ${kv("kv_producer")}`)],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set kv_role kv_producer on a decoder; allowed: kv_consumer or kv_both. Change kv_role to an allowed value.",
        ],
      },
      "a prefiller that consumes": {
        edits: [
          [prefill, `${leaderEngine} args`, serve(`--kv-transfer-config ${kv("kv_consumer")}`)],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: set kv_role kv_consumer on a prefiller; allowed: kv_producer or kv_both. Change kv_role to an allowed value.",
        ],
      },
      "a connector that engines no longer have": {
        edits: [
          [
            decode,
            `${leaderEngine} args`,
            serve(`--kv-transfer-config ${kv("kv_both", "PyNcclConnector")}`),
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: name the connector PyNcclConnector; allowed: a connector of this engine version, such as NixlConnector. Change kv_connector, or remove the connector from this rule's unknownConnectors.",
        ],
      },
      "a transfer configuration that is not JSON": {
        edits: [
          ...asVllm("--kv-transfer-config", "{}"),
          [embedder, `${server} args 3`, "{kv_role}"],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: set --kv-transfer-config to invalid JSON; allowed: a JSON object. Correct the JSON and its quotes.",
        ],
      },
    },
  },
  {
    rule: "workers-reach-their-leader",
    allows: {
      "a script that reads the address of the leader": [
        [
          decode,
          `${workerEngine} args`,
          ["sh start.sh worker --ray_address=$(LWS_LEADER_ADDRESS)"],
        ],
      ],
      "a script of unknown arguments": [[decode, `${workerEngine} args`, ["./worker.sh"]]],
      "a serving port that differs from the group's port": [
        [decode, `${leaderEngine} ports 0 containerPort`, 8080],
      ],
      "a port named for Ray's head": [
        [decode, `${leaderEngine} ports`, [{ name: "ray-head", containerPort: 6379 }]],
      ],
    },
    refuses: {
      "a fixed address of the leader": {
        edits: [[decode, `${workerEngine} args`, ["ray start --address=svc-decode-0:6379"]]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: set --address svc-decode-0:6379; allowed: $(LWS_LEADER_ADDRESS), the leader of the same group. Replace the address with $(LWS_LEADER_ADDRESS).",
        ],
      },
      "an IP address as the address of the leader": {
        edits: [[decode, `${workerEngine} args`, ["serve --dist-init-addr 10.0.0.1:20000"]]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: set --dist-init-addr 10.0.0.1:20000; allowed: $(LWS_LEADER_ADDRESS), the leader of the same group. Replace the address with $(LWS_LEADER_ADDRESS).",
        ],
      },
      "one port for requests and for the group": {
        edits: [[decode, `${leaderEngine} ports 0 containerPort`, 6379]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args: form the group on port 6379, which also serves requests; allowed: a separate port. Change one of the two ports.",
        ],
      },
    },
  },
];
