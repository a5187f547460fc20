import {
  decoder,
  output,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { multinode, type RefusedService, template } from "./refused-service.fixture.ts";

/** Services with refused roles, names, templates and Outputs, each with the path of its problem and one edit away from a valid service. */
export const refusedRoles: readonly RefusedService[] = [
  ["no roles", "roles", service([])],
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
