import type { z } from "zod";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { builtInSupport } from "../plugins/registry.ts";
import { InferenceServiceSpec } from "../spec/inference-service.ts";
import { ModelServingSpec } from "../spec/model-serving.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { parseModelServing } from "../validate/model-serving.ts";
import { parseKind, type SpecKind } from "../validate/spec-kind.ts";
import {
  clusterSetMemberSpecKind,
  clusterSetSpecKind,
  controllersSpecKind,
  importedPoolSpecKind,
  inferencePoolSpecKind,
  inferenceRouteSpecKind,
  llmServerPoolSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
  modelRouterSpecKind,
  objectiveSpecKind,
  serviceObjectivesSpecKind,
  sharedEndpointPickerSpecKind,
} from "../validate/spec-kinds.ts";
import { planControllers } from "./controllers/controllers.ts";
import { planParsed } from "./inference-service.ts";
import { planModelRouter } from "./models/model-router.ts";
import {
  planInferenceRoute,
  planLLMService,
  planModelRewrite,
  planObjective,
} from "./models/models.ts";
import { planClusterSet, planClusterSetMember } from "./multi-cluster/cluster-set.ts";
import { planImportedPool } from "./multi-cluster/imported-pool.ts";
import { planServiceObjectives } from "./observability/service-objectives.ts";
import { planSharedEndpointPicker } from "./picker/shared-picker.ts";
import { planLLMServerPool, planPool } from "./pools/pool.ts";
import { planModelServing } from "./workloads/model-serving.ts";

/**
 * Specs that together set every argument, with the function that plans them. Manifests have the name `x` and the
 * namespace `y`.
 */
export interface EveryArgument {
  readonly kind: string;
  readonly schema: z.ZodType;
  readonly specs: readonly object[];
  /** @throws SpecError if the spec is refused */
  readonly plan: (spec: unknown) => readonly Manifest[];
}

const metadata = { name: "x", namespace: "y" };

const of = <Spec>(
  kind: SpecKind<Spec>,
  plan: (parsed: ReturnType<typeof parseKind<Spec>>) => readonly Manifest[],
  ...specs: object[]
): EveryArgument => ({
  kind: kind.kind,
  schema: kind.schema,
  specs,
  plan: (spec) => plan(parseKind(kind, { metadata, spec })),
});

const typedEngine = {
  name: "vllm",
  version: "0.32.0",
  image: "vllm/vllm-openai:v0.32.0",
  maxModelLen: 8_192,
  maxNumSeqs: 64,
  memoryFraction: 0.9,
  tensorParallel: 2,
  pipelineParallel: 1,
  dataParallel: 1,
  expertParallel: false,
  dtype: "bfloat16",
  quantization: "fp8",
  kvCacheDtype: "fp8",
  lora: {
    adapters: [{ name: "sql", source: "team/sql-lora" }],
    maxRank: 32,
    maxLoaded: 2,
    dynamic: true,
    directory: "/adapters",
  },
  kvOffload: { cpu: "100Gi", disk: { claim: "kv" } },
  speculative: { method: "eagle3", tokens: 3, model: "team/draft" },
  args: ["--enable-prefix-caching"],
  env: { A: "1" },
};

const onNodes = { name: "vllm", kvOffload: { cpu: "1Gi", disk: { hostPath: "/kv" } } };

const network = {
  kind: "sriov",
  resource: "nvidia.com/vf",
  devices: 1,
  networks: ["rail0"],
  hcas: ["mlx5_0"],
  gidIndex: 3,
  socketInterface: "eth0",
};

const programPods = {
  resources: { requests: { cpu: "500m" }, limits: { memory: "2Gi", "example.com/nic": 1 } },
  image: "registry.example.com/epp:1",
  imagePullSecrets: [{ name: "registry" }],
  nodeSelector: { pool: "system" },
  tolerations: [{ key: "system", operator: "Exists" }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" },
  ],
  priorityClassName: "high",
  podDisruptionBudget: { maxUnavailable: 1, unhealthyPodEvictionPolicy: "IfHealthyBudget" },
};
const { image: _image, ...webhookPods } = programPods;
const otherBudget = { podDisruptionBudget: { minAvailable: "50%" } };

