import { annotation } from "../../topology/names.ts";
import { backend, digest, goodStack } from "./good-stack.fixture.ts";

/**
 * Cases of every rule, as edits of the good stack. An edit is an object (`Kind/name`), the place in it and the new
 * value; `undefined` removes what is there. A case that fails is one edit away from one that passes.
 */

export type Edit = readonly [object: string, place: string, value: unknown];

export interface RuleCases {
  readonly rule: string;
  readonly parameters?: object;
  /** Beside the good stack itself. */
  readonly passes: readonly (readonly Edit[])[];
  /** The last edit breaks the rule; those before it pass. */
  readonly fails: readonly (readonly [...Edit[], Edit])[];
}

const prefill = "LeaderWorkerSet/svc-prefill";
const decode = "LeaderWorkerSet/svc-decode";
const embedder = "Deployment/embedder";
const gang = "PodGroup/svc";
const pool = "InferencePool/svc";
const route = "HTTPRoute/svc";

const template = "spec leaderWorkerTemplate";
const leader = `${template} leaderTemplate`;
const worker = `${template} workerTemplate`;
const leaderEngine = `${leader} spec containers 0`;
const workerEngine = `${worker} spec containers 0`;
const server = "spec template spec containers 0";
const gpu = "resources limits nvidia.com/gpu";
const groupName = "metadata annotations scheduling.k8s.io/group-name";

const serve = (flags: string) => [`ray start --head --port=6379 && vllm serve m ${flags}`];
const vllm = (...args: string[]) => ["serve", "m", ...args];

/** The embedder as a vLLM server. */
const asVllm = (...args: string[]): Edit[] => [
  [embedder, `${server} command`, ["vllm"]],
  [embedder, `${server} args`, vllm(...args)],
];

/** The decoders over two pods of eight copies each. */
const copies = (flags: string): Edit => [decode, `${leaderEngine} args`, [`vllm serve m ${flags}`]];

const tasks: Edit[] = [
  [gang, "spec subGroupPolicy", undefined],
  [gang, "spec minTaskMember", { "prefill-0": 2, "decode-0": 2 }],
  [prefill, `${leader} metadata annotations volcano.sh/task-spec`, "prefill-0"],
  [prefill, `${worker} metadata annotations volcano.sh/task-spec`, "prefill-0"],
  [decode, `${leader} metadata annotations volcano.sh/task-spec`, "decode-0"],
  [decode, `${worker} metadata annotations volcano.sh/task-spec`, "decode-0"],
];

const asOwnKind = (kind: string, metadata: object, spec: object): Edit => [
  "ConfigMap/settings",
  "",
  { apiVersion: "inference.x-k8s.io/v1alpha1", kind, metadata, spec },
];
const openPool = { allowUnregisteredModels: true, allowedNamespaces: ["games"] };
const asServerPool = (spec: object): Edit =>
  asOwnKind("LLMServerPool", { name: "svc", namespace: "ml" }, spec);
const asLLMService = (
  namespace: string,
  model: string,
  poolRef: object = { name: "svc", namespace: "ml" },
): Edit =>
  asOwnKind(
    "LLMService",
    { name: "team", namespace },
    { models: [{ name: model }], poolRef: [poolRef] },
  );
const [admitted, granted, reserved, required] = [
  annotation.serviceNamespaces,
  annotation.serviceModels,
  annotation.reservedModels,
  annotation.registration,
].map((key) => `metadata annotations ${key}`) as [string, string, string, string];

const exportKey = "metadata annotations inference.networking.x-k8s.io/export";
const modeKey = `${exportKey}-mode`;
const modeName = "inference.networking.x-k8s.io/export-mode";
const allLeaders = {
  "fusioninfer.io/service": "svc",
  "leaderworkerset.sigs.k8s.io/worker-index": "0",
};
const exported = { "inference.networking.x-k8s.io/export": "ClusterSet" };
const gkeImport = backend("GCPInferencePoolImport", "networking.gke.io");
const anImport = backend("InferencePoolImport", "inference.networking.x-k8s.io");
const localPool = backend("InferencePool", "inference.networking.k8s.io");
const backends = "spec rules 0 backendRefs";
const grant = (to: object, from: object = {}) => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { name: "grant", namespace: "other" },
  spec: {
    from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "ml", ...from }],
    to: [{ group: "inference.networking.k8s.io", ...to }],
  },
});

const kv = (role: string, connector = "NixlConnector") =>
  `'{"kv_connector":"${connector}","kv_role":"${role}"}'`;

/** The embedder as a picker of this project that reads a ConfigMap's text. */
const asPicker = (text: string): Edit[] => [
  [embedder, `${server} image`, "registry.example/pulumi-inference:0.1.0"],
  [embedder, `${server} args`, ["--pool-name=svc", "--config-file=/config/config.yaml"]],
  [embedder, `${server} volumeMounts`, [{ name: "config", mountPath: "/config" }]],
  [embedder, "spec template spec volumes", [{ name: "config", configMap: { name: "settings" } }]],
  ["ConfigMap/settings", "data", { "config.yaml": text }],
];

const pickerConfig = (body = "") =>
  `apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n${body}`;

