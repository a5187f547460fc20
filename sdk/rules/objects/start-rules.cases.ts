import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leader, prefill, server, worker } from "./places.fixture.ts";

/** Turns the good stack's ConfigMap into a PersistentVolumeClaim. */
const claim = (name: string, ...accessModes: string[]): Edit => [
  "ConfigMap/settings",
  "",
  {
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "ml" },
    spec: { accessModes, resources: { requests: { storage: "600Gi" } } },
  },
];
const volume = { name: "w", persistentVolumeClaim: { claimName: "weights" } };
const mountedBy = (object: string, template: string): Edit => [
  object,
  `${template} spec volumes 1`,
  volume,
];
const embedderMounts: Edit = [embedder, "spec template spec volumes", [volume]];
const one: Edit = [embedder, "spec replicas", 1];
const hostNetwork = (object: string, template: string): Edit => [
  object,
  `${template} spec hostNetwork`,
  true,
];
const dns = (object: string, template: string, policy: string): Edit => [
  object,
  `${template} spec dnsPolicy`,
  policy,
];
const vllm: Edit = [embedder, `${server} args`, ["vllm", "serve", "m", "--port", "8080"]];
const readiness = (probe: object): Edit => [embedder, `${server} readinessProbe`, probe];

const probe = (field: string, path: string, port = 8080): Edit => [
  embedder,
  `${server} ${field}`,
  { httpGet: { path, port } },
];

const serves = (model: string, ...args: string[]): Edit => [
  embedder,
  `${server} args`,
  ["vllm", "serve", model, "--port", "8080", ...args],
];
const onGpu = (product: string): Edit => [
  embedder,
  "spec template spec nodeSelector",
  { "nvidia.com/gpu.product": product },
];
const image = (version: string): Edit => [
  embedder,
  `${server} image`,
  `registry.example/vllm-openai:v${version}`,
];

const atProbe = (field: string) =>
  `Deployment ml/embedder: spec.template.spec.containers[0].${field}`;
const probes = (field: string, given: string, port: number) =>
  `${atProbe(field)}: ${given}; allowed: ${port}. Change the port of the probe or of the engine.`;
const probesPath = (field: string, path: string, title: string) =>
  `${atProbe(field)}: calls ${path}, which ${title} does not have; allowed: /health, which returns 200 once the model is loaded. Change the path to /health.`;

const noImage = (at: string, name: string, question: string) =>
  `Deployment ml/embedder: spec.template.spec.${at}.image: is missing in container ${name}; allowed: an image. Set image.${question}`;

const onOneNode = (mode: string, who: string, allowed: string) =>
  `PersistentVolumeClaim ml/weights: spec.accessModes: is ${mode}, but several pods of ${who} mount the claim; allowed: ${allowed}. Change the access mode and the storage class, or give each pod its own copy.`;
const several = "ReadOnlyMany, ReadWriteMany, or pods on one node";

