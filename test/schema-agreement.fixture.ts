import type { Manifest } from "../kubernetes/values/manifest.ts";

/** Valid objects with many fields, one or more of each group whose CRDs the API server can hold. */
export const validObjects: readonly Manifest[] = [
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "edge", labels: { team: "search" } },
    spec: {
      gatewayClassName: "edge",
      listeners: [
        {
          name: "http",
          port: 80,
          protocol: "HTTP",
          hostname: "a.example",
          allowedRoutes: { namespaces: { from: "All" } },
        },
        {
          name: "https",
          port: 443,
          protocol: "HTTPS",
          tls: { mode: "Terminate", certificateRefs: [{ name: "certificate" }] },
        },
      ],
      addresses: [{ type: "IPAddress", value: "10.0.0.1" }],
    },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "chat", annotations: { note: "a" } },
    spec: {
      parentRefs: [{ name: "edge", sectionName: "http", port: 80 }],
      hostnames: ["a.example"],
      rules: [
        {
          name: "first",
          matches: [
            {
              path: { type: "PathPrefix", value: "/v1" },
              headers: [{ name: "x-a", value: "b", type: "Exact" }],
              method: "POST",
            },
          ],
          filters: [
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: { set: [{ name: "x-b", value: "c" }], remove: ["x-c"] },
            },
          ],
          backendRefs: [
            { group: "inference.networking.k8s.io", kind: "InferencePool", name: "p", weight: 1 },
          ],
          timeouts: { request: "30s" },
        },
      ],
    },
  },
  {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "pool" },
    spec: {
      selector: { matchLabels: { app: "engine" } },
      targetPorts: [{ number: 8000 }],
      appProtocol: "http",
      endpointPickerRef: { name: "epp", port: { number: 9002 }, failureMode: "FailClose" },
    },
  },
  {
    apiVersion: "inference.networking.x-k8s.io/v1alpha2",
    kind: "InferenceObjective",
    metadata: { name: "batch" },
    spec: { priority: -1, poolRef: { name: "pool" } },
  },
  {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name: "decode" },
    spec: {
      replicas: 2,
      startupPolicy: "LeaderCreated",
      rolloutStrategy: {
        type: "RollingUpdate",
        rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: "50%" },
      },
      leaderWorkerTemplate: {
        size: 2,
        restartPolicy: "RecreateGroupOnPodRestart",
        workerTemplate: {
          metadata: { labels: { app: "engine" } },
          spec: {
            nodeSelector: { pool: "gpu" },
            tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
            containers: [
              {
                name: "engine",
                image: "vllm",
                args: ["serve"],
                env: [{ name: "A", value: "b" }],
                ports: [{ name: "http", containerPort: 8000, protocol: "TCP" }],
                resources: { limits: { "nvidia.com/gpu": "1", memory: "1Gi" } },
                readinessProbe: { httpGet: { path: "/health", port: 8000 }, periodSeconds: 5 },
              },
            ],
          },
        },
      },
    },
  },
  {
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "PodGroup",
    metadata: { name: "gang" },
    spec: {
      minMember: 2,
      minTaskMember: { worker: 2 },
      queue: "default",
      minResources: { cpu: "1" },
      networkTopology: { mode: "hard", highestTierAllowed: 1 },
      subGroupPolicy: [{ name: "a", subGroupSize: 2, minSubGroups: 1, matchLabelKeys: ["k"] }],
    },
  },
  {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "scaler" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "engine" },
      minReplicaCount: 1,
      maxReplicaCount: 4,
      cooldownPeriod: 300,
      advanced: {
        restoreToOriginalReplicaCount: true,
        horizontalPodAutoscalerConfig: {
          behavior: {
            scaleDown: {
              stabilizationWindowSeconds: 300,
              policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
            },
          },
        },
      },
      triggers: [
        {
          type: "prometheus",
          metricType: "AverageValue",
          metadata: { query: "up", threshold: "1" },
        },
      ],
    },
  },
  {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PodMonitor",
    metadata: { name: "engines" },
    spec: {
      selector: { matchLabels: { app: "engine" } },
      podMetricsEndpoints: [
        {
          port: "http",
          path: "/metrics",
          interval: "15s",
          scheme: "http",
          relabelings: [
            { action: "replace", sourceLabels: ["__address__"], targetLabel: "address" },
          ],
        },
      ],
    },
  },
  {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "rules" },
    spec: {
      groups: [
        {
          name: "engines",
          interval: "30s",
          rules: [{ alert: "Down", expr: "up == 0", for: "5m", labels: { severity: "page" } }],
        },
      ],
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "picker", labels: { app: "picker" } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "picker" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: "25%" } },
      template: {
        metadata: { labels: { app: "picker" } },
        spec: {
          terminationGracePeriodSeconds: 30,
          tolerations: [{ key: "a", operator: "Exists" }],
          volumes: [{ name: "cache", emptyDir: { sizeLimit: "1Gi" } }],
          containers: [
            {
              name: "picker",
              image: "picker",
              ports: [{ containerPort: 9002 }],
              volumeMounts: [{ name: "cache", mountPath: "/cache" }],
              livenessProbe: { grpc: { port: 9003 }, initialDelaySeconds: 5 },
              securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] } },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "picker" },
    spec: {
      type: "ClusterIP",
      selector: { app: "picker" },
      ports: [{ name: "grpc", port: 9002, targetPort: "grpc", protocol: "TCP" }],
    },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "picker" },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "picker" } } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "picker" },
    spec: {
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [{ namespaceSelector: {} }, { ipBlock: { cidr: "10.0.0.0/8" } }],
          ports: [{ port: 9002, protocol: "TCP" }],
        },
      ],
    },
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings" },
    data: { a: "b" },
  },
];