export const ruleCases: readonly RuleCases[] = [
  {
    rule: "objects-have-their-shape",
    passes: [
      [[embedder, "spec replicas", 0]],
      [[embedder, "metadata annotations", null]],
      [["ConfigMap/settings", "data", { any: ["thing"] }]],
    ],
    fails: [
      [[embedder, "spec replicas", "2"]],
      [[decode, "spec leaderWorkerTemplate size", "two"]],
      [[embedder, `${server} args`, ["--port", 8080]]],
      [[gang, "spec minMember", -1]],
    ],
  },
  {
    rule: "gpu-limits-are-whole",
    passes: [
      [[embedder, `${server} ${gpu}`, 1]],
      [[embedder, `${server} resources requests`, { "nvidia.com/gpu": "1" }]],
      [[embedder, `${server} resources limits`, { cpu: "500m" }]],
    ],
    fails: [
      [[embedder, `${server} ${gpu}`, "0.5"]],
      [[embedder, `${server} resources`, { requests: { "nvidia.com/gpu": "1" } }]],
      [[embedder, `${server} resources requests`, { "nvidia.com/gpu": "2" }]],
    ],
  },
  {
    rule: "one-container-has-the-gpus",
    passes: [
      [[embedder, "spec template spec containers 1", { name: "proxy" }]],
      [[embedder, "spec template spec initContainers", [{ name: "load" }]]],
      [[embedder, `${server} ${gpu}`, "4"]],
    ],
    fails: [
      [
        [
          embedder,
          "spec template spec containers 1",
          { name: "b", resources: { limits: { "nvidia.com/gpu": 1 } } },
        ],
      ],
      [
        [embedder, "spec template spec containers 1", { name: "b" }],
        [embedder, "spec template spec containers 1 resources", { limits: { "amd.com/gpu": 1 } }],
      ],
      [
        [
          decode,
          `${worker} spec containers 1`,
          { name: "b", resources: { limits: { "nvidia.com/gpu": 8 } } },
        ],
      ],
    ],
  },
  {
    rule: "pods-of-a-group-have-equal-gpus",
    passes: [
      [[decode, leader, undefined]],
      [[decode, `${template} size`, 1]],
      [[decode, `${workerEngine} ${gpu}`, 8]],
    ],
    fails: [
      [[decode, `${workerEngine} ${gpu}`, "4"]],
      [[decode, `${leaderEngine} ${gpu}`, "4"]],
      [[decode, `${workerEngine} resources`, undefined]],
    ],
  },
  {
    rule: "parallelism-fits-the-gpus",
    passes: [
      [[decode, `${leaderEngine} args`, serve("-tp 8 -pp 2")]],
      [[decode, `${leaderEngine} args`, serve("--tensor-parallel-size $TP")]],
      [...asVllm("--tensor-parallel-size=1")],
      [...asVllm("--max-model-len", "4096")],
    ],
    fails: [
      [[decode, `${leaderEngine} args`, serve("--tensor-parallel-size 8")]],
      [[decode, `${template} size`, 3]],
      [...asVllm("--tensor_parallel_size=1"), [embedder, `${server} ${gpu}`, "2"]],
      [[embedder, `${server} command`, ["python3", "-m", "sglang.launch_server", "--tp", "2"]]],
    ],
  },
  {
    rule: "data-parallel-size-divides",
    passes: [
      [copies("--data-parallel-size 16 --data-parallel-size-local 8")],
      [copies("--data-parallel-size 2 -tp 8 --data-parallel-backend ray")],
      [...asVllm("--data-parallel-size", "8")],
    ],
    fails: [
      [copies("--data-parallel-size 16")],
      [copies("--data-parallel-size 12 --data-parallel-size-local 8")],
      [copies("--data-parallel-size 32 --data-parallel-size-local 8")],
      [
        copies("--data-parallel-size 16 --data-parallel-size-local 8"),
        [
          decode,
          `${leaderEngine} args 0`,
          "vllm serve m --data-parallel-size 16 --data-parallel-size-local 8 -pp 2",
        ],
      ],
    ],
  },
  {
    rule: "shell-changes-no-argument",
    passes: [
      [[decode, `${leaderEngine} args`, [`vllm serve m --x='{"a":1}'`]]],
      [[decode, `${leaderEngine} args`, ['vllm serve m --x "{\\"a\\":1}" # {"b":2}']]],
      [...asVllm("--kv-transfer-config", '{"kv_role":"kv_both"}')],
    ],
    fails: [
      [[decode, `${leaderEngine} args`, ['vllm serve m --x {"a":"b"}']]],
      [[decode, `${leaderEngine} args`, ['vllm serve m --x={"a":1} && true']]],
      [[decode, `${leaderEngine} command`, ["bash", "-lc", 'serve --x ["a"]']]],
    ],
  },
  {
    rule: "kv-transfer-fits-the-role",
    passes: [
      [[decode, `${leaderEngine} args`, serve(`--kv-transfer-config ${kv("kv_both")}`)]],
      [[decode, `${leaderEngine} args`, serve("")]],
      [...asVllm("--kv-transfer-config", '{"kv_role":"kv_producer"}')],
    ],
    fails: [
      [[decode, `${leaderEngine} args`, serve(`--kv-transfer-config ${kv("kv_producer")}`)]],
      [[prefill, `${leaderEngine} args`, serve(`--kv-transfer-config ${kv("kv_consumer")}`)]],
      [
        [
          decode,
          `${leaderEngine} args`,
          serve(`--kv-transfer-config ${kv("kv_both", "PyNcclConnector")}`),
        ],
      ],
      [...asVllm("--kv-transfer-config", "{}"), [embedder, `${server} args 3`, "{kv_role}"]],
    ],
  },
  {
    rule: "pair-transfers-blocks",
    passes: [
      [[decode, `${leaderEngine} args`, serve("--kv_transfer_config=x")]],
      [[decode, `${leaderEngine} args`, ["./engine m"]]],
      [[decode, `${leaderEngine} args`, serve("--config engine.yaml")]],
      [
        [decode, `${leaderEngine} env`, [{ name: "LMCACHE_CONFIG_FILE", value: "/c.yaml" }]],
        [decode, `${leaderEngine} args`, serve("")],
      ],
      [[decode, `${leaderEngine} args`, ["sglang serve --disaggregation-mode decode"]]],
    ],
    fails: [
      [[decode, `${leaderEngine} args`, serve("")]],
      [[prefill, `${leaderEngine} args`, serve("")]],
      [[decode, `${leaderEngine} args`, ["sglang serve m"]]],
      [[decode, `${leaderEngine} args`, ["sglang serve --disaggregation-mode prefill"]]],
    ],
  },
  {
    rule: "workers-meet-their-leader",
    passes: [
      [
        [
          decode,
          `${workerEngine} args`,
          ["sh start.sh worker --ray_address=$(LWS_LEADER_ADDRESS)"],
        ],
      ],
      [[decode, `${workerEngine} args`, ["./worker.sh"]]],
      [[decode, `${leaderEngine} ports 0 containerPort`, 8080]],
      [[decode, `${leaderEngine} ports`, [{ name: "ray-head", containerPort: 6379 }]]],
    ],
    fails: [
      [[decode, `${workerEngine} args`, ["ray start --address=svc-decode-0:6379"]]],
      [[decode, `${workerEngine} args`, ["serve --dist-init-addr 10.0.0.1:20000"]]],
      [[decode, `${leaderEngine} ports 0 containerPort`, 6379]],
    ],
  },
  {
    rule: "rollout-is-explicit",
    passes: [
      [[decode, "spec rolloutStrategy rollingUpdateConfiguration", { maxSurge: 1 }]],
      [[decode, "spec rolloutStrategy type", undefined]],
      [[decode, "spec replicas", 0]],
    ],
    fails: [
      [[decode, "spec rolloutStrategy", undefined]],
      [[prefill, "spec rolloutStrategy", { type: "RollingUpdate" }]],
      [[decode, "spec rolloutStrategy rollingUpdateConfiguration", null]],
    ],
  },
  {
    rule: "rollout-can-move",
    passes: [
      [[decode, "spec rolloutStrategy rollingUpdateConfiguration", {}]],
      [
        [
          decode,
          "spec rolloutStrategy rollingUpdateConfiguration",
          { maxUnavailable: 0, maxSurge: "10%" },
        ],
      ],
      [[decode, "spec rolloutStrategy", undefined]],
    ],
    fails: [
      [[decode, "spec rolloutStrategy rollingUpdateConfiguration maxUnavailable", 0]],
      [[decode, "spec rolloutStrategy rollingUpdateConfiguration maxUnavailable", "0%"]],
      [[prefill, "spec rolloutStrategy rollingUpdateConfiguration", { maxUnavailable: 0 }]],
    ],
  },
  {
    rule: "groups-restart-whole",
    passes: [
      [[decode, `${template} restartPolicy`, "RecreateGroupAfterStart"]],
      [[decode, `${template} restartPolicy`, undefined]],
      [[decode, `${worker} spec restartPolicy`, "Always"]],
    ],
    fails: [
      [[decode, `${template} restartPolicy`, "None"]],
      [[decode, `${template} restartPolicy`, "Default"]],
      [[decode, `${worker} spec restartPolicy`, "Never"]],
    ],
  },
  {
    rule: "group-is-placed-alike",
    passes: [
      [[decode, leader, undefined]],
      [
        [decode, `${leader} spec nodeSelector`, undefined],
        [decode, `${worker} spec nodeSelector`, {}],
      ],
      [[decode, `${worker} spec tolerations`, [{ operator: "Exists", key: "gpu" }]]],
    ],
    fails: [
      [[decode, `${worker} spec tolerations`, undefined]],
      [[decode, `${worker} spec nodeSelector`, { pool: "other" }]],
      [[decode, `${leader} spec nodeSelector zone`, "a"]],
    ],
  },
  {
    rule: "templates-have-no-revision",
    passes: [
      [[decode, "metadata labels", { "fusioninfer.io/revision": "1" }]],
      [[decode, `${leader} metadata labels team`, "ml"]],
      [[embedder, "metadata labels", { "fusioninfer.io/revision": "1" }]],
    ],
    fails: [
      [[decode, `${leader} metadata labels fusioninfer.io/revision`, "1"]],
      [[decode, `${worker} metadata labels fusioninfer.io/revision`, "1"]],
      [[embedder, "spec template metadata labels fusioninfer.io/revision", "1"]],
    ],
  },
  {
    rule: "lws-sub-group-size-divides",
    passes: [
      [[decode, `${template} subGroupPolicy`, { subGroupSize: 2 }]],
      [[decode, `${template} subGroupPolicy`, { subGroupSize: 1 }]],
      [
        [decode, `${template} size`, 5],
        [decode, `${template} subGroupPolicy`, { subGroupSize: 4 }],
      ],
    ],
    fails: [
      [[decode, `${template} subGroupPolicy`, { subGroupSize: 3 }]],
      [
        [decode, `${template} size`, 5],
        [decode, `${template} subGroupPolicy`, { subGroupSize: 3 }],
      ],
      [[prefill, `${template} subGroupPolicy`, { subGroupSize: 4 }]],
    ],
  },
  {
    rule: "workers-have-no-network-probe",
    passes: [
      [[decode, `${workerEngine} livenessProbe`, { exec: { command: ["true"] } }]],
      [[decode, `${workerEngine} ports`, [{ name: "ray", containerPort: 6380 }]]],
      [[embedder, `${server} livenessProbe`, { tcpSocket: { port: 8080 }, failureThreshold: 90 }]],
      [
        [decode, leader, undefined],
        [decode, `${workerEngine} ports`, [{ name: "http", containerPort: 8000 }]],
      ],
    ],
    fails: [
      [[decode, `${workerEngine} livenessProbe`, { httpGet: { port: 8000 } }]],
      [[decode, `${workerEngine} readinessProbe`, { tcpSocket: { port: 8000 } }]],
      [[decode, `${workerEngine} ports`, [{ name: "http", containerPort: 8000 }]]],
    ],
  },
  {
    rule: "leaders-are-ready-when-serving",
    passes: [
      [[decode, `${leaderEngine} readinessProbe`, { tcpSocket: { port: 8000 } }]],
      [[decode, `${leaderEngine} readinessProbe`, { exec: { command: ["./ready"] } }]],
      [
        [decode, `${template} size`, 1],
        [decode, `${leaderEngine} readinessProbe`, undefined],
      ],
    ],
    fails: [
      [[decode, `${leaderEngine} readinessProbe`, undefined]],
      [[decode, `${leaderEngine} readinessProbe`, { tcpSocket: { port: 6379 } }]],
      [[decode, `${leaderEngine} livenessProbe`, { httpGet: { port: 6379 } }]],
      [[prefill, `${leaderEngine} readinessProbe`, null]],
    ],
  },
  {
    rule: "loading-has-time",
    passes: [
      [[decode, `${leaderEngine} livenessProbe`, { httpGet: { port: "http" } }]],
      [[embedder, `${server} livenessProbe`, { initialDelaySeconds: 300 }]],
      [[embedder, "spec template spec terminationGracePeriodSeconds", 30]],
    ],
    fails: [
      [[embedder, `${server} livenessProbe`, { httpGet: { port: 8080 } }]],
      [[decode, `${leaderEngine} startupProbe failureThreshold`, 6]],
      [[embedder, "spec template spec terminationGracePeriodSeconds", 5]],
    ],
  },
  {
    rule: "shared-memory-is-mounted",
    passes: [
      [[decode, `${leaderEngine} volumeMounts 0 mountPath`, "/dev/shm/"]],
      [[decode, `${leader} spec volumes 0`, { name: "shm", persistentVolumeClaim: {} }]],
      [[decode, `${leaderEngine} resources limits memory`, undefined]],
    ],
    fails: [
      [[decode, `${leaderEngine} volumeMounts`, undefined]],
      [[decode, `${leader} spec volumes 0 emptyDir medium`, undefined]],
      [[decode, `${worker} spec volumes 0 emptyDir sizeLimit`, undefined]],
      [[decode, `${leaderEngine} resources limits memory`, "64Gi"]],
    ],
  },
  {
    rule: "rdma-is-alike",
    passes: [
      [
        [
          decode,
          `${leaderEngine} securityContext capabilities`,
          { drop: ["ALL"], add: ["CAP_IPC_LOCK"] },
        ],
      ],
      [[decode, leader, undefined]],
      [
        [decode, `${leaderEngine} resources limits rdma/hca`, undefined],
        [decode, `${workerEngine} resources limits rdma/hca`, undefined],
      ],
    ],
    fails: [
      [[decode, `${workerEngine} resources limits rdma/hca`, undefined]],
      [[decode, `${workerEngine} resources limits rdma/hca`, "2"]],
      [[decode, `${leaderEngine} securityContext capabilities add`, undefined]],
    ],
  },
  {
    rule: "huge-pages-are-limited",
    passes: [
      [[decode, `${leaderEngine} resources limits hugepages-2Mi`, "1Gi"]],
      [
        [embedder, `${server} resources limits memory`, "1Gi"],
        [embedder, `${server} resources limits hugepages-1Gi`, "2Gi"],
      ],
      [
        [decode, `${leaderEngine} resources limits hugepages-2Mi`, "1Gi"],
        [decode, `${leaderEngine} resources requests hugepages-2Mi`, "1024Mi"],
      ],
    ],
    fails: [
      [[embedder, `${server} resources limits hugepages-2Mi`, "1Gi"]],
      [[decode, `${leaderEngine} resources requests hugepages-2Mi`, "1Gi"]],
      [
        [decode, `${leaderEngine} resources limits hugepages-2Mi`, "1Gi"],
        [decode, `${leaderEngine} resources requests hugepages-2Mi`, "512Mi"],
      ],
    ],
  },
  {
    rule: "host-is-not-shared",
    passes: [
      [[decode, `${leader} spec hostNetwork`, true]],
      [[embedder, "spec template spec hostNetwork", false]],
      [
        [embedder, "spec replicas", 1],
        [embedder, `${server} ports 0 hostPort`, 8080],
      ],
    ],
    fails: [
      [[embedder, "spec template spec hostNetwork", true]],
      [[embedder, `${server} ports 0 hostPort`, 8080]],
      [[embedder, "spec template spec hostIPC", true]],
    ],
  },
  {
    rule: "lws-name-makes-pods",
    passes: [
      [[decode, "metadata name", "d".repeat(50)]],
      [
        [decode, `${template} size`, 1],
        [decode, "metadata name", "d".repeat(52)],
      ],
      [[decode, "metadata generateName", "d"]],
    ],
    fails: [
      [[decode, "metadata name", "d".repeat(51)]],
      [[decode, "metadata name", "4decode"]],
      [
        [decode, "metadata name", "d".repeat(50)],
        [`LeaderWorkerSet/${"d".repeat(50)}`, "spec replicas", 11],
      ],
    ],
  },
  {
    rule: "pod-labels-are-valid",
    passes: [
      [[embedder, "spec template metadata labels team", ""]],
      [[embedder, "spec template metadata labels team", "a".repeat(63)]],
      [[embedder, "spec template metadata labels team", "ML_team.1"]],
    ],
    fails: [
      [[embedder, "spec template metadata labels team", "a".repeat(64)]],
      [[embedder, "spec template metadata labels team", "m l"]],
      [[decode, `${worker} metadata labels team`, "-a"]],
    ],
  },
  {
    rule: "generated-names-are-apart",
    passes: [
      [["Service/frontend", "metadata", { name: "svc-decode", namespace: "other" }]],
      [["Service/frontend", "metadata name", "svc-decode-leader"]],
      [[decode, "metadata name", "svc-prefill-0x"]],
    ],
    fails: [
      [["Service/frontend", "metadata name", "svc-decode"]],
      [[decode, "metadata name", "svc-prefill-0"]],
      [[embedder, "", { kind: "StatefulSet", metadata: { name: "svc-decode", namespace: "ml" } }]],
    ],
  },
  {
    rule: "gang-pods-name-their-pod-group",
    passes: [
      [[embedder, "spec template metadata annotations", {}]],
      [[embedder, "spec template metadata annotations", { "volcano.sh/queue-name": "gpu" }]],
      [
        [gang, "metadata name", "all"],
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} ${groupName}`, "all"],
          [set, `${worker} ${groupName}`, "all"],
        ]),
      ],
    ],
    fails: [
      [[gang, "", undefined]],
      [[gang, "metadata namespace", "other"]],
      [[decode, `${leader} ${groupName}`, "service"]],
      [[embedder, "spec template metadata annotations", { "scheduling.k8s.io/group-name": "x" }]],
    ],
  },
  {
    rule: "leader-and-workers-share-a-gang",
    passes: [
      [[decode, leader, undefined]],
      [
        [decode, `${leader} metadata annotations`, undefined],
        [decode, `${worker} metadata annotations`, undefined],
      ],
      [
        [decode, `${leader} ${groupName}`, "b"],
        [decode, `${worker} ${groupName}`, "b"],
      ],
    ],
    fails: [
      [[decode, `${worker} metadata annotations`, undefined]],
      [[decode, `${leader} metadata annotations`, {}]],
      [[decode, `${worker} ${groupName}`, "other"]],
    ],
  },
  {
    rule: "gang-has-one-scheduler",
    passes: [
      [[embedder, "spec template spec schedulerName", "default-scheduler"]],
      [
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} spec schedulerName`, "vc"],
          [set, `${worker} spec schedulerName`, "vc"],
        ]),
      ],
      [
        [prefill, `${leader} metadata annotations`, {}],
        [prefill, `${worker} metadata annotations`, {}],
        [prefill, `${leader} spec schedulerName`, undefined],
        [prefill, `${worker} spec schedulerName`, undefined],
      ],
    ],
    fails: [
      [[decode, `${leader} spec schedulerName`, undefined]],
      [[decode, `${worker} spec schedulerName`, "default-scheduler"]],
      [[prefill, `${worker} spec schedulerName`, "kai"]],
      [
        [prefill, `${leader} metadata annotations`, {}],
        [prefill, `${worker} metadata annotations`, {}],
        [decode, `${worker} metadata annotations`, {}],
        [decode, `${leader} spec schedulerName`, "default-scheduler"],
      ],
    ],
  },
  {
    rule: "min-member-is-the-minimum",
    passes: [
      [
        [gang, "spec subGroupPolicy 1 minSubGroups", 0],
        [gang, "spec minMember", 2],
      ],
      [...tasks],
      [
        [gang, "spec subGroupPolicy 0 minSubGroups", undefined],
        [gang, "spec subGroupPolicy 1 minSubGroups", undefined],
        [gang, "spec minMember", 3],
      ],
    ],
    fails: [
      [[gang, "spec minMember", 6]],
      [[gang, "spec minMember", 2]],
      [[gang, "spec subGroupPolicy 0 minSubGroups", 2]],
      [...tasks, [gang, "spec minMember", 3]],
    ],
  },
  {
    rule: "gang-has-one-kind-of-minimum",
    passes: [
      [...tasks],
      [[gang, "spec subGroupPolicy", undefined]],
      [[gang, "spec minTaskMember", null]],
    ],
    fails: [
      [[gang, "spec minTaskMember", {}]],
      [[gang, "spec minTaskMember", { decode: 2 }]],
      [...tasks, [gang, "spec subGroupPolicy", []]],
    ],
  },
  {
    rule: "gang-minimum-has-its-pods",
    passes: [
      [...tasks],
      [[decode, "spec replicas", 3]],
      [
        [prefill, "", undefined],
        [decode, "", undefined],
      ],
    ],
    fails: [
      [[gang, "spec minMember", 5]],
      [[prefill, "", undefined]],
      [[decode, "spec replicas", 0]],
      [...tasks, [gang, "spec minTaskMember prefill-0", 3]],
      [...tasks, [gang, "spec minTaskMember decode-1", 2]],
    ],
  },
  {
    rule: "gang-minimum-has-its-replicas",
    passes: [
      [[decode, "spec replicas", 3]],
      [[gang, "spec subGroupPolicy 1 minSubGroups", 0]],
      [
        [decode, "spec replicas", 2],
        [gang, "spec subGroupPolicy 1 minSubGroups", 2],
      ],
    ],
    fails: [
      [[gang, "spec subGroupPolicy 1 minSubGroups", 2]],
      [[prefill, "spec replicas", 0]],
      [
        [decode, "spec replicas", 2],
        [gang, "spec subGroupPolicy 1 minSubGroups", 3],
      ],
    ],
  },
  {
    rule: "sub-group-is-a-replica",
    passes: [
      [[gang, "spec subGroupPolicy 0 matchLabelKeys", ["fusioninfer.io/role-name"]]],
      [[gang, "spec subGroupPolicy", undefined]],
      [
        [decode, `${template} size`, 3],
        [gang, "spec subGroupPolicy 1 subGroupSize", 3],
      ],
    ],
    fails: [
      [[gang, "spec subGroupPolicy 1 subGroupSize", 4]],
      [[gang, "spec subGroupPolicy 1 matchLabelKeys", []]],
      [[gang, "spec subGroupPolicy 1 matchLabelKeys", undefined]],
      [[gang, "spec subGroupPolicy 1 matchLabelKeys", ["mine"]]],
      [[decode, `${template} size`, 3]],
    ],
  },
  {
    rule: "sub-groups-are-apart",
    passes: [
      [[gang, "spec subGroupPolicy 1 name", undefined]],
      [[gang, "spec subGroupPolicy 1", undefined]],
      [[gang, "spec subGroupPolicy 1 labelSelector matchLabels app", "x"]],
    ],
    fails: [
      [[gang, "spec subGroupPolicy 1 name", "prefill"]],
      [[gang, "spec subGroupPolicy 1 labelSelector", { matchLabels: {} }]],
      [
        [
          gang,
          "spec subGroupPolicy 0 labelSelector matchLabels",
          { "fusioninfer.io/service": "svc" },
        ],
      ],
    ],
  },
  {
    rule: "min-resources-are-the-minimum",
    passes: [
      [[gang, "spec minResources", undefined]],
      [[gang, "spec minResources nvidia.com/gpu", "16"]],
      [...tasks],
      [[gang, "spec minResources cpu", "128"]],
    ],
    fails: [
      [[gang, "spec minResources nvidia.com/gpu", "48"]],
      [[gang, "spec minResources amd.com/gpu", "1"]],
      [[gang, "spec minResources cpu", "129"]],
      [...tasks, [gang, "spec minResources nvidia.com/gpu", "33"]],
    ],
  },
  {
    rule: "gang-leader-does-not-wait",
    passes: [
      [[decode, "spec startupPolicy", undefined]],
      [
        [decode, `${template} size`, 1],
        [decode, "spec startupPolicy", "LeaderReady"],
      ],
      [
        [gang, "spec minMember", 1],
        [decode, "spec startupPolicy", "LeaderReady"],
      ],
    ],
    fails: [
      [[decode, "spec startupPolicy", "LeaderReady"]],
      [[prefill, "spec startupPolicy", "LeaderReady"]],
      [
        [gang, "spec minMember", 1],
        [decode, "spec startupPolicy", "LeaderReady"],
        [gang, "spec minMember", 2],
      ],
    ],
  },
  {
    rule: "gang-pods-need-no-topology-first",
    passes: [
      [[decode, `${leader} metadata annotations team`, "ml"]],
      [
        [gang, "spec minMember", 1],
        [
          decode,
          "metadata annotations",
          { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" },
        ],
      ],
      [
        [decode, `${template} size`, 1],
        [
          decode,
          "metadata annotations",
          { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" },
        ],
      ],
    ],
    fails: [
      [
        [
          decode,
          "metadata annotations",
          { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" },
        ],
      ],
      [
        [
          decode,
          `${leader} metadata annotations leaderworkerset.sigs.k8s.io/exclusive-topology`,
          "rack",
        ],
      ],
      [
        [
          decode,
          `${worker} metadata annotations leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology`,
          "rack",
        ],
      ],
    ],
  },
  {
    rule: "gang-has-one-priority",
    passes: [
      [[embedder, "spec template spec priorityClassName", "batch"]],
      [
        [gang, "spec priorityClassName", undefined],
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} spec priorityClassName`, undefined],
          [set, `${worker} spec priorityClassName`, undefined],
        ]),
      ],
      [
        [gang, "spec priorityClassName", "high"],
        ...[prefill, decode].flatMap((set): Edit[] => [
          [set, `${leader} spec priorityClassName`, "high"],
          [set, `${worker} spec priorityClassName`, "high"],
        ]),
      ],
    ],
    fails: [
      [[gang, "spec priorityClassName", undefined]],
      [[decode, `${worker} spec priorityClassName`, undefined]],
      [[prefill, `${leader} spec priorityClassName`, "batch"]],
    ],
  },
  {
    rule: "gang-has-the-given-priority",
    parameters: { priorityClassName: "serving" },
    passes: [
      [[embedder, "spec template spec priorityClassName", "batch"]],
      [[gang, "", undefined]],
      [["Queue/gpu", "spec priorityClassName", "batch"]],
    ],
    fails: [
      [[gang, "spec priorityClassName", undefined]],
      [[decode, `${worker} spec priorityClassName`, undefined]],
      [[prefill, `${leader} spec priorityClassName`, "batch"]],
    ],
  },
  {
    rule: "gang-topology-names-one-tier",
    passes: [
      [[gang, "spec networkTopology", { mode: "hard", highestTierAllowed: 2 }]],
      [[gang, "spec networkTopology", { highestTierName: "rack" }]],
      [[gang, "spec subGroupPolicy 0 networkTopology", { highestTierAllowed: 1 }]],
    ],
    fails: [
      [[gang, "spec networkTopology", { highestTierAllowed: 2, highestTierName: "rack" }]],
      [
        [gang, "spec networkTopology", { highestTierAllowed: 2 }],
        [gang, "spec networkTopology highestTierName", "rack"],
      ],
      [
        [
          gang,
          "spec subGroupPolicy 1 networkTopology",
          { highestTierAllowed: 1, highestTierName: "r" },
        ],
      ],
    ],
  },
  {
    rule: "pod-group-names-are-unique",
    passes: [
      [["ConfigMap/settings", "", { ...podGroup("svc"), metadata: { name: "svc" } }]],
      [["ConfigMap/settings", "", podGroup("other")]],
      [
        [
          "ConfigMap/settings",
          "",
          { ...podGroup("svc"), apiVersion: "scheduling.k8s.io/v1alpha2" },
        ],
      ],
    ],
    fails: [
      [["ConfigMap/settings", "", podGroup("svc")]],
      [
        ["ConfigMap/settings", "", podGroup("other")],
        ["PodGroup/other", "metadata name", "svc"],
      ],
      [
        ["ConfigMap/settings", "", podGroup("other")],
        [gang, "metadata name", "other"],
      ],
    ],
  },
  {
    rule: "prefill-and-decode-both-run",
    passes: [
      [
        [decode, "spec replicas", 0],
        [prefill, "spec replicas", 0],
      ],
      [
        [decode, "", undefined],
        [prefill, "", undefined],
      ],
      [[decode, "spec replicas", 8]],
    ],
    fails: [
      [[decode, "spec replicas", 0]],
      [[prefill, "spec replicas", 0]],
      [[prefill, "", undefined]],
    ],
  },
  {
    rule: "autoscaler-keeps-the-gang-minimum",
    passes: [
      [["HorizontalPodAutoscaler/decode", "spec minReplicas", undefined]],
      [["HorizontalPodAutoscaler/decode", "spec scaleTargetRef name", "other"]],
      [
        [decode, "spec replicas", 2],
        ["HorizontalPodAutoscaler/decode", "spec minReplicas", 2],
        [gang, "spec subGroupPolicy 1 minSubGroups", 2],
      ],
    ],
    fails: [
      [["HorizontalPodAutoscaler/decode", "spec minReplicas", 0]],
      [[gang, "spec subGroupPolicy 1 minSubGroups", 2]],
      [
        [
          "HorizontalPodAutoscaler/decode",
          "",
          {
            apiVersion: "keda.sh/v1alpha1",
            kind: "ScaledObject",
            metadata: { name: "decode", namespace: "ml" },
            spec: { scaleTargetRef: { kind: "LeaderWorkerSet", name: "svc-decode" } },
          },
        ],
      ],
    ],
  },
  {
    rule: "autoscaler-scales-a-whole-role",
    passes: [
      [["HorizontalPodAutoscaler/decode", "spec maxReplicas", 9]],
      [
        [
          "HorizontalPodAutoscaler/decode",
          "spec scaleTargetRef",
          { kind: "Deployment", name: "embedder" },
        ],
      ],
      [
        ["HorizontalPodAutoscaler/decode", "", undefined],
        [decode, "spec replicas", 2],
      ],
    ],
    fails: [
      [[decode, "spec replicas", 2]],
      [["HorizontalPodAutoscaler/decode", "spec scaleTargetRef name", "svc-prefill"]],
      [[decode, `${leader} metadata labels fusioninfer.io/replica-index`, "0"]],
    ],
  },
  {
    rule: "disruption-budget-keeps-groups-whole",
    passes: [
      [["PodDisruptionBudget/decode", "spec maxUnavailable", 0]],
      [
        [
          "PodDisruptionBudget/decode",
          "spec",
          {
            minAvailable: 2,
            selector: { matchLabels: { "fusioninfer.io/role-name": "decode" } },
          },
        ],
      ],
      [
        [
          "PodDisruptionBudget/decode",
          "spec",
          { maxUnavailable: 1, selector: { matchLabels: { app: "embedder" } } },
        ],
      ],
    ],
    fails: [
      [["PodDisruptionBudget/decode", "spec maxUnavailable", 1]],
      [["PodDisruptionBudget/decode", "spec maxUnavailable", "25%"]],
      [[decode, `${worker} metadata labels fusioninfer.io/role-name`, "other"]],
    ],
  },
  {
    rule: "queue-has-room-for-the-gang",
    parameters: { queues: ["gpu"] },
    passes: [
      [["Queue/gpu", "", undefined]],
      [["Queue/gpu", "spec capability nvidia.com/gpu", "32"]],
      [
        ["Queue/gpu", "", undefined],
        [gang, "spec queue", undefined],
      ],
    ],
    fails: [
      [["Queue/gpu", "spec capability nvidia.com/gpu", "31"]],
      [[gang, "spec queue", "research"]],
      [
        ["Queue/gpu", "spec capability", { cpu: "100" }],
        [gang, "spec minResources cpu", "128"],
      ],
    ],
  },
  {
    rule: "quota-has-room-for-the-gang",
    passes: [
      [["ResourceQuota/gpus", "metadata namespace", "other"]],
      [["ResourceQuota/gpus", "spec hard", { "requests.nvidia.com/gpu": 32 }]],
      [["ResourceQuota/gpus", "spec hard", { pods: "10" }]],
    ],
    fails: [
      [["ResourceQuota/gpus", "spec hard", { "requests.nvidia.com/gpu": 24 }]],
      [
        ["ResourceQuota/gpus", "spec hard", { "requests.cpu": "100" }],
        [gang, "spec minResources", { cpu: "128" }],
      ],
      [
        [gang, "spec minResources", undefined],
        ["ResourceQuota/gpus", "spec hard", { "requests.nvidia.com/gpu": 16 }],
      ],
    ],
  },
  {
    rule: "pair-has-one-image",
    passes: [
      [[embedder, `${server} image`, "other:1.0.0"]],
      [
        [decode, `${leaderEngine} image`, "vllm:1.0.0"],
        [prefill, `${leaderEngine} image`, "vllm:1.0.0"],
      ],
      [[prefill, "", undefined]],
    ],
    fails: [
      [[decode, `${leaderEngine} image`, "vllm/vllm-openai:v0.10.0"]],
      [[prefill, `${leaderEngine} image`, "vllm/vllm-openai:v0.12.0"]],
      [[decode, `${leaderEngine} image`, undefined]],
    ],
  },
  {
    rule: "minimum-fits-the-cluster",
    parameters: { nodes: [8, 8, 8, 8, 1] },
    passes: [
      [[embedder, "spec replicas", 9]],
      [[decode, "spec replicas", 2]],
      [
        [gang, "spec subGroupPolicy 0 minSubGroups", 0],
        [gang, "spec minMember", 2],
      ],
    ],
    fails: [
      [[embedder, `${server} ${gpu}`, "2"]],
      [
        [decode, "spec replicas", 2],
        [gang, "spec subGroupPolicy 1 minSubGroups", 2],
      ],
      [
        ["ConfigMap/settings", "", { ...aPod("0") }],
        ["Pod/a", "spec containers 0 resources limits nvidia.com/gpu", "1"],
      ],
      [
        [gang, "spec subGroupPolicy", undefined],
        [gang, "spec minMember", 3],
        [embedder, `${server} ${gpu}`, "16"],
      ],
    ],
  },
  {
    rule: "stack-fits-the-cluster",
    // Pods outside the gang come first, and the default scheduler spreads them.
    parameters: { nodes: [8, 8, 8, 8, 8, 8] },
    passes: [
      [[embedder, "spec replicas", 1]],
      [[embedder, `${server} ${gpu}`, undefined]],
      [[embedder, "", undefined]],
    ],
    fails: [
      [[embedder, "spec replicas", 3]],
      [[decode, "spec replicas", 2]],
      [
        [gang, "spec subGroupPolicy", undefined],
        [gang, "spec minMember", 1],
        [prefill, "spec replicas", 2],
      ],
    ],
  },
  {
    rule: "pool-selects-by-a-label",
    passes: [
      [[pool, "spec selector matchLabels", { app: "x" }]],
      [[pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined]],
      [[pool, "", undefined]],
    ],
    fails: [
      [[pool, "spec selector matchLabels", {}]],
      [[pool, "spec selector matchLabels", undefined]],
      [[pool, "spec selector", undefined]],
    ],
  },
  {
    rule: "pool-port-is-a-container-port",
    passes: [
      [[pool, "spec selector matchLabels", { app: "nobody" }]],
      [
        [decode, `${leaderEngine} ports`, undefined],
        [prefill, `${leaderEngine} ports`, undefined],
      ],
      [
        [pool, "spec selector matchLabels", { app: "embedder" }],
        [pool, "spec targetPorts 0 number", 8080],
      ],
    ],
    fails: [
      [[pool, "spec targetPorts 0 number", 8080]],
      [[decode, `${leaderEngine} ports 0 containerPort`, 9000]],
      [[pool, "spec targetPorts 1", { number: 8001 }]],
    ],
  },
  {
    rule: "pool-selects-no-workers",
    passes: [
      [
        [decode, `${template} size`, 1],
        [prefill, `${template} size`, 1],
        [pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined],
      ],
      [[pool, "spec selector matchLabels", { app: "embedder" }]],
      [
        [decode, `${leader} metadata labels serves`, "yes"],
        [prefill, `${leader} metadata labels serves`, "yes"],
        [pool, "spec selector matchLabels", { serves: "yes" }],
      ],
    ],
    fails: [
      [[pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined]],
      [[pool, "spec selector matchLabels", { "fusioninfer.io/role-name": "decode" }]],
      [
        [pool, "spec selector matchLabels", { serves: "yes" }],
        [decode, `${leader} metadata labels serves`, "yes"],
        [decode, `${worker} metadata labels serves`, "yes"],
      ],
    ],
  },
  {
    rule: "picker-starts-with-its-config",
    passes: [
      asPicker(pickerConfig()),
      asPicker(pickerConfig("featureGates: [flowControl]")),
      [...asPicker("a: ["), [embedder, `${server} image`, "registry.example/other-picker:0.1.0"]],
      [...asPicker("a: ["), [embedder, `${server} args`, ["--pool-name=svc"]]],
    ],
    fails: [
      [...asPicker(pickerConfig()), ["ConfigMap/settings", "data", { "config.yaml": "a: [" }]],
      [
        ...asPicker(pickerConfig()),
        [
          "ConfigMap/settings",
          "data",
          { "config.yaml": pickerConfig("plugins: [{type: queue-scorrer}]") },
        ],
      ],
      [
        ...asPicker(pickerConfig()),
        [embedder, `${server} args`, ["--pool-name=svc", "--config-text", "kind: Other"]],
      ],
    ],
  },
  {
    rule: "picker-config-has-its-effect",
    passes: [
      asPicker(pickerConfig()),
      asPicker("a: ["),
      asPicker(pickerConfig("plugins: [{type: inflight-load-producer}]")),
    ],
    fails: [
      "featureGates: [flowControl]",
      "dataLayer: {crossReplicaSyncInterval: 1s}",
      "plugins: [{type: precise-prefix-cache-scorer}]",
    ].map((body): [...Edit[], Edit] => [
      ...asPicker(pickerConfig()),
      ["ConfigMap/settings", "data", { "config.yaml": pickerConfig(body) }],
    ]),
  },
  {
    rule: "pools-share-no-pods",
    passes: [
      [["ConfigMap/settings", "", aPool({ app: "embedder" })]],
      [["ConfigMap/settings", "", { ...aPool(allLeaders), metadata: { name: "b" } }]],
      [["ConfigMap/settings", "", aPool({ app: "nobody" })]],
    ],
    fails: [
      [["ConfigMap/settings", "", aPool(allLeaders)]],
      [["ConfigMap/settings", "", aPool({ "fusioninfer.io/role-name": "decode" })]],
      [
        ["ConfigMap/settings", "", aPool({ app: "embedder" })],
        [pool, "spec selector matchLabels", { app: "embedder" }],
      ],
    ],
  },
  {
    rule: "pool-has-prefillers-and-decoders",
    passes: [
      [
        [prefill, "", undefined],
        [pool, "spec selector matchLabels fusioninfer.io/component-type", "decoder"],
      ],
      [[pool, "spec selector matchLabels", { app: "embedder" }]],
      [[pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined]],
    ],
    fails: [
      [[pool, "spec selector matchLabels fusioninfer.io/component-type", "decoder"]],
      [[pool, "spec selector matchLabels fusioninfer.io/role-name", "prefill"]],
      [[pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/name", "svc-decode"]],
    ],
  },
  {
    rule: "picker-answers-on-its-port",
    passes: [
      [["Service/svc-epp", "", undefined]],
      [
        ["Service/svc-epp", "spec ports 0 port", 9003],
        [pool, "spec endpointPickerRef port number", 9003],
      ],
      [[pool, "spec endpointPickerRef name", "another"]],
    ],
    fails: [
      [["Service/svc-epp", "spec ports 0 port", 9003]],
      [[pool, "spec endpointPickerRef port number", 8000]],
      [[pool, "spec endpointPickerRef port", undefined]],
    ],
  },
  {
    rule: "route-sends-requests",
    passes: [
      [[route, `${backends} 0 weight`, 1]],
      [[route, backends, [{ kind: "Service", name: "frontend", weight: 0 }]]],
      [[route, backends, [{ ...localPool, weight: 0 }, gkeImport]]],
    ],
    fails: [
      [[route, `${backends} 0 weight`, 0]],
      [
        [route, backends, [{ ...localPool, weight: 0 }, gkeImport]],
        [route, `${backends} 1 weight`, 0],
      ],
      [[route, backends, [{ ...gkeImport, weight: 0 }]]],
    ],
  },
  {
    rule: "route-to-a-pool-has-a-gateway",
    passes: [
      [[route, "spec parentRefs 0 name", "another"]],
      [
        [route, backends, [{ name: "frontend" }]],
        [route, "spec parentRefs", undefined],
      ],
      [
        [route, "spec rules", undefined],
        [route, "spec parentRefs", undefined],
      ],
    ],
    fails: [
      [[route, "spec parentRefs", undefined]],
      [[route, "spec parentRefs", []]],
      [
        [route, backends, [gkeImport]],
        [route, "spec parentRefs", undefined],
      ],
    ],
  },
  {
    rule: "backend-elsewhere-is-granted",
    passes: [
      [[route, `${backends} 0 namespace`, "ml"]],
      [[route, backends, [{ name: "frontend", namespace: "other" }]]],
      [
        ["ConfigMap/settings", "", grant({ kind: "InferencePool" })],
        [route, `${backends} 0 namespace`, "other"],
      ],
    ],
    fails: [
      [[route, `${backends} 0 namespace`, "other"]],
      [
        ["ConfigMap/settings", "", grant({ kind: "InferencePool", name: "svc" })],
        [route, `${backends} 0 namespace`, "other"],
        [route, `${backends} 0 name`, "another"],
      ],
      [
        ["ConfigMap/settings", "", grant({ kind: "InferencePool" })],
        [route, `${backends} 0 namespace`, "third"],
      ],
      ...[
        grant({ kind: "InferencePool" }, { namespace: "third" }),
        grant({ kind: "InferencePool" }, { kind: "GRPCRoute" }),
        grant({ kind: "InferencePool" }, { group: "example.com" }),
        grant({ kind: "InferencePool", group: "example.com" }),
      ].map((wrong): [Edit, Edit] => [
        ["ConfigMap/settings", "", wrong],
        [route, `${backends} 0 namespace`, "other"],
      ]),
    ],
  },
  {
    rule: "open-pool-keeps-its-models",
    passes: [
      [asServerPool({ allowedNamespaces: ["games"] })],
      [asServerPool({ allowUnregisteredModels: true })],
      [asServerPool({ ...openPool, reservedModels: [] })],
      [
        asServerPool({
          ...openPool,
          allowedNamespaces: [{ namespace: "games", models: ["games-*"] }],
        }),
      ],
    ],
    fails: [
      [asServerPool(openPool)],
      [asServerPool({ ...openPool, allowedNamespaces: [{ namespace: "games" }] })],
      [
        asServerPool({
          ...openPool,
          allowedNamespaces: [{ namespace: "chat", models: ["chat"] }, "games"],
        }),
      ],
    ],
  },
  {
    rule: "registered-names-are-granted",
    passes: [
      [asLLMService("ml", "any")],
      [[pool, admitted, "games"], [pool, required, "required"], asLLMService("games", "any")],
      [
        [pool, admitted, "games"],
        [pool, granted, '{"games":["games-*"]}'],
        asLLMService("games", "games-npc"),
      ],
      [asLLMService("games", "any", { name: "svc", namespace: "elsewhere" })],
    ],
    fails: [
      [asLLMService("games", "any")],
      [
        [pool, admitted, "games"],
        [pool, granted, '{"games":["games-*"]}'],
        asLLMService("games", "any"),
      ],
      [
        [pool, admitted, "games"],
        [pool, reserved, '["meta-llama/*"]'],
        asLLMService("games", "meta-llama/Llama-3-8B"),
      ],
      [[pool, admitted, "games"], asLLMService("games", "any")],
    ],
  },
  {
    rule: "import-is-served-by-its-gateway",
    parameters: { gateways: { "ml/elsewhere": "istio" } },
    passes: [
      [[route, backends, [gkeImport]]],
      [[route, backends, [{ ...localPool, weight: 0 }, gkeImport]]],
      [
        ["Gateway/gateway", "spec gatewayClassName", "homemade"],
        [route, backends, [localPool, anImport]],
      ],
    ],
    fails: [
      [[route, backends, [localPool, gkeImport]]],
      [[route, backends, [anImport]]],
      [
        ["Gateway/gateway", "spec gatewayClassName", "homemade"],
        [route, backends, [localPool, anImport]],
        ["Gateway/gateway", "spec gatewayClassName", "agentgateway"],
      ],
      [
        [route, backends, [gkeImport]],
        [route, "spec parentRefs 0 name", "elsewhere"],
      ],
    ],
  },
  {
    rule: "export-mode-has-an-export",
    passes: [
      [[pool, "metadata annotations", exported]],
      [[pool, "metadata annotations", { ...exported, [modeName]: "ParentMode" }]],
      [["Service/frontend", "metadata annotations", { [modeName]: "ParentMode" }]],
    ],
    fails: [
      [[pool, "metadata annotations", { [modeName]: "EndpointMode" }]],
      [[pool, modeKey, "ParentMode"]],
      [
        [pool, "metadata annotations", { ...exported, [modeName]: "ParentMode" }],
        [pool, exportKey, undefined],
      ],
    ],
  },
  {
    rule: "export-annotations-are-known",
    passes: [
      [[pool, "metadata annotations", exported]],
      [[pool, "metadata annotations", { ...exported, [modeName]: "EndpointMode" }]],
      [[pool, "metadata annotations", { team: "ml" }]],
    ],
    fails: [
      [[pool, exportKey, "true"]],
      [
        [pool, "metadata annotations", exported],
        [pool, modeKey, "Parent"],
      ],
      [[pool, exportKey, "clusterset"]],
    ],
  },
  {
    rule: "exports-are-closed",
    passes: [
      [["Service/frontend", "spec type", "LoadBalancer"]],
      [
        ["Service/svc-epp", "spec type", "LoadBalancer"],
        ["Service/svc-epp", "spec loadBalancerSourceRanges", ["10.0.0.0/8"]],
      ],
      [["Service/svc-epp", "spec type", "ClusterIP"]],
    ],
    fails: [
      [
        ["Service/svc-epp", "metadata annotations", { "cloud/internal": "true" }],
        ["Service/svc-epp", "spec type", "LoadBalancer"],
      ],
      [["Service/svc-epp", "spec type", "LoadBalancer"]],
      [
        ["Service/svc-epp", "spec loadBalancerSourceRanges", []],
        ["Service/svc-epp", "spec type", "LoadBalancer"],
      ],
    ],
  },
  {
    rule: "imports-are-left-to-the-controller",
    passes: [
      [[route, backends, [anImport]]],
      [["ConfigMap/settings", "", { ...importOf("a"), apiVersion: "example.com/v1" }]],
      [["ConfigMap/settings", "", { ...importOf("a"), kind: "InferencePoolImports" }]],
    ],
    fails: [
      [["ConfigMap/settings", "", importOf("a")]],
      [["ConfigMap/settings", "", importOf("svc")]],
      [
        ["ConfigMap/settings", "", { ...importOf("a"), apiVersion: "example.com/v1" }],
        ["InferencePoolImport/a", "apiVersion", "inference.networking.x-k8s.io/v1alpha1"],
      ],
    ],
  },
  {
    rule: "image-tag-is-fixed",
    passes: [
      [[embedder, `${server} image`, "vllm/vllm-openai:v0.11.0"]],
      [[embedder, `${server} image`, "registry:5000/server:1.2.3-cuda12"]],
      [[embedder, `${server} image`, `server@${digest}`]],
    ],
    fails: [
      [[embedder, `${server} image`, "vllm/vllm-openai:latest"]],
      [[embedder, `${server} image`, "registry:5000/server"]],
      [[embedder, `${server} image`, "server:v1"]],
    ],
  },
  {
    rule: "image-has-a-digest",
    passes: [
      [[embedder, `${server} image`, `server@${digest}`]],
      [[embedder, `${server} image`, `registry:5000/server:v1@${digest}`]],
      [[embedder, `${server} image`, undefined]],
    ],
    fails: [
      [[embedder, `${server} image`, "server:1.2.3"]],
      [[embedder, `${server} image`, "server@sha256:abc"]],
      [[decode, `${workerEngine} image`, "server"]],
    ],
  },
  {
    rule: "pods-run-as-non-root",
    passes: [
      [
        [embedder, "spec template spec securityContext", { runAsNonRoot: true }],
        [embedder, `${server} securityContext`, { allowPrivilegeEscalation: false }],
      ],
      [[embedder, `${server} securityContext runAsUser`, 1000]],
      [[embedder, "spec template spec securityContext", { runAsUser: 1000 }]],
    ],
    fails: [
      [[embedder, `${server} securityContext runAsNonRoot`, undefined]],
      [[embedder, `${server} securityContext runAsUser`, 0]],
      [[embedder, `${server} securityContext runAsNonRoot`, false]],
    ],
  },
  {
    rule: "pods-are-restricted",
    passes: [
      [[embedder, `${server} securityContext privileged`, false]],
      [[embedder, `${server} securityContext capabilities add`, ["NET_BIND_SERVICE"]]],
      [[embedder, "spec template spec hostPID", false]],
    ],
    fails: [
      [[embedder, `${server} securityContext privileged`, true]],
      [[embedder, `${server} securityContext allowPrivilegeEscalation`, true]],
      [[embedder, `${server} securityContext capabilities add`, ["SYS_ADMIN"]]],
      [[embedder, "spec template spec hostPID", true]],
    ],
  },
];

function aPod(gpus: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "ml" },
    spec: { containers: [{ name: "a", resources: { limits: { "nvidia.com/gpu": gpus } } }] },
  };
}

function aPool(matchLabels: object) {
  return {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "b", namespace: "ml" },
    spec: { selector: { matchLabels }, targetPorts: [{ number: 8000 }] },
  };
}

function importOf(name: string) {
  return {
    apiVersion: "inference.networking.x-k8s.io/v1alpha1",
    kind: "InferencePoolImport",
    metadata: { name, namespace: "ml" },
  };
}

function podGroup(name: string) {
  return {
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "PodGroup",
    metadata: { name, namespace: "ml" },
    spec: { minMember: 1 },
  };
}

interface Named {
  kind: string;
  metadata: { name: string };
}

/** The good stack with edits. */
export function edited(edits: readonly Edit[]): object[] {
  const stack = goodStack() as unknown as Array<Named & Record<string, unknown>>;
  for (const [object, place, value] of edits) {
    const at = stack.findIndex(({ kind, metadata }) => `${kind}/${metadata.name}` === object);
    if (at < 0) throw new Error(`no ${object} in the stack`);
    const keys = place.split(" ").filter((key) => key !== "");
    if (keys.length > 0) assign(stack[at] as object, keys, value);
    else if (value === undefined) stack.splice(at, 1);
    else Object.assign(stack[at] as object, value);
  }
  return stack;
}

function assign(target: object, [key = "", ...rest]: readonly string[], value: unknown): void {
  const holder = target as Record<string, object | undefined>;
  if (rest.length > 0) {
    holder[key] = structuredClone(holder[key] ?? {});
    assign(holder[key] as object, rest, value);
  } else if (value === undefined) {
    if (Array.isArray(target)) target.splice(Number(key), 1);
    else delete holder[key];
  } else {
    holder[key] = structuredClone(value) as object;
  }
}