const networkPolicy = {
  enabled: true,
  gatewayNamespaces: ["gateways"],
  scraperNamespaces: ["monitoring"],
  networks: ["10.0.0.0/8"],
};

const exported = {
  mode: "EndpointMode",
  exportTo: "tier=prod",
  gkeFleet: true,
  serviceType: "LoadBalancer",
  serviceAnnotations: { "example.com/internal": "true" },
  certificateSecret: "picker-certificate",
  clientCaConfigMap: "picker-clients",
  allowedNetworks: ["10.0.0.0/8"],
  metrics: true,
};

const issuer = {
  name: "pickers",
  kind: "ClusterIssuer",
  group: "cert-manager.io",
  dnsNames: ["a.pickers.example"],
};

/** Like `exported`, with an issuer instead of a Secret for the certificate. */
const { certificateSecret: _secret, ...unsigned } = exported;
const issued = { ...unsigned, certificateIssuer: issuer };

const tokens = {
  jwt: {
    issuers: [
      {
        issuer: "https://issuer.example",
        audiences: ["llm"],
        jwksUrl: "https://issuer.example/keys",
      },
    ],
    tenantClaim: "team",
  },
};

/** A router whose clients are restricted. */
const restricted = (access: object) => ({
  name: "router",
  componentType: "router",
  access,
  gateway: { type: "envoy-gateway" },
  httproute: { parentRefs: [{ name: "gateway" }] },
});

const pickerConfig = `apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
  - type: queue-scorer
  - type: max-score-picker
schedulingProfiles:
  - name: default
    plugins:
      - pluginRef: queue-scorer
      - pluginRef: max-score-picker
`;

const webhook = (name: string) => ({
  name,
  type: "Webhook",
  webhook: {
    url: `https://plugins.example.com/${name}`,
    hooks: ["OnPodCreate"],
    failurePolicy: "Ignore",
    timeoutSeconds: 5,
    caBundle: "PEM",
  },
});

const template = {
  metadata: { labels: { team: "ml" }, annotations: { note: "a" } },
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        env: [{ name: "HF_HOME", value: "/models" }],
        ports: [{ name: "http", containerPort: 8000, protocol: "TCP" }],
        resources: {
          limits: { "nvidia.com/gpu": 8, memory: "64Gi" },
          requests: { "nvidia.com/gpu": 8, cpu: 4 },
        },
      },
    ],
    initContainers: [
      {
        name: "download",
        image: "registry.example.com/download:1",
        ports: [{ name: "progress", containerPort: 9000, protocol: "TCP" }],
        resources: { limits: { cpu: 1 }, requests: { memory: "1Gi" } },
      },
    ],
    schedulerName: "volcano",
    priorityClassName: "high",
    affinity: { nodeAffinity: {} },
    nodeSelector: { gpu: "h100" },
  },
};

const models = [
  {
    name: "chat",
    objective: {
      desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms",
      desiredTimeToFirstTokenAtP95OverMultipleRequests: "500ms",
    },
    targetModels: [{ name: "chat-v2", weight: 1 }],
  },
];
const rules = [
  {
    matches: [{ model: { type: "Exact", value: "gpt" } }],
    targets: [{ modelRewrite: "chat", weight: 1 }],
  },
];

const router = { name: "router", componentType: "router" };
const engine = { name: "inference", componentType: "worker", template };

export const webhookUrls = ["https://plugins.example.com/"];
const podPlugins = { ...builtInSupport, webhookUrls };

const poolFields = {
  targetPorts: [8000, 8001],
  gateway: { type: "generic" },
  networkPolicy,
  export: exported,
  failureMode: "FailOpen",
  appProtocol: "kubernetes.io/h2c",
};
const endpointPicker = {
  strategy: "queue-size",
  kvEvents: true,
  tenantHeader: "x-tenant",
  unparsedBodies: "allow",
  replicas: 2,
  ...programPods,
  metricsAuth: true,
  drainSeconds: 300,
  followResponses: true,
  objectiveWindowSeconds: 60,
  tracing: { endpoint: "http://collector:4317", sampleRatio: 0.5 },
};
const waiting = {
  fairness: {
    policy: "weighted",
    order: "fairness-first",
    byTenantHeader: "x-tenant",
    weights: { "chat/bots": 4 },
  },
  flowControl: {
    enabled: true,
    maxRequests: 100,
    maxBytes: "1Gi",
    requestTimeoutSeconds: 10,
    noServerTimeoutSeconds: 600,
    timeBetweenTokensMs: 40,
  },
};
const ofPools = (selector: object, more: object) => [
  { ...selector, ...poolFields, endpointPicker, ...more },
  {
    ...selector,
    endpointPicker: { endpointPickerConfig: pickerConfig, replicas: 2, ...otherBudget },
  },
  { ...selector, endpointPicker: { serviceRef: { name: "their-epp", port: 9102 } } },
  { ...selector, endpointPicker: { shared: { name: "shared", port: 10_001 } } },
  { ...selector, export: issued },
];

