import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import type { ApiReader } from "./api-reader.ts";
import type { Seen } from "./observation.ts";

/**
 * Responses of a cluster after the default installation of LeaderWorkerSet 0.9, Volcano 1.14 and the Gateway API with
 * its inference extension, and with KEDA and GPU binpack: the objects that doctor reads, by path, with the fields that
 * it uses.
 */
export type RecordedCluster = Record<string, unknown>;

const crd = (version: string, fields: Record<string, object> = {}) => ({
  spec: {
    versions: [
      { name: "v1alpha1", served: false, schema: { openAPIV3Schema: {} } },
      {
        name: version,
        served: true,
        schema: {
          openAPIV3Schema: {
            properties: { spec: { properties: fields } },
          },
        },
      },
    ],
  },
  status: {
    conditions: [
      { type: "NamesAccepted", status: "True" },
      { type: "Established", status: "True" },
    ],
  },
});

const deployment = (namespace: string, name: string, container: object, configMap?: string) => ({
  metadata: { name, namespace },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [{ name, ...container }],
        volumes: [
          { name: "cert", secret: { secretName: "cert" } },
          ...(configMap === undefined ? [] : [{ name: "config", configMap: { name: configMap } }]),
        ],
      },
    },
  },
  status: { replicas: 1, availableReplicas: 1 },
});

const workload = (name: string, componentType: string, containers: object[]) => ({
  metadata: { name, namespace: "models" },
  spec: {
    leaderWorkerTemplate: {
      workerTemplate: {
        metadata: { labels: { "fusioninfer.io/component-type": componentType } },
        spec: { containers },
      },
    },
  },
});

const webhook = (name: string, service: object, apiGroup: string, resource: string) => ({
  name,
  failurePolicy: "Fail",
  clientConfig: { caBundle: "LS0tLS1CRUdJTg==", service },
  rules: [
    { apiGroups: [apiGroup], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] },
  ],
});

const lwsService = { name: "lws-webhook-service", namespace: "lws-system", path: "/mutate" };
const volcanoService = { name: "volcano-admission-service", namespace: "volcano-system" };

const ready = (ip: string) => ({
  items: [{ endpoints: [{ addresses: [ip], conditions: { ready: true, serving: true } }] }],
});

