import {
  decoder,
  output,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";

export const multinode = { nodeCount: 4 };
const gang = (layout: string) => ({ schedulingStrategy: { gang: { layout } } });
export const template = (fields: object) => vllmTemplate(8, fields);
export const annotated = (annotations: object) =>
  ({ ...vllmTemplate(), metadata: { annotations } }) as never;
export const scheduledBy = (schedulerName: string) => {
  const { spec } = vllmTemplate();
  return { spec: { schedulerName, ...spec } };
};

/** SGLang, reachable from other pods unless `more` changes its host. */
export const sglang = (...more: string[]) =>
  vllmTemplate(8, {
    image: "lmsysorg/sglang:v0.5.5",
    command: ["python3", "-m", "sglang.launch_server"],
    args: ["--model-path", "m", ...(more.includes("--host") ? [] : ["--host", "0.0.0.0"]), ...more],
  });

/** An engine with `count` data-parallel ranks. */
const ranks = (count: number) => ({
  template: template({ args: ["--model", "m", "--data-parallel-size", String(count)] }),
});

/** An engine over `size` devices of a pod. */
const tensor = (size: number) => ({
  template: vllmTemplate(size, { args: ["--model", "m", "--tensor-parallel-size", String(size)] }),
});

/** A service whose router shares a picker. */
const shared = (more: object) =>
  service([worker(), router({ shared: { name: "shared", port: 10_000 }, ...more })]);

const keys = { apiKeys: { secret: "keys" } };
const tokens = {
  jwt: { issuers: [{ issuer: "i", audiences: ["llm"], jwksUrl: "https://issuer.example/keys" }] },
};

/** A service whose clients are restricted by a gateway of a type. */
const restricted = (type: string, access: object, more: object = {}) =>
  service([worker(), router({ gateway: { type }, access, ...more })]);

/** Refused services, each with the path of its problem and one edit away from a valid service. */
export const refusedServices: Array<[what: string, path: string, input: unknown]> = [
  ["no roles", "roles", service([])],
  ["access without credentials", "roles[1].access", restricted("envoy-gateway", {})],
  [
    "access by two credentials",
    "roles[1].access",
    restricted("envoy-gateway", { ...keys, ...tokens }),
  ],
  [
    "access without a route",
    "roles[1].access",
    restricted("envoy-gateway", keys, { httproute: undefined }),
  ],
  ["access by a gateway without a policy", "roles[1].access.apiKeys", restricted("gke", keys)],
  [
    "API keys on a gateway for tokens",
    "roles[1].access.apiKeys",
    restricted("istio", keys, {
      gateway: {
        gatewayClassName: "istio",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    }),
  ],
  ["tokens on a shared Gateway of Istio", "roles[1].access", restricted("istio", tokens)],
  [
    "tokens with keys at a path without a scheme",
    "roles[1].access.jwt.issuers[0].jwksUrl",
    restricted("envoy-gateway", {
      jwt: { issuers: [{ issuer: "i", audiences: ["llm"], jwksUrl: "keys" }] },
    }),
  ],
  [
    "a template that selects another accelerator",
    "roles[0].template.spec",
    service(
      [
        worker({
          template: {
            spec: {
              ...vllmTemplate().spec,
              nodeSelector: { "nvidia.com/gpu.product": "Tesla-T4" },
            },
          },
        }),
      ],
      { accelerator: "l40s" },
    ),
  ],
  [
    "a mount without its path",
    "roles[0].template.spec.containers[0].volumeMounts[0].mountPath",
    service([worker({ template: template({ volumeMounts: [{ name: "models" }] }) })]),
  ],
  [
    "a variable with a number",
    "roles[0].template.spec.containers[0].env[0].value",
    service([worker({ template: template({ env: [{ name: "A", value: 5 }] }) })]),
  ],
  [
    "a probe in snake case",
    "roles[0].template.spec.containers[0].readinessProbe.http_get",
    service([worker({ template: template({ readinessProbe: { http_get: { port: 8000 } } }) })]),
  ],
  [
    "a listener in snake case",
    "roles[1].gateway.listeners[0].allowed_routes",
    service([
      worker(),
      router({
        gateway: {
          gatewayClassName: "eg",
          listeners: [{ name: "http", port: 80, protocol: "HTTP", allowed_routes: {} }],
        } as never,
      }),
    ]),
  ],
  ["roles missing", "roles", { metadata: { name: "svc" }, spec: {} }],
  ["spec missing", "", { metadata: { name: "svc" } }],
  ["name missing", "metadata.name", { metadata: {}, spec: service([worker()]).spec }],
  ["unknown field", "workloads", service([worker()], { workloads: "auto" })],
  ["unknown role field", "roles[0].replica", service([worker({ replica: 2 } as never)])],
  [
    "unknown component type",
    "roles[0].componentType",
    service([worker({ componentType: "werker" as never })]),
  ],
  ["two roles of one name", "roles[1].name", service([worker(), worker()])],
  ["role name with capitals", "roles[0].name", service([worker({ name: "Inference" })])],
  ["role name with dots", "roles[0].name", service([worker({ name: "a.b" })])],
  ["service name with a leading digit", "metadata.name", service([worker()], {}, "7b-chat")],
  ["service name with a dot", "metadata.name", service([worker()], {}, "qwen.2")],
  [
    "namespace with capitals",
    "metadata.namespace",
    { metadata: { name: "svc", namespace: "A" }, spec: service([worker()]).spec },
  ],
  ["single-node name over 52", "roles[0].name", service([worker({ name: "r".repeat(49) })])],
  [
    "multi-node name over 50",
    "roles[0].name",
    service([worker({ name: "r".repeat(45), multinode })]),
  ],
  [
    "multi-node name over 49 with 10 groups",
    "roles[0].name",
    service([worker({ name: "r".repeat(46), multinode, replicas: 11 })], { workload: "perRole" }),
  ],
  [
    "a name too long for a pair scaled to zero",
    "roles[0].name",
    service([
      prefiller({ replicas: 0, name: "r".repeat(45), multinode }),
      decoder({ replicas: 0 }),
    ]),
  ],
  [
    "roles whose objects meet",
    "roles[1].name",
    service([worker({ name: "a", multinode }), worker({ name: "a-0" })]),
  ],
  ["role epp with a router", "roles[0].name", service([worker({ name: "epp" }), router()])],
  [
    "a router's port twice",
    "roles[1].targetPorts[1]",
    service([worker(), router({ targetPorts: [8000, 8000] })]),
  ],
  [
    "a router's port that is not the first",
    "roles[1].targetPort",
    service([worker(), router({ targetPort: 8001, targetPorts: [8000, 8001] })]),
  ],
  [
    "several ports in front of a decode sidecar",
    "roles[2].targetPorts",
    service([prefiller(), decoder(), router({ targetPorts: [8000, 8001] })]),
  ],
  [
    "nine ports of a router",
    "roles[1].targetPorts",
    service([worker(), router({ targetPorts: [1, 2, 3, 4, 5, 6, 7, 8, 9] })]),
  ],
  ["two routers", "roles[2].componentType", service([worker(), router(), router({ name: "r2" })])],
  ["only a router", "roles", service([router()])],
  ["a shared picker with pods of its own", "roles[1].replicas", shared({ replicas: 2 })],
  ["a shared picker with open pages", "roles[1].metricsAuth", shared({ metricsAuth: false })],
  ["a shared picker with resources", "roles[1].resources", shared({ resources: {} })],
  ["an exported service with a shared picker", "roles[1].export", shared({ export: {} })],
  ["a shared picker without a port", "roles[1].shared.port", shared({ shared: { name: "s" } })],
  [
    "traces without a receiver's URL",
    "roles[1].tracing.endpoint",
    service([worker(), router({ tracing: { endpoint: "collector:4317", sampleRatio: 1 } })]),
  ],
  ["negative replicas", "roles[0].replicas", service([worker({ replicas: -1 })])],
  ["fractional replicas", "roles[0].replicas", service([worker({ replicas: 1.5 })])],
  ["replicas as text", "roles[0].replicas", service([worker({ replicas: "2" as never })])],
  [
    "nodeCount 0",
    "roles[0].multinode.nodeCount",
    service([worker({ multinode: { nodeCount: 0 } })]),
  ],
  [
    "fractional nodeCount",
    "roles[0].multinode.nodeCount",
    service([worker({ multinode: { nodeCount: 2.5 } })]),
  ],
  [
    "nodeCount missing",
    "roles[0].multinode.nodeCount",
    service([worker({ multinode: {} as never })]),
  ],
  [
    "more pods than 32 bits",
    "roles[0].replicas",
    service([worker({ replicas: 1_000_000, multinode: { nodeCount: 3000 } })], {
      workload: "perRole",
    }),
  ],
  [
    "minReplicas above replicas",
    "roles[0].minReplicas",
    service([worker({ replicas: 2, minReplicas: 3 })]),
  ],
  ["no prefillers left", "roles[0].replicas", service([prefiller({ replicas: 0 }), decoder()])],
  ["no decoders left", "roles[1].replicas", service([prefiller(), decoder({ replicas: 0 })])],
  ["prefiller alone", "roles[0].componentType", service([prefiller()])],
  ["decoder alone", "roles[0].componentType", service([decoder()])],
  ["template missing", "roles[0].template", service([worker({ template: undefined as never })])],
  [
    "no containers",
    "roles[0].template.spec.containers",
    service([worker({ template: { spec: { containers: [] } } })]),
  ],
  [
    "containers missing",
    "roles[0].template.spec.containers",
    service([worker({ template: { spec: {} as never } })]),
  ],
  [
    "multi-node without GPU",
    "roles[0].template.spec.containers",
    service([worker({ multinode, template: template({ resources: {} }) })]),
  ],
  [
    "fractional GPU",
    'roles[0].template.spec.containers[0].resources.limits["nvidia.com/gpu"]',
    service([
      worker({ template: template({ resources: { limits: { "nvidia.com/gpu": "0.5" } } }) }),
    ]),
  ],
  [
    "GPU request without limit",
    'roles[0].template.spec.containers[0].resources.limits["nvidia.com/gpu"]',
    service([worker({ template: template({ resources: { requests: { "nvidia.com/gpu": 1 } } }) })]),
  ],
  [
    "prefill/decode with another strategy",
    "roles[2].strategy",
    service([prefiller(), decoder(), router({ strategy: "prefix-cache" })]),
  ],
  [
    "pd-disaggregation without prefill/decode",
    "roles[1].strategy",
    service([worker(), router({ strategy: "pd-disaggregation" })]),
  ],
  [
    "a decoder whose engine a shell starts, behind a router",
    "roles[1].template.spec.containers[0].args",
    service([
      prefiller(),
      decoder({
        template: template({
          command: ["sh", "-c"],
          args: ["vllm serve m --kv-transfer-config '{}'"],
        }),
      }),
      router(),
    ]),
  ],
  [
    "strategy and configuration",
    "roles[1].strategy",
    service([
      worker(),
      router({
        strategy: "queue-size",
        endpointPickerConfig: "{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig}",
      }),
    ]),
  ],
  [
    "a picker's configuration that is not YAML",
    "roles[1].endpointPickerConfig",
    service([worker(), router({ endpointPickerConfig: "a: [" })]),
  ],
  [
    "backends of the user",
    "roles[1].httproute.rules[0].backendRefs",
    service([
      worker(),
      router({
        httproute: { parentRefs: [{ name: "g" }], rules: [{ backendRefs: [{ name: "other" }] }] },
      }),
    ]),
  ],
  [
    "route without parent",
    "roles[1].httproute.parentRefs",
    service([worker(), router({ httproute: {} })]),
  ],
  [
    "several ports of an unknown engine, none named",
    "roles[0].port",
    service([
      worker({
        template: template({
          image: "engine:1",
          ports: [{ containerPort: 1 }, { containerPort: 2 }],
        }),
      }),
      router(),
    ]),
  ],
  [
    "a script file, whose port is not known",
    "roles[0].port",
    service([
      worker({ template: template({ command: ["bash", "/start.sh"], ports: undefined }) }),
      router(),
    ]),
  ],
  [
    "a port that only a Secret contains",
    "roles[0].port",
    service([
      worker({
        template: template({
          command: ["sh", "-c", "vllm serve m --port $PORT"],
          env: [{ name: "PORT", valueFrom: { secretKeyRef: { name: "s", key: "port" } } }],
          ports: undefined,
        }),
      }),
      router(),
    ]),
  ],
  [
    "a group of vLLM whose image has no version",
    "roles[0].multinode.executor",
    service([
      worker({ multinode, template: template({ image: "vllm/vllm-openai:latest" }) }),
      router(),
    ]),
  ],
  [
    "a group of an unknown engine",
    "roles[0].multinode.executor",
    service([worker({ multinode, template: template({ image: "engine:1" }) }), router()]),
  ],
  [
    "a group of TensorRT-LLM that names no executor",
    "roles[0].multinode.executor",
    service([
      worker({
        multinode,
        template: template({
          command: ["trtllm-serve", "m", "--host", "0.0.0.0"],
          args: undefined,
        }),
      }),
    ]),
  ],
  [
    "a group whose ranks are balanced outside",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({
        multinode,
        template: template({
          image: "vllm/vllm-openai:v0.30.0",
          args: ["--model", "m", "--data-parallel-size", "2", "--data-parallel-hybrid-lb"],
        }),
      }),
    ]),
  ],
  [
    "an engine with TLS behind a gateway that speaks HTTP",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({ template: template({ args: ["--model", "m", "--ssl-keyfile", "/tls/key"] }) }),
      router({ gateway: { type: "ngf" } }),
    ]),
  ],
  [
    "a gateway of a class that routes to no pools",
    "roles[1].gateway.gatewayClassName",
    service([
      worker(),
      router({
        gateway: {
          gatewayClassName: "kgateway",
          listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
        },
      }),
    ]),
  ],
  [
    "Ray in an image of vLLM without Ray",
    "roles[0].multinode.executor",
    service([
      worker({
        multinode: { ...multinode, executor: "ray" },
        template: template({ image: "vllm/vllm-openai:v0.20.0" }),
      }),
    ]),
  ],
  [
    "two serving ports behind one pool",
    "roles[1].template.spec.containers[0].ports",
    service([
      worker(),
      worker({ name: "b", template: template({ ports: [{ containerPort: 9000 }] }) }),
      router(),
    ]),
  ],
  [
    "scheduler of the template against the strategy",
    "roles[0].template.spec.schedulerName",
    service([worker({ template: scheduledBy("kube") })], {
      schedulingStrategy: { schedulerName: "volcano" },
    }),
  ],
  [
    "scheduler of the template against the gang",
    "roles[0].template.spec.schedulerName",
    service([worker({ multinode, template: scheduledBy("kube") })]),
  ],
  [
    "default scheduler in a gang",
    "schedulingStrategy.schedulerName",
    service([worker({ multinode })], {
      schedulingStrategy: { schedulerName: "default-scheduler" },
    }),
  ],
  [
    "rollout without a step",
    "roles[0].rollout.maxUnavailable",
    service([worker({ rollout: { maxUnavailable: 0 } })]),
  ],
  [
    "rollout that adds replicas to a LeaderWorkerSet per replica",
    "roles[0].rollout.maxSurge",
    service([worker({ multinode, rollout: { maxSurge: 1 } })]),
  ],
  [
    "a rollout gate without a router",
    "rollout.gate",
    service([worker()], { rollout: { gate: {} } }),
  ],
  [
    "a rollout gate with a shared picker",
    "roles[1].shared",
    service([worker(), router({ shared: { name: "pickers", port: 9100 } })], {
      rollout: { gate: {} },
    }),
  ],
  [
    "a rollout gate without followed responses",
    "roles[1].followResponses",
    service([worker(), router({ followResponses: false })], { rollout: { gate: {} } }),
  ],
  [
    "autoscaling without a router",
    "autoscaling",
    service([worker()], { autoscaling: { maxUnits: 2 } }),
  ],
  [
    "autoscaling with a shared picker",
    "roles[1].shared",
    service([worker(), router({ shared: { name: "team", port: 9002 } })], {
      autoscaling: { maxUnits: 2 },
    }),
  ],
  [
    "autoscaling without flow control",
    "roles[1].flowControl.enabled",
    service([worker(), router({ flowControl: { enabled: false } })], {
      autoscaling: { maxUnits: 2 },
    }),
  ],
  [
    "autoscaling of a LeaderWorkerSet per replica",
    "workload",
    service([worker({ multinode }), router()], { autoscaling: { maxUnits: 2 } }),
  ],
  [
    "autoscaling without a limit",
    "autoscaling.maxUnits",
    service([worker(), router()], { autoscaling: {} }),
  ],
  [
    "autoscaling with two limits",
    "autoscaling.maxUnits",
    service([worker(), router()], { autoscaling: { maxUnits: 2, maxAccelerators: 16 } }),
  ],
  [
    "autoscaling with a budget below one unit",
    "autoscaling.maxAccelerators",
    service([prefiller(), decoder({ replicas: 2 }), router()], {
      workload: "perRole",
      autoscaling: { maxAccelerators: 16 },
    }),
  ],
  [
    "autoscaling with a minimum above its maximum",
    "autoscaling.maxUnits",
    service([worker(), router()], { autoscaling: { minUnits: 3, maxUnits: 2 } }),
  ],
  [
    "autoscaling below the minimum of a gang",
    "roles[0].minReplicas",
    service([worker({ multinode, replicas: 3, minReplicas: 2 }), router()], {
      workload: "perRole",
      autoscaling: { maxUnits: 4 },
    }),
  ],
  [
    "autoscaling to zero by a HorizontalPodAutoscaler",
    "autoscaling.minUnits",
    service([worker(), router()], { autoscaling: { minUnits: 0, maxUnits: 4, scaler: "hpa" } }),
  ],
  [
    "queue without Volcano",
    "schedulingStrategy.queue",
    service([worker()], { schedulingStrategy: { queue: "q" } }),
  ],
  [
    "network topology without a gang",
    "schedulingStrategy.gang.networkTopology",
    service([worker()], { schedulingStrategy: { gang: { networkTopology: {} } } }),
  ],
  [
    "network topology of gang layout task",
    "schedulingStrategy.gang.networkTopology",
    service([worker({ multinode })], {
      schedulingStrategy: { gang: { layout: "task", networkTopology: {} } },
    }),
  ],
  [
    "network topology with two tiers",
    "schedulingStrategy.gang.networkTopology.highestTierName",
    service([worker({ multinode })], {
      schedulingStrategy: {
        gang: { networkTopology: { highestTierAllowed: 1, highestTierName: "rack" } },
      },
    }),
  ],
  [
    "priority on one role of a gang",
    "roles[0].template.spec.priorityClassName",
    service([
      worker({
        multinode,
        template: { spec: { ...vllmTemplate().spec, priorityClassName: "high" } },
      }),
    ]),
  ],
  [
    "a gateway that is neither a kind nor whole",
    "roles[1].gateway",
    service([worker(), router({ gateway: { gatewayClassName: "istio" } })]),
  ],
  [
    "reserved label of the design",
    'roles[0].template.metadata.labels["fusioninfer.io/service"]',
    service([
      worker({
        template: { ...vllmTemplate(), metadata: { labels: { "fusioninfer.io/service": "x" } } },
      }),
    ]),
  ],
  [
    "reserved label of the controller",
    'roles[0].template.metadata.labels["leaderworkerset.sigs.k8s.io/name"]',
    service([
      worker({
        template: {
          ...vllmTemplate(),
          metadata: { labels: { "leaderworkerset.sigs.k8s.io/name": "x" } },
        },
      }),
    ]),
  ],
  [
    "reserved label on the service",
    'metadata.labels["fusioninfer.io/revision"]',
    {
      metadata: { name: "svc", labels: { "fusioninfer.io/revision": "1" } },
      spec: service([worker()]).spec,
    },
  ],
  [
    "gang annotation in a gang",
    'roles[0].template.metadata.annotations["volcano.sh/task-spec"]',
    service([worker({ multinode, template: annotated({ "volcano.sh/task-spec": "x" }) })]),
  ],
  [
    "exclusive topology in a gang",
    'roles[0].template.metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]',
    service([
      worker({
        multinode,
        template: annotated({ "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" }),
      }),
    ]),
  ],
  [
    "port 6379 taken",
    "roles[0].template.spec.containers[0].ports[0]",
    service([worker({ multinode, template: template({ ports: [{ containerPort: 6379 }] }) })]),
  ],
  [
    "port name ray-head taken",
    "roles[0].template.spec.containers[0].ports[0]",
    service([
      worker({
        multinode,
        template: template({ ports: [{ name: "ray-head", containerPort: 80 }] }),
      }),
    ]),
  ],
  [
    "port 29500 taken with mp",
    "roles[0].template.spec.containers[0].ports[0]",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "mp" },
        template: template({ ports: [{ containerPort: 29500 }] }),
      }),
    ]),
  ],
  [
    "shell script in a multi-node role",
    "roles[0].template.spec.containers[0].command",
    service([
      worker({ multinode, template: template({ command: ["/bin/bash", "-c", "vllm serve m"] }) }),
    ]),
  ],
  [
    "another backend than the executor",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({ multinode, template: template({ args: ["--distributed_executor_backend=mp"] }) }),
    ]),
  ],
  [
    "group flag with mp",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "mp" },
        template: template({ args: ["--node-rank", "0"] }),
      }),
    ]),
  ],
  [
    "SGLang under Ray",
    "roles[0].multinode.executor",
    service([worker({ multinode: { nodeCount: 2, executor: "ray" }, template: sglang() })]),
  ],
  [
    "vLLM under SGLang's executor",
    "roles[0].multinode.executor",
    service([worker({ multinode: { nodeCount: 2, executor: "sglang" } })]),
  ],
  [
    "group flag with SGLang",
    "roles[0].template.spec.containers[0].args",
    service([worker({ multinode, template: sglang("--dist-init-addr=leader:20000") })]),
  ],
  [
    "SGLang that listens on loopback",
    "roles[0].template.spec.containers[0].args",
    service([worker({ template: sglang("--host", "127.0.0.1") })]),
  ],
  [
    "SGLang's own default of --host",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({ template: template({ command: ["sglang", "serve"], args: ["--model-path", "m"] }) }),
    ]),
  ],
  [
    "readiness on Ray's port",
    "roles[0].template.spec.containers[0].readinessProbe",
    service([
      worker({
        multinode,
        template: template({ readinessProbe: { tcpSocket: { port: "ray-head" } } }),
      }),
    ]),
  ],
  [
    "liveness on the port of a script's own Ray",
    "roles[0].template.spec.containers[0].livenessProbe",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "custom" },
        template: template({
          command: ["sh", "-c", "ray start --head --port=6380 && vllm serve m"],
          livenessProbe: { tcpSocket: { port: 6380 } },
        }),
      }),
    ]),
  ],
  [
    "prefillers without a transfer",
    "roles[0].template.spec.containers[0].args",
    service([prefiller({ template: vllmTemplate() }), decoder()]),
  ],
  [
    "an image that Ray starts as vLLM, without a transfer",
    "roles[0].template.spec.containers[0].args",
    service([
      prefiller({
        multinode: { ...multinode, executor: "ray" },
        template: template({ image: "engine:1" }),
      }),
      decoder(),
    ]),
  ],
  [
    "decoders without a transfer, in a script",
    "roles[1].template.spec.containers[0].command",
    service([
      prefiller(),
      decoder({ template: template({ command: ["sh", "-c", "vllm serve m"], args: undefined }) }),
    ]),
  ],
  [
    "SGLang's prefillers in decode mode",
    "roles[0].template.spec.containers[0].args",
    service([
      prefiller({ template: sglang("--disaggregation-mode", "decode") }),
      decoder({ template: sglang("--disaggregation-mode", "decode") }),
    ]),
  ],
  [
    "task layout with one workload per role",
    "workload",
    service([worker({ multinode })], { workload: "perRole", ...gang("task") }),
  ],
  [
    "task layout with a minimum",
    "roles[0].minReplicas",
    service([worker({ multinode, replicas: 2, minReplicas: 1 })], gang("task")),
  ],
  ["unknown gang layout", "schedulingStrategy.gang.layout", service([worker()], gang("pairs"))],
  [
    "a variable twice",
    "roles[0].template.spec.containers[0].env[1]",
    service([
      worker({
        template: template({
          env: [
            { name: "A", value: "1" },
            { name: "A", value: output() },
            { name: output() },
            { name: output() },
          ],
        }),
      }),
    ]),
  ],
  [
    "tensor-parallel sizes of a pair that do not divide one another",
    "roles[1].template.spec.containers[0].args",
    service([prefiller(tensor(4)), decoder(tensor(6)), router()]),
  ],
  [
    "a picker with less memory than attacks on it take",
    "roles[1].resources.limits.memory",
    service([worker(), router({ resources: { limits: { memory: "64Mi" } } })]),
  ],
  [
    "KV events of an engine that is not vLLM",
    "roles[0].template.spec.containers[0].args",
    service([worker({ template: sglang() }), router({ kvEvents: true })]),
  ],
  [
    "KV events of ranks that are not as many in each role",
    "roles[1].template.spec.containers[0].args",
    service([worker(), worker({ name: "b", ...ranks(2) }), router({ kvEvents: true })]),
  ],
  [
    "KV events of ranks in several pods",
    "roles[0].template.spec.containers[0].args",
    service([worker({ multinode, ...ranks(32) }), router({ kvEvents: true })]),
  ],
  [
    "a port twice",
    "roles[0].template.spec.containers[0].ports[1]",
    service([
      worker({
        template: template({
          ports: [
            { containerPort: 80 },
            { containerPort: 80, protocol: "TCP" },
            { containerPort: 80, protocol: "UDP" },
          ],
        }),
      }),
    ]),
  ],
  [
    "Output as namespace",
    "metadata.namespace",
    { metadata: { name: "svc", namespace: output() }, spec: service([worker()]).spec },
  ],
  ["Output as metadata", "metadata", { metadata: output(), spec: service([worker()]).spec }],
  ["Output as replicas", "roles[0].replicas", service([worker({ replicas: output() })])],
  ["Output as role name", "roles[0].name", service([worker({ name: output() })])],
  ["Output as roles", "roles", { metadata: { name: "svc" }, spec: { roles: output() } }],
  ["Output as template", "roles[0].template", service([worker({ template: output() })])],
  [
    "Output as containers",
    "roles[0].template.spec.containers",
    service([worker({ template: { spec: { containers: output() } } })]),
  ],
  [
    "Output as GPU count",
    'roles[0].template.spec.containers[0].resources.limits["nvidia.com/gpu"]',
    service([
      worker({ template: template({ resources: { limits: { "nvidia.com/gpu": output() } } }) }),
    ]),
  ],
  [
    "Output as limits",
    "roles[0].template.spec.containers[0].resources.limits",
    service([worker({ template: template({ resources: { limits: output() } }) })]),
  ],
  [
    "Output as port",
    "roles[0].template.spec.containers[0].ports[0].containerPort",
    service([worker({ template: template({ ports: [{ containerPort: output() }] }) })]),
  ],
  [
    "Output as scheduling strategy",
    "schedulingStrategy",
    service([worker()], { schedulingStrategy: output() }),
  ],
];