export const startCases: readonly RuleCases[] = [
  {
    rule: "claims-reach-every-node",
    allows: {
      "a claim that many nodes can mount": [claim("weights", "ReadWriteMany"), embedderMounts],
      "a claim that many nodes can mount read-only": [
        claim("weights", "ReadWriteOnce", "ReadOnlyMany"),
        embedderMounts,
      ],
      "a claim of one pod": [claim("weights", "ReadWriteOnce"), embedderMounts, one],
      "a claim of pods on one named node": [
        claim("weights", "ReadWriteOnce"),
        embedderMounts,
        [embedder, "spec template spec nodeSelector", { "kubernetes.io/hostname": "gpu-1" }],
      ],
      "a claim that is not in the stack": [embedderMounts],
      "a claim of another name": [claim("cache", "ReadWriteOnce"), embedderMounts],
    },
    refuses: {
      "a claim that several replicas mount": {
        edits: [
          one,
          claim("weights", "ReadWriteOnce"),
          embedderMounts,
          [embedder, "spec replicas", 2],
        ],
        finds: [onOneNode("ReadWriteOnce", "Deployment embedder", several)],
      },
      "a claim that all pods of a group mount": {
        edits: [
          mountedBy(decode, leader),
          claim("weights", "ReadWriteOnce"),
          mountedBy(decode, worker),
        ],
        finds: [onOneNode("ReadWriteOnce", "LeaderWorkerSet svc-decode", several)],
      },
      "a claim that two workloads mount": {
        edits: [claim("weights", "ReadWriteOnce"), one, embedderMounts, mountedBy(prefill, leader)],
        finds: [
          onOneNode(
            "ReadWriteOnce",
            "LeaderWorkerSet svc-prefill and Deployment embedder",
            several,
          ),
        ],
      },
      "a claim for a single pod that two pods mount": {
        edits: [
          [embedder, "spec template spec nodeSelector", { "kubernetes.io/hostname": "gpu-1" }],
          embedderMounts,
          claim("weights", "ReadWriteOncePod"),
        ],
        finds: [onOneNode("ReadWriteOncePod", "Deployment embedder", "one pod")],
      },
    },
  },
  {
    rule: "host-network-resolves-names",
    allows: {
      "a single pod that uses no cluster names": [hostNetwork(embedder, "spec template")],
      "a group that uses the cluster's DNS": [
        hostNetwork(decode, leader),
        dns(decode, leader, "ClusterFirstWithHostNet"),
        hostNetwork(decode, worker),
        dns(decode, worker, "ClusterFirstWithHostNet"),
      ],
      "a group with explicit resolvers": [hostNetwork(decode, worker), dns(decode, worker, "None")],
    },
    refuses: {
      "workers that cannot resolve their leader": {
        edits: [hostNetwork(decode, worker)],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.dnsPolicy: is missing on the host network, so cluster names do not resolve; allowed: ClusterFirstWithHostNet. Set dnsPolicy: ClusterFirstWithHostNet.",
        ],
      },
      "a leader with ClusterFirst, which means the node's resolver on the host network": {
        edits: [dns(decode, leader, "ClusterFirst"), hostNetwork(decode, leader)],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.dnsPolicy: is ClusterFirst on the host network, so cluster names do not resolve; allowed: ClusterFirstWithHostNet. Set dnsPolicy: ClusterFirstWithHostNet.",
        ],
      },
      "a pod that names a Service": {
        edits: [
          hostNetwork(embedder, "spec template"),
          [embedder, `${server} env`, [{ name: "OTLP", value: "grpc://otel.observe.svc:4317" }]],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.dnsPolicy: is missing on the host network, so cluster names do not resolve; allowed: ClusterFirstWithHostNet. Set dnsPolicy: ClusterFirstWithHostNet.",
        ],
      },
    },
  },
  {
    rule: "readiness-asks-the-serving-port",
    allows: {
      "a probe of the serving port by number": [
        vllm,
        readiness({ httpGet: { path: "/health", port: 8080 } }),
      ],
      "a probe of the serving port by name": [
        vllm,
        [embedder, `${server} ports 0 name`, "http"],
        readiness({ httpGet: { path: "/health", port: "http" } }),
      ],
      "a probe that runs a command": [vllm, readiness({ exec: { command: ["check"] } })],
      "a probe that a decode sidecar forwards": [
        [decode, `${leader} spec containers 0 args`, ["vllm serve m --port 8200"]],
        [decode, `${leader} spec containers 0 readinessProbe httpGet port`, 8000],
      ],
      "a probe of an unknown engine": [readiness({ tcpSocket: { port: 9090 } })],
      "probes of paths that the engine has": [
        vllm,
        probe("startupProbe", "/v1/models"),
        probe("livenessProbe", "/ping"),
        probe("readinessProbe", "/health?full=1"),
      ],
      "a path that middleware may add": [
        [embedder, `${server} args`, ["vllm", "serve", "m", "--port=8080", "--middleware=a.b"]],
        probe("readinessProbe", "/mine"),
      ],
      "the declared port of an image of another author": [
        [embedder, `${server} image`, "registry.example/my-vllm:1"],
        [embedder, `${server} args`, ["--model", "m"]],
        probe("readinessProbe", "/health"),
      ],
      "a probe of one of two servers": [
        [
          embedder,
          `${server} args`,
          ["sh", "-c", "vllm serve a --port 8081 & vllm serve b --port 8080"],
        ],
        readiness({ httpGet: { path: "/health", port: 8081 } }),
      ],
    },
    refuses: {
      "a probe of the metrics port": {
        edits: [vllm, readiness({ httpGet: { path: "/metrics", port: 9090 } })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: checks port 9090, but the engine serves on port 8080; allowed: 8080. Change the port of the probe or of the engine.",
        ],
      },
      "a TCP probe of a decode sidecar": {
        edits: [
          [decode, `${leader} spec containers 0 args`, ["vllm serve m --port 8200"]],
          [decode, `${leader} spec containers 0 readinessProbe`, { tcpSocket: { port: 8000 } }],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].readinessProbe: checks port 8000, but the engine serves on port 8200; allowed: 8200. Change the port of the probe or of the engine.",
        ],
      },
      "a startup probe of another port": {
        edits: [vllm, probe("startupProbe", "/health", 9999)],
        finds: [
          probes("startupProbe", "checks port 9999, but the engine serves on port 8080", 8080),
        ],
      },
      "a liveness probe of another port": {
        edits: [vllm, probe("livenessProbe", "/health", 9999)],
        finds: [
          probes("livenessProbe", "checks port 9999, but the engine serves on port 8080", 8080),
        ],
      },
      "a startup probe of a path that vLLM does not have": {
        edits: [vllm, probe("startupProbe", "/healthz")],
        finds: [probesPath("startupProbe", "/healthz", "vLLM")],
      },
      "a liveness probe of a path that SGLang does not have": {
        edits: [
          [embedder, `${server} args`, ["sglang", "serve", "--port=8080", "--host=0.0.0.0"]],
          probe("livenessProbe", "/healthz"),
        ],
        finds: [probesPath("livenessProbe", "/healthz", "SGLang")],
      },
      "a declared port on which SGLang does not listen": {
        edits: [
          probe("readinessProbe", "/health"),
          [embedder, `${server} args`, ["sglang", "serve", "--host=0.0.0.0"]],
        ],
        finds: [
          probes("readinessProbe", "checks port 8080, but the engine serves on port 30000", 30_000),
        ],
      },
      "a TCP probe of another port": {
        edits: [vllm, readiness({ tcpSocket: { port: "8000" } })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: checks port 8000, but the engine serves on port 8080; allowed: 8080. Change the port of the probe or of the engine.",
        ],
      },
      "a probe of another port by name": {
        edits: [
          vllm,
          [embedder, `${server} ports 1`, { name: "metrics", containerPort: 9090 }],
          readiness({ httpGet: { path: "/health", port: "metrics" } }),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: checks port 9090, but the engine serves on port 8080; allowed: 8080. Change the port of the probe or of the engine.",
        ],
      },
    },
  },
  {
    rule: "engines-start",
    allows: {
      "a model that fits": [serves("Qwen/Qwen3-8B"), onGpu("NVIDIA-H100-80GB-HBM3")],
      "an unknown model": [serves("org/model"), onGpu("Tesla-T4")],
      "a large model on an unknown GPU": [serves("Qwen/Qwen3-32B")],
      "a context that the engine chooses": [
        onGpu("NVIDIA-L4"),
        serves("Qwen/Qwen3-8B", "--max-model-len", "auto"),
      ],
      "default bfloat16 in a version that chooses the type": [
        image("0.32.0"),
        onGpu("Tesla-T4"),
        serves("Qwen/Qwen3-0.6B", "--max-model-len", "8192"),
      ],
    },
    refuses: {
      "a context longer than the model supports": {
        edits: [serves("Qwen/Qwen3-8B", "--max-model-len", "131072")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: set --max-model-len 131072, but Qwen/Qwen3-8B supports 40960 tokens; allowed: at most 40960 tokens. Set --max-model-len 40960, or scale the positions by 3.2 as the model card describes.",
        ],
      },
      "weights that do not fit": {
        edits: [serves("Qwen/Qwen3-32B"), onGpu("NVIDIA-L4")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: load Qwen/Qwen3-32B with 61.0 GiB of weights on each L4, which has 19.2 GiB of its 22.0 GiB available for weights and KV cache; allowed: weights that fit into the engine's share of device memory and leave space for the KV cache. Divide the model over 4 of these devices, or use devices with more memory or a checkpoint with fewer bits.",
        ],
      },
      "a data type that the GPU does not support": {
        edits: [
          onGpu("Tesla-T4"),
          serves("Qwen/Qwen3-0.6B", "--max-model-len", "8192", "--dtype", "bfloat16"),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: compute Qwen/Qwen3-0.6B in bfloat16 on T4, whose compute capability is 7.5; allowed: bfloat16 with compute capability 8.0 or higher. Set --dtype float16, or use a newer GPU.",
        ],
      },
      "a model that is newer than the engine": {
        edits: [serves("Qwen/Qwen3-8B"), image("0.7.3")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: load Qwen/Qwen3-8B (Qwen3ForCausalLM) with vLLM 0.7.3; allowed: vLLM 0.8.4 or later for this architecture. Use a later image.",
        ],
      },
    },
  },
  {
    rule: "containers-have-an-image",
    allows: {
      "another image": [[embedder, `${server} image`, "registry.example/e:1"]],
      "a further container with an image": [
        [embedder, "spec template spec containers 1", { name: "log", image: "log:1" }],
      ],
      "an init container with an image": [
        [embedder, "spec template spec initContainers", [{ name: "init", image: "init:1" }]],
      ],
    },
    refuses: {
      "a container without an image": {
        edits: [[embedder, `${server} image`, undefined]],
        finds: [noImage("containers[0]", "server", "")],
      },
      "a further container, whose name differs from the name of the engine's container": {
        edits: [vllm, [embedder, "spec template spec containers 1", { name: "engine" }]],
        finds: [
          noImage(
            "containers[1]",
            "engine",
            " Or did you mean container server, which runs the engine?",
          ),
        ],
      },
      "an init container without an image": {
        edits: [vllm, [embedder, "spec template spec initContainers", [{ name: "init" }]]],
        finds: [noImage("initContainers[0]", "init", "")],
      },
    },
  },
];