export const paths = {
  crd: (name: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
  lws: "/apis/apps/v1/namespaces/lws-system/deployments?labelSelector=control-plane%3Dcontroller-manager",
  scheduler: "/apis/apps/v1/deployments?labelSelector=app%3Dvolcano-scheduler",
  controllers: "/apis/apps/v1/deployments?labelSelector=app%3Dvolcano-controller",
  kthena:
    "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fcomponent%3Dkthena-controller-manager",
  keda: "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkeda-operator",
  queue: "/apis/scheduling.volcano.sh/v1beta1/queues/default",
  mutating: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  validating: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  lwsConfig: "/api/v1/namespaces/lws-system/configmaps/lws-manager-config",
  volcanoConfig: "/api/v1/namespaces/volcano-system/configmaps/volcano-scheduler-configmap",
  lwsEndpoints:
    "/apis/discovery.k8s.io/v1/namespaces/lws-system/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dlws-webhook-service",
  volcanoEndpoints:
    "/apis/discovery.k8s.io/v1/namespaces/volcano-system/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dvolcano-admission-service",
  leaderWorkerSets: "/apis/leaderworkerset.x-k8s.io/v1/namespaces/models/leaderworkersets",
  gatewayClasses: "/apis/gateway.networking.k8s.io/v1/gatewayclasses",
  nodes: "/api/v1/nodes",
  pods: "/api/v1/namespaces/models/pods",
  claims: "/api/v1/namespaces/models/persistentvolumeclaims",
  storageClasses: "/apis/storage.k8s.io/v1/storageclasses",
  services: "/api/v1/namespaces/models/services",
  pools: "/apis/inference.networking.k8s.io/v1/namespaces/models/inferencepools",
  deployments: "/apis/apps/v1/namespaces/models/deployments",
  serverPools: "/apis/inference.x-k8s.io/v1alpha1/namespaces/models/llmserverpools",
  inferenceServices: "/apis/fusioninfer.io/v1alpha1/namespaces/models/inferenceservices",
  imports: "/apis/inference.networking.x-k8s.io/v1alpha1/namespaces/models/inferencepoolimports",
  routes: "/apis/gateway.networking.k8s.io/v1/namespaces/models/httproutes",
  programs:
    "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dpulumi-inference",
  grants: "/apis/gateway.networking.k8s.io/v1beta1/referencegrants",
  review: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
} as const;

export function goodCluster(): RecordedCluster {
  return {
    "/version": { major: "1", minor: "36", gitVersion: "v1.36.3" },
    [paths.crd("leaderworkersets.leaderworkerset.x-k8s.io")]: crd("v1", {
      leaderWorkerTemplate: {
        properties: {
          restartPolicy: {
            enum: ["Default", "RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None"],
          },
        },
      },
    }),
    [paths.crd("podgroups.scheduling.volcano.sh")]: crd("v1beta1", {
      minMember: {},
      minResources: {},
      subGroupPolicy: {
        items: {
          properties: { name: {}, matchLabelKeys: {}, minSubGroups: {}, subGroupSize: {} },
        },
      },
    }),
    [paths.crd("queues.scheduling.volcano.sh")]: crd("v1beta1"),
    [paths.crd("inferencepools.inference.networking.k8s.io")]: {
      metadata: { annotations: { "inference.networking.k8s.io/bundle-version": "v1.5.0" } },
      ...crd("v1"),
    },
    [paths.crd("httproutes.gateway.networking.k8s.io")]: {
      metadata: { annotations: { "gateway.networking.k8s.io/bundle-version": "v1.4.1" } },
      ...crd("v1"),
    },
    [paths.crd("scaledobjects.keda.sh")]: crd("v1alpha1"),
    [paths.crd("gateways.gateway.networking.k8s.io")]: crd("v1"),
    [paths.lws]: {
      items: [
        deployment(
          "lws-system",
          "lws-controller-manager",
          {
            image: "registry.k8s.io/lws/lws:v0.9.0",
            command: ["/manager"],
            args: ["--config=/controller_manager_config.yaml", "--zap-log-level=2"],
          },
          "lws-manager-config",
        ),
      ],
    },
    [paths.lwsConfig]: {
      data: {
        "controller_manager_config.yaml":
          "apiVersion: config.lws.x-k8s.io/v1alpha1\nkind: Configuration\nleaderElection:\n  leaderElect: true\ninternalCertManagement:\n  enable: true\n",
      },
    },
    [paths.scheduler]: {
      items: [
        deployment(
          "volcano-system",
          "volcano-scheduler",
          {
            image: "docker.io/volcanosh/vc-scheduler:v1.14.1",
            args: [
              "--logtostderr",
              "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf",
              "2>&1",
            ],
          },
          "volcano-scheduler-configmap",
        ),
      ],
    },
    [paths.leaderWorkerSets]: {
      items: [
        workload("chat-prefill", "prefiller", [{ name: "vllm" }]),
        workload("chat-decode", "decoder", [{ name: "routing-proxy" }, { name: "vllm" }]),
      ],
    },
    [paths.volcanoConfig]: { data: { "volcano-scheduler.conf": schedulerConf } },
    [paths.controllers]: {
      items: [
        deployment("volcano-system", "volcano-controllers", {
          image: "docker.io/volcanosh/vc-controller-manager:v1.14.1",
        }),
      ],
    },
    [paths.kthena]: { items: [] },
    [paths.keda]: {
      items: [deployment("keda", "keda-operator", { image: "ghcr.io/kedacore/keda:2.21.0" })],
    },
    [paths.queue]: { spec: { weight: 1 }, status: { state: "Open" } },
    [paths.mutating]: {
      items: [
        {
          metadata: { name: "istio-sidecar-injector" },
          webhooks: [
            webhook(
              "namespace.sidecar-injector.istio.io",
              { name: "istiod", namespace: "istio-system" },
              "",
              "pods",
            ),
          ],
        },
        {
          metadata: { name: "lws-mutating-webhook-configuration" },
          webhooks: [
            webhook(
              "mleaderworkerset.kb.io",
              lwsService,
              "leaderworkerset.x-k8s.io",
              "leaderworkersets",
            ),
            webhook("mpod.kb.io", lwsService, "", "pods"),
          ],
        },
      ],
    },
    [paths.validating]: {
      items: [
        {
          metadata: { name: "lws-validating-webhook-configuration" },
          webhooks: [
            webhook(
              "vleaderworkerset.kb.io",
              lwsService,
              "leaderworkerset.x-k8s.io",
              "leaderworkersets",
            ),
            webhook("vpod.kb.io", lwsService, "", "pods"),
          ],
        },
        {
          metadata: { name: "volcano-admission-service-podgroups-validate" },
          webhooks: [
            webhook(
              "validatepodgroup.volcano.sh",
              volcanoService,
              "scheduling.volcano.sh",
              "podgroups",
            ),
          ],
        },
      ],
    },
    [paths.lwsEndpoints]: ready("10.0.0.1"),
    [paths.volcanoEndpoints]: ready("10.0.0.2"),
    ...Object.fromEntries(ownCrds().map((crd) => [paths.crd(crd.metadata.name), crd])),
    [paths.gatewayClasses]: {
      items: [
        {
          metadata: { name: "istio" },
          status: { conditions: [{ type: "Accepted", status: "True" }] },
        },
      ],
    },
    [paths.nodes]: {
      items: ["a", "b"].map((name) => ({
        metadata: { name, labels: { "nvidia.com/gpu.product": "NVIDIA-L40S" } },
        status: {
          allocatable: { cpu: "64", "nvidia.com/gpu": "8" },
          conditions: [{ type: "Ready", status: "True" }],
        },
      })),
    },
    [paths.pods]: { items: [] },
    [paths.claims]: {
      items: [{ metadata: { name: "cache" }, spec: {}, status: { phase: "Pending" } }],
    },
    [paths.storageClasses]: {
      items: [
        {
          metadata: {
            name: "fast",
            annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
          },
        },
      ],
    },
    [paths.services]: {
      items: [
        {
          metadata: { name: "chat-epp", namespace: "models" },
          spec: {
            type: "LoadBalancer",
            loadBalancerSourceRanges: ["10.0.0.0/8"],
            selector: { app: "chat-epp" },
            ports: [{ port: 9002 }],
          },
        },
      ],
    },
    [paths.pools]: {
      items: [
        {
          metadata: { name: "chat-pool", namespace: "models" },
          spec: {
            selector: { matchLabels: { app: "chat" } },
            targetPorts: [{ number: 8000 }],
            endpointPickerRef: { name: "chat-epp" },
          },
        },
      ],
    },
    [paths.deployments]: {
      items: [
        {
          metadata: { name: "chat-epp", namespace: "models" },
          spec: {
            template: {
              metadata: { labels: { app: "chat-epp" } },
              spec: { containers: [{ name: "epp", args: ["--secure-serving"] }] },
            },
          },
        },
        {
          metadata: { name: "qwen-parents-agent", namespace: "models" },
          spec: {
            template: {
              metadata: { labels: { app: "qwen-parents-agent" } },
              spec: { containers: [{ name: "agent", args: ["parents-agent", "--import=qwen"] }] },
            },
          },
        },
      ],
    },
    [paths.serverPools]: {
      items: [
        {
          metadata: { name: "llama", namespace: "models" },
          spec: { allowedNamespaces: ["games"], allowUnregisteredModels: false },
        },
      ],
    },
    [paths.imports]: { items: [{ metadata: { name: "qwen", namespace: "models" } }] },
    [paths.routes]: {
      items: [
        {
          metadata: {
            name: "qwen-import",
            namespace: "models",
            labels: { "pulumi-inference/parents-agent": "qwen-parents-agent" },
          },
          spec: { rules: [] },
        },
        {
          metadata: { name: "chat", namespace: "models" },
          spec: {
            rules: [
              {
                matches: [{ headers: [{ name: "X-Gateway-Model-Name", value: "chat" }] }],
                backendRefs: [
                  {
                    group: "inference.networking.k8s.io",
                    kind: "InferencePool",
                    name: "chat-pool",
                    namespace: "others",
                  },
                ],
              },
            ],
          },
        },
      ],
    },
    [paths.inferenceServices]: {
      items: [
        {
          metadata: { name: "chat", namespace: "models" },
          spec: { resilience: { recycle: { podsPerHour: 2 } } },
        },
      ],
    },
    [paths.programs]: {
      items: [
        {
          metadata: { name: "inference-status-controller", namespace: "inference-system" },
          spec: {
            template: {
              spec: {
                containers: [
                  { name: "status-controller", args: ["status-controller", "--recycle-pods"] },
                ],
              },
            },
          },
        },
        {
          metadata: { name: "models-model-router", namespace: "gateways" },
          spec: {
            template: { spec: { containers: [{ name: "router", args: ["model-router"] }] } },
          },
        },
      ],
    },
    [paths.grants]: {
      items: [
        {
          metadata: { name: "models", namespace: "others" },
          spec: {
            from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "models" }],
            to: [{ group: "inference.networking.k8s.io", kind: "InferencePool" }],
          },
        },
      ],
    },
    [paths.review]: { status: { allowed: true } },
  };
}

/** The chart's configuration, with arguments for binpack. */
const schedulerConf = `actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
    arguments:
      binpack.weight: 10
      binpack.resources: example.com/foo, nvidia.com/gpu
`;

export const kthenaManager = () =>
  deployment("kthena-system", "kthena-controller-manager", {
    image: "ghcr.io/volcano-sh/kthena-controller-manager:v1.0.0",
  });

/**
 * Returns a reader of the recording. All other objects are absent, and reads of objects in `refused` are forbidden.
 */
export function readerOf(cluster: RecordedCluster): ApiReader {
  const get = async <T>(path: string): Promise<Seen<T>> => {
    if (!(path in cluster)) return { state: "absent" };
    const value = cluster[path];
    return value === refused
      ? { state: "forbidden", why: `forbidden: ${path}` }
      : { state: "seen", value: value as T };
  };
  return { get, review: get, text: async () => undefined };
}

export const refused = "refused";
