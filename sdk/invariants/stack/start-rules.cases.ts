import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leader, prefill, server, worker } from "./places.fixture.ts";

/** The good stack's ConfigMap as a claim. */
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

const onOneNode = (mode: string, who: string, allowed: string) =>
  `PersistentVolumeClaim ml/weights: spec.accessModes: is ${mode}, and several pods of ${who} mount the claim; allowed: ${allowed}. Change the access mode and the storage class, or give each pod its own copy.`;
const several = "pods of one node, or ReadOnlyMany or ReadWriteMany";

export const startCases: readonly RuleCases[] = [
  {
    rule: "claims-reach-every-node",
    allows: {
      "a claim that many nodes attach": [claim("weights", "ReadWriteMany"), embedderMounts],
      "a claim that many nodes attach to read": [
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
      "a claim that replicas share": {
        edits: [
          one,
          claim("weights", "ReadWriteOnce"),
          embedderMounts,
          [embedder, "spec replicas", 2],
        ],
        finds: [onOneNode("ReadWriteOnce", "Deployment embedder", several)],
      },
      "a claim that a group shares": {
        edits: [
          mountedBy(decode, leader),
          claim("weights", "ReadWriteOnce"),
          mountedBy(decode, worker),
        ],
        finds: [onOneNode("ReadWriteOnce", "LeaderWorkerSet svc-decode", several)],
      },
      "a claim that two workloads share": {
        edits: [claim("weights", "ReadWriteOnce"), one, embedderMounts, mountedBy(prefill, leader)],
        finds: [
          onOneNode(
            "ReadWriteOnce",
            "LeaderWorkerSet svc-prefill and Deployment embedder",
            several,
          ),
        ],
      },
      "a claim of one pod that two mount": {
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
      "a single pod that names nothing of the cluster": [hostNetwork(embedder, "spec template")],
      "a group that asks the cluster's DNS": [
        hostNetwork(decode, leader),
        dns(decode, leader, "ClusterFirstWithHostNet"),
        hostNetwork(decode, worker),
        dns(decode, worker, "ClusterFirstWithHostNet"),
      ],
      "a group with resolvers of its own": [
        hostNetwork(decode, worker),
        dns(decode, worker, "None"),
      ],
    },
    refuses: {
      "workers that cannot resolve their leader": {
        edits: [hostNetwork(decode, worker)],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.dnsPolicy: is missing on the host's network, so that names of the cluster do not resolve; allowed: ClusterFirstWithHostNet. Set dnsPolicy: ClusterFirstWithHostNet.",
        ],
      },
      "a leader with ClusterFirst, which the host's network turns into the node's": {
        edits: [dns(decode, leader, "ClusterFirst"), hostNetwork(decode, leader)],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.dnsPolicy: is ClusterFirst on the host's network, so that names of the cluster do not resolve; allowed: ClusterFirstWithHostNet. Set dnsPolicy: ClusterFirstWithHostNet.",
        ],
      },
      "a pod that names a Service": {
        edits: [
          hostNetwork(embedder, "spec template"),
          [embedder, `${server} env`, [{ name: "OTLP", value: "grpc://otel.observe.svc:4317" }]],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.dnsPolicy: is missing on the host's network, so that names of the cluster do not resolve; allowed: ClusterFirstWithHostNet. Set dnsPolicy: ClusterFirstWithHostNet.",
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
      "a probe by a command": [vllm, readiness({ exec: { command: ["check"] } })],
      "a probe of an engine that is not known": [readiness({ tcpSocket: { port: 9090 } })],
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
      "a probe of the port of metrics": {
        edits: [vllm, readiness({ httpGet: { path: "/metrics", port: 9090 } })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: asks port 9090, and the engine serves on 8080; allowed: 8080. Change the port of the probe, or that of the engine.",
        ],
      },
      "a connection to another port": {
        edits: [vllm, readiness({ tcpSocket: { port: "8000" } })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: asks port 8000, and the engine serves on 8080; allowed: 8080. Change the port of the probe, or that of the engine.",
        ],
      },
      "a probe of another port by its name": {
        edits: [
          vllm,
          [embedder, `${server} ports 1`, { name: "metrics", containerPort: 9090 }],
          readiness({ httpGet: { path: "/health", port: "metrics" } }),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].readinessProbe: asks port 9090, and the engine serves on 8080; allowed: 8080. Change the port of the probe, or that of the engine.",
        ],
      },
    },
  },
];