const routeFields = {
  parentRefs: [{ name: "gateway", namespace: "gateways", sectionName: "http" }],
  hostnames: ["llm.example.com"],
  matches: [{ path: { type: "PathPrefix", value: "/v1" } }],
  filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["cookie"] } }],
};

/**
 * Prefillers and decoders, for the arguments of decoders. The engine's port is set twice, so that either value may be
 * an Output.
 */
const served = {
  template: {
    spec: {
      containers: [
        {
          name: "engine",
          command: ["serve", "--port=8200"],
          args: ["--port=8200"],
          ports: [{ name: "http", containerPort: 8000 }],
          resources: { limits: { "nvidia.com/gpu": 1 } },
        },
      ],
    },
  },
};
const pair = [
  { name: "prefill", componentType: "prefiller", ...served },
  {
    name: "decode",
    componentType: "decoder",
    ...served,
    sidecar: true,
    sidecarImage: "sidecar:1",
    sidecarTracing: { endpoint: "http://collector:4317", sampleRatio: 0.5 },
  },
  router,
];

export const everyArgument: readonly EveryArgument[] = [
  {
    kind: "InferenceService",
    schema: InferenceServiceSpec,
    plan: (spec) =>
      planParsed(parseInferenceService({ metadata, spec }, podPlugins), { podPlugins }),
    specs: [
      {
        model: {
          name: "Qwen/Qwen3-8B",
          source: "huggingFace",
          revision: "main",
          token: { secret: "hf", key: "token" },
          cache: { claim: "models" },
          mebibytesPerSecond: 200,
          config: {
            architectures: ["Qwen3ForCausalLM"],
            model_type: "qwen3",
            hidden_size: 4096,
            intermediate_size: 12_288,
            num_hidden_layers: 36,
            num_attention_heads: 32,
            num_key_value_heads: 8,
            vocab_size: 151_936,
            max_position_embeddings: 40_960,
          },
        },
        accelerator: "h100-sxm",
        engine: typedEngine,
        roles: [{ name: "a", componentType: "worker" }],
      },
      {
        model: { name: "Qwen/Qwen3-8B" },
        roles: [
          {
            name: "b",
            componentType: "worker",
            accelerator: "h200-sxm",
            acceleratorResource: "nvidia.com/gpu",
            nodes: { any: true, tolerations: [{ key: "gpu" }] },
            engine: typedEngine,
            network,
            template: { spec: { containers: [{ name: "vllm" }] } },
          },
          {
            name: "c",
            componentType: "worker",
            accelerator: "h100-sxm",
            engine: onNodes,
            nodes: { selector: { pool: "gpu" } },
            template: { spec: { containers: [{ name: "vllm" }] } },
          },
        ],
      },
      {
        model: { name: "Qwen/Qwen3-8B", cache: { hostPath: "/var/models" } },
        engine: onNodes,
        accelerator: "h100-sxm",
        nodes: { any: false, selector: { pool: "gpu" }, tolerations: [{ key: "gpu" }] },
        acceleratorResource: "deviceclass.resource.kubernetes.io/gpu.nvidia.com",
        roles: [
          { name: "a", componentType: "worker" },
          restricted({ apiKeys: { secret: "keys" } }),
        ],
      },
      {
        model: { name: "Qwen/Qwen3-8B", source: "pvc", location: "models", path: "qwen" },
        accelerator: "h100-sxm",
        network,
        roles: [{ name: "a", componentType: "worker" }, restricted(tokens)],
      },
      {
        roles: [
          {
            ...engine,
            replicas: 3,
            minReplicas: 2,
            rollout: { maxUnavailable: 1, maxSurge: 0 },
            port: 8000,
            drainSeconds: 300,
            multinode: { nodeCount: 2, executor: "mp", distinctNodes: true },
            plugins: [
              {
                name: "shm",
                type: "BuiltIn",
                config: { sizeLimit: "8Gi" },
                scope: { target: "Entry" },
              },
              webhook("site"),
            ],
          },
          {
            ...router,
            strategy: "prefix-cache",
            kvEvents: true,
            tenantHeader: "x-tenant",
            unparsedBodies: "allow",
            replicas: 2,
            ...programPods,
            flowControl: waiting.flowControl,
            drainSeconds: 300,
            followResponses: true,
            objectiveWindowSeconds: 60,
            tracing: { endpoint: "http://collector:4317", sampleRatio: 0.5 },
            targetPort: 8000,
            targetPorts: [8000, 8001],
            failureMode: "FailOpen",
            metricsAuth: true,
            httproute: {
              parentRefs: [{ name: "gateway", namespace: "gateways" }],
              hostnames: ["llm.example.com"],
              rules: [{ matches: routeFields.matches, filters: routeFields.filters }],
            },
            gateway: { type: "generic" },
            export: exported,
          },
        ],
        workload: "perReplica",
        accelerators: [{ resource: "example.com/npu", perDevice: 2, ranksPerDevice: 4 }],
        schedulingStrategy: {
          schedulerName: "volcano",
          queue: "research",
          priorityClassName: "high",
          gang: { layout: "subGroup", networkTopology: { mode: "hard", highestTierAllowed: 1 } },
        },
        plugins: [
          {
            name: "nvidia-gpu-defaults",
            type: "BuiltIn",
            config: { gpuCount: 8 },
            scope: { roles: ["inference"], target: "All" },
          },
        ],
        networkPolicy,
        models,
        rewrites: rules,
        resilience: { recycle: { podsPerHour: 3 } },
      },
      {
        roles: [
          engine,
          { ...router, endpointPickerConfig: pickerConfig, replicas: 2, ...otherBudget },
        ],
        schedulingStrategy: { schedulerName: "volcano", priorityClassName: "high" },
        plugins: [webhook("site")],
      },
      {
        roles: pair,
        schedulingStrategy: { gang: { networkTopology: { highestTierName: "rack" } } },
      },
      {
        roles: [engine, router],
        workload: "perRole",
        rollout: {
          gate: { maxErrorPercent: 2, maxFirstTokenRatio: 1.5, minResponses: 100, waitSeconds: 60 },
          onFailure: "rollback",
        },
        autoscaling: {
          minUnits: 1,
          maxUnits: 8,
          targetUtilization: 70,
          scaleDownSeconds: 60,
          scaler: "hpa",
        },
      },
      {
        roles: [engine, router],
        workload: "perRole",
        autoscaling: { minUnits: 0, maxAccelerators: 1_024, scaler: "keda" },
      },
      { roles: [engine, { ...router, shared: { name: "shared", port: 10_001 } }] },
      { roles: [engine, { ...router, export: issued }] },
    ],
  },
  {
    kind: "ModelServing",
    schema: ModelServingSpec,
    plan: (spec) =>
      planModelServing(parseModelServing({ metadata, spec }, podPlugins), { podPlugins }),
    specs: [
      {
        schedulerName: "volcano",
        replicas: 2,
        plugins: [
          { name: "shm", type: "BuiltIn", config: {}, scope: { roles: ["serve"], target: "All" } },
          webhook("site"),
        ],
        recoveryPolicy: "RoleRecreate",
        rolloutStrategy: { type: "RoleRollingUpdate" },
        networkPolicy,
        template: {
          restartGracePeriodSeconds: 60,
          networkTopology: {
            groupPolicy: { mode: "soft", highestTierAllowed: 2 },
            rolePolicy: { mode: "hard", highestTierName: "rack" },
          },
          roles: [
            {
              maxUnavailable: "50%",
              partition: 1,
              name: "serve",
              replicas: 1,
              entryTemplate: template,
              workerReplicas: 1,
              workerTemplate: template,
            },
          ],
          gangPolicy: { minRoleReplicas: { serve: 1 } },
        },
      },
      {
        replicas: 3,
        rolloutStrategy: {
          type: "ServingGroupRollingUpdate",
          rollingUpdateConfiguration: { maxUnavailable: "100%", partition: 1 },
        },
        template: {
          networkTopology: {
            groupPolicy: { mode: "soft", highestTierName: "room" },
            rolePolicy: { mode: "hard", highestTierAllowed: 1 },
          },
          roles: [{ name: "serve", entryTemplate: template }],
        },
      },
    ],
  },
  of(
    llmServerPoolSpecKind,
    (pool) => planLLMServerPool(pool),
    ...ofPools(
      { modelServerSelector: { app: "vllm" } },
      {
        allowUnregisteredModels: true,
        allowedNamespaces: ["team-a", { namespace: "team-b", models: ["games-*"] }],
        reservedModels: ["meta-llama/*"],
        ...waiting,
      },
    ),
  ),
  of(
    inferencePoolSpecKind,
    (pool) => planPool(pool),
    ...ofPools({ selector: { app: "vllm" } }, {}),
  ),
  of(llmServiceSpecKind, planLLMService, {
    share: 5,
    models,
    poolRef: [
      {
        apiVersion: "inference.networking.k8s.io/v1",
        kind: "InferencePool",
        namespace: "other",
        name: "pool",
      },
    ],
  }),
  of(modelRewriteSpecKind, (rewrite) => planModelRewrite(rewrite, "llm-d.ai/v1alpha2"), {
    poolRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" },
    rules,
  }),
  of(objectiveSpecKind, planObjective, {
    poolRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" },
    priority: 1,
  }),
  of(
    inferenceRouteSpecKind,
    planInferenceRoute,
    {
      referenceGrants: true,
      gateway: { type: "envoy-gateway" },
      access: { apiKeys: { secret: "keys" } },
      parentRefs: routeFields.parentRefs,
      hostnames: routeFields.hostnames,
      rules: [
        {
          model: "chat",
          baseModel: "base",
          matches: routeFields.matches,
          filters: routeFields.filters,
          timeouts: { request: "30s" },
          pools: [{ name: "pool", namespace: "other", port: 8000, weight: 2 }],
        },
      ],
    },
    {
      gateway: { type: "agentgateway" },
      access: tokens,
      parentRefs: routeFields.parentRefs,
      rules: [{ pools: [{ name: "pool" }] }],
    },
  ),
  of(
    sharedEndpointPickerSpecKind,
    (picker) => planSharedEndpointPicker(picker),
    {
      ports: { first: 11_000, count: 3 },
      replicas: 3,
      gatewayType: "istio",
      metricsAuth: true,
      networkPolicy,
      ...programPods,
      drainSeconds: 300,
      followResponses: true,
      objectiveWindowSeconds: 60,
      tracing: { endpoint: "http://collector:4317", sampleRatio: 0.5 },
    },
    { ...otherBudget },
  ),
  of(
    modelRouterSpecKind,
    (router) => planModelRouter(router),
    {
      gateway: { name: "gateway", type: "istio" },
      replicas: 2,
      metricsAuth: true,
      networkPolicy,
      ...programPods,
    },
    { gateway: { name: "gateway" }, replicas: 2, ...otherBudget },
  ),
  of(
    serviceObjectivesSpecKind,
    planServiceObjectives,
    {
      of: { kind: "LLMServerPool", name: "llama" },
      objectives: {
        availability: 0.999,
        firstToken: { seconds: 0.6, share: 0.99 },
        perOutputToken: { seconds: 0.04, share: 0.95 },
      },
      windowDays: 30,
      alerts: {
        labels: { team: "games" },
        annotations: { dashboard: "https://grafana.example" },
        runbookUrl: "https://runbooks.example/inference",
        minReadyEndpoints: 0,
      },
      dashboards: false,
      monitors: false,
    },
    { of: { kind: "InferenceService", name: "chat" }, monitors: true },
  ),
  of(
    controllersSpecKind,
    (controllers) => planControllers(controllers),
    {
      replicas: 2,
      metricsAuth: true,
      recyclesPods: true,
      networkPolicy,
      metricsReaders: [{ name: "prometheus", namespace: "monitoring" }],
      debugReaders: [{ name: "on-call", namespace: "operations" }],
      ...programPods,
      podPlugins: {
        replicas: 2,
        ...webhookPods,
        webhookUrls,
        pluginModules: ["/plugins/site.mjs"],
        clientCaConfigMap: "api-server-ca",
        podCreators: ["system:serviceaccount:kube-system:statefulset-controller"],
      },
    },
    { replicas: 2, ...otherBudget, podPlugins: { ...otherBudget } },
  ),
  of(
    importedPoolSpecKind,
    (pool) => planImportedPool(pool),
    {
      createNamespace: true,
      gateway: { type: "generic", acceptsImports: true },
      weight: 10,
      picker: {
        selection: "active-passive",
        preference: "PreferLocal",
        spilloverQueueThreshold: 9,
        order: ["east"],
        localCluster: "west",
        tls: {
          caConfigMap: "ca",
          clientCertificateSecret: "client",
          hostname: "{cluster}.example",
          metrics: true,
        },
        plaintext: false,
        replicas: 2,
        metricsAuth: true,
        ...programPods,
        drainSeconds: 300,
      },
      networkPolicy,
      routeNamespace: "routes",
      ...routeFields,
    },
    {
      gateway: { type: "agentgateway" },
      local: { weight: 90 },
      parents: [
        {
          cluster: "east",
          host: "gw.east.example",
          port: 443,
          weight: 1,
          tls: { caConfigMap: "ca", hostname: "gw.east.example" },
        },
      ],
      parentRefs: routeFields.parentRefs,
    },
    {
      gateway: { type: "generic", acceptsImports: true },
      picker: { tls: { caConfigMap: "ca", clientCertificateIssuer: issuer } },
      parentRefs: routeFields.parentRefs,
    },
    {
      gateway: { type: "istio" },
      parents: [
        {
          cluster: "east",
          host: "gw.east.example",
          port: 443,
          tls: { caSecret: "ca", hostname: "gw.east.example" },
        },
      ],
      parentRefs: routeFields.parentRefs,
    },
    {
      gateway: { type: "agentgateway" },
      parentsAgent: {
        tls: { caConfigMap: "ca", hostname: "{cluster}.example" },
        probe: { path: "/v1/models", hostname: "chat.example" },
        ...programPods,
      },
      parentRefs: routeFields.parentRefs,
    },
    {
      gateway: { type: "istio" },
      parentsAgent: { tls: { caSecret: "ca", hostname: "gw.example" }, ...otherBudget },
      parentRefs: routeFields.parentRefs,
    },
    {
      gateway: { type: "llm-d-global-epp" },
      globalPicker: { replicas: 2, ...programPods },
      parentRefs: routeFields.parentRefs,
    },
    {
      gateway: { type: "llm-d-global-epp" },
      globalPicker: { replicas: 2, ...otherBudget },
      parentRefs: routeFields.parentRefs,
    },
    {
      picker: {
        replicas: 2,
        preference: "PreferNearest",
        weights: { east: 3, north: 0 },
        locality: { region: "eu", zone: "eu-1" },
        parentProbe: { path: "/v1/models", hostname: "chat.example" },
        ...otherBudget,
      },
      tls: { caConfigMap: "ca", hostname: "epp.example" },
      parentRefs: routeFields.parentRefs,
    },
  ),
  of(
    clusterSetSpecKind,
    (set) => planClusterSet(set),
    {
      members: [
        {
          name: "east",
          kubeconfigSecret: "east",
          key: "config",
          context: "admin",
          exports: [{ namespace: "ml-*", pools: ["llama-*"] }],
          maxExports: 10,
          networks: ["10.4.0.0/14"],
          maxEndpoints: 10,
          labels: { "topology.kubernetes.io/region": "eu" },
          uid: "a",
        },
      ],
      controllerName: "example.com/controller",
      importIntoExporters: true,
      staleAfter: "10m",
      importGracePeriod: "1m",
      memberLimits: {
        responseSize: "32MiB",
        eventSize: "1MiB",
        objectSize: "1MiB",
        pages: 10,
        listTimeout: "10s",
        pools: 10,
        routes: 10,
        gateways: 10,
        objects: 10,
      },
      replicas: 2,
      metricsAuth: true,
      networkPolicy,
      ...programPods,
    },
    { members: [{ name: "east", kubeconfigSecret: "east" }], replicas: 2, ...otherBudget },
  ),
  of(clusterSetMemberSpecKind, planClusterSetMember, { token: true }),
];
