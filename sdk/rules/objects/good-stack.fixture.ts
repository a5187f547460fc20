/** A disaggregated service with all related objects that rules read. No rule reports anything about it. */

export const digest = `sha256:${"5".repeat(64)}`;

const security = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"], add: ["IPC_LOCK"] },
};

const podIP = { fieldRef: { fieldPath: "status.podIP" } };

const container = (command: string) => ({
  name: "vllm",
  image: `vllm/vllm-openai:v0.11.0@${digest}`,
  command: ["/bin/sh", "-c"],
  args: [command],
  resources: {
    limits: { "nvidia.com/gpu": "8", "rdma/hca": "1", memory: "500Gi" },
    requests: { cpu: "32" },
  },
  securityContext: security,
  volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
});

const podSpec = (engine: object) => ({
  automountServiceAccountToken: false,
  schedulerName: "volcano",
  priorityClassName: "serving",
  terminationGracePeriodSeconds: 60,
  nodeSelector: { pool: "gpu" },
  tolerations: [{ key: "gpu", operator: "Exists" }],
  containers: [engine],
  volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "64Gi" } }],
});

function group(role: "prefill" | "decode", componentType: string, kvRole: string) {
  const metadata = {
    labels: {
      "fusioninfer.io/service": "svc",
      "fusioninfer.io/component-type": componentType,
      "fusioninfer.io/role-name": role,
    },
    annotations: { "scheduling.k8s.io/group-name": "svc" },
  };
  const serve = `vllm serve m --tensor-parallel-size 16 --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"${kvRole}"}'`;
  const leader = {
    ...container(`ray start --head --port=6379 && ${serve}`),
    env: [{ name: "VLLM_NIXL_SIDE_CHANNEL_HOST", valueFrom: podIP }],
    ports: [{ name: "http", containerPort: 8000 }],
    startupProbe: { httpGet: { path: "/health", port: "http" }, failureThreshold: 60 },
    readinessProbe: { httpGet: { path: "/health", port: "http" } },
  };
  // The sidecar that receives the requests in the decoder's leader pod.
  const sidecar = {
    name: "pd-sidecar",
    image: `ghcr.io/pulumi-inference/pulumi-inference:0.1.0@${digest}`,
    restartPolicy: "Always",
    args: ["pd-sidecar", "--port=8000"],
    securityContext: { ...security, capabilities: { drop: ["ALL"] } },
  };
  const initContainers = role === "decode" ? { initContainers: [sidecar] } : {};
  const worker = container("ray start --address=$LWS_LEADER_ADDRESS:6379 --block");
  return {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name: `svc-${role}`, namespace: "ml" },
    spec: {
      ...(role === "prefill" ? { replicas: 1 } : {}),
      startupPolicy: "LeaderCreated",
      rolloutStrategy: {
        type: "RollingUpdate",
        rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 0 },
      },
      leaderWorkerTemplate: {
        size: 2,
        restartPolicy: "RecreateGroupOnPodRestart",
        leaderTemplate: { metadata, spec: { ...podSpec(leader), ...initContainers } },
        workerTemplate: { metadata, spec: podSpec(worker) },
      },
    },
  };
}

const subGroup = (role: string) => ({
  name: role,
  labelSelector: {
    matchLabels: { "fusioninfer.io/service": "svc", "fusioninfer.io/role-name": role },
  },
  matchLabelKeys: ["leaderworkerset.sigs.k8s.io/group-index"],
  subGroupSize: 2,
  minSubGroups: 1,
});

/** A Deployment of another author in the same namespace. */
const embedder = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "embedder", namespace: "ml" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "embedder" } },
    template: {
      metadata: { labels: { app: "embedder" } },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: "server",
            image: `registry.example/embedder:1.4.2@${digest}`,
            ports: [{ containerPort: 8080 }],
            resources: { limits: { "nvidia.com/gpu": "1" } },
            securityContext: { ...security, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    },
  },
};

const core = (kind: string, name: string, apiVersion: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "ml" },
  spec,
});

export const backend = (kind: string, group: string) => ({ group, kind, name: "svc" });

export const goodStack = (): object[] =>
  structuredClone([
    group("prefill", "prefiller", "kv_producer"),
    group("decode", "decoder", "kv_consumer"),
    core("PodGroup", "svc", "scheduling.volcano.sh/v1beta1", {
      minMember: 4,
      minResources: { "nvidia.com/gpu": "32" },
      queue: "gpu",
      priorityClassName: "serving",
      subGroupPolicy: [subGroup("prefill"), subGroup("decode")],
    }),
    {
      apiVersion: "scheduling.volcano.sh/v1beta1",
      kind: "Queue",
      metadata: { name: "gpu" },
      spec: { weight: 1, capability: { "nvidia.com/gpu": "64" } },
    },
    core("HorizontalPodAutoscaler", "decode", "autoscaling/v2", {
      scaleTargetRef: {
        apiVersion: "leaderworkerset.x-k8s.io/v1",
        kind: "LeaderWorkerSet",
        name: "svc-decode",
      },
      minReplicas: 1,
      maxReplicas: 4,
    }),
    core("PodDisruptionBudget", "decode", "policy/v1", {
      maxUnavailable: 1,
      selector: { matchLabels: { "fusioninfer.io/role-name": "decode" } },
    }),
    core("ResourceQuota", "gpus", "v1", { hard: { "requests.nvidia.com/gpu": "64" } }),
    core("Service", "frontend", "v1", { selector: { app: "frontend" }, ports: [{ port: 80 }] }),
    embedder,
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "ml" },
      data: { model: "m" },
    },
    core("InferencePool", "svc", "inference.networking.k8s.io/v1", {
      targetPorts: [{ number: 8000 }],
      selector: {
        matchLabels: {
          "fusioninfer.io/service": "svc",
          "leaderworkerset.sigs.k8s.io/worker-index": "0",
        },
      },
      endpointPickerRef: { name: "svc-epp", port: { number: 9002 } },
    }),
    core("Service", "svc-epp", "v1", { selector: { app: "svc-epp" }, ports: [{ port: 9002 }] }),
    core("Gateway", "gateway", "gateway.networking.k8s.io/v1", {
      gatewayClassName: "gke-l7-cross-regional-internal-managed-mc",
      listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
    }),
    core("HTTPRoute", "svc", "gateway.networking.k8s.io/v1", {
      parentRefs: [{ name: "gateway" }],
      rules: [{ backendRefs: [backend("InferencePool", "inference.networking.k8s.io")] }],
    }),
  ]);
