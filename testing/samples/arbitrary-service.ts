import fc from "fast-check";
import type { InferenceServiceInput } from "../../sdk/index.ts";

/** Any valid service, as far as its topology, gang, executors and router are concerned. */

type Input = InferenceServiceInput;
type RoleInput = Input["spec"]["roles"][number];

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/).filter((name) => name !== "epp");
const gpus = fc.constantFrom("1", "2", "4", "8", 8);
const accelerator = fc.constantFrom(
  "nvidia.com/gpu",
  "amd.com/gpu",
  "google.com/tpu",
  "huawei.com/Ascend910",
);
const args = fc.array(fc.constantFrom("--model", "m", '{"a": "b c"}', "it's", "$(X)", "--x=y"), {
  maxLength: 4,
});

const container = fc
  .record({
    gpus,
    accelerator,
    args,
    cpu: fc.constantFrom(undefined, "500m", "4"),
    probe: fc.boolean(),
  })
  .map(({ gpus: count, accelerator: resource, args: given, cpu, probe }) => ({
    name: "engine",
    image: "engine:1",
    args: given,
    ports: [{ name: "http", containerPort: 8000 }],
    resources: {
      limits: { [resource]: count },
      ...(cpu === undefined ? {} : { requests: { cpu } }),
    },
    ...(probe ? { livenessProbe: { httpGet: { path: "/health", port: "http" } } } : {}),
  }));

const template = fc
  .record({ container, sidecar: fc.boolean(), labels: fc.constantFrom({}, { team: "ml" }) })
  .map(({ container: engine, sidecar, labels }) => ({
    metadata: { labels },
    spec: { containers: sidecar ? [{ name: "proxy", image: "proxy:1" }, engine] : [engine] },
  }));

const multinode = fc.record({
  nodeCount: fc.integer({ min: 1, max: 5 }),
  executor: fc.constantFrom("ray" as const, "mp" as const, "custom" as const),
  distinctNodes: fc.boolean(),
});

/** Both sides of a pair are vLLM with a configured transfer of blocks. */
const transferring = <T extends { spec: { containers: object[] } }>(written: T): T => ({
  ...written,
  spec: {
    ...written.spec,
    containers: written.spec.containers.map((each) =>
      "args" in each && Array.isArray(each.args)
        ? {
            ...each,
            image: "vllm:1",
            args: [
              ...each.args,
              "--kv-transfer-config.kv_connector",
              "NixlConnector",
              "--kv-transfer-config.kv_role",
              "kv_both",
            ],
          }
        : each,
    ),
  },
});

const roleOf = (componentType: "worker" | "prefiller" | "decoder", minimum = 0) =>
  fc
    .record({
      replicas: fc.integer({ min: minimum, max: 4 }),
      multinode: fc.option(multinode, { nil: undefined }),
      template,
      minimum: fc.boolean(),
    })
    .map(({ minimum: whole, ...role }) => ({
      componentType,
      ...role,
      template: componentType === "worker" ? role.template : transferring(role.template),
      ...(whole && role.replicas > 0 ? { minReplicas: role.replicas } : {}),
    }));

const monolithic = fc.array(roleOf("worker"), { minLength: 1, maxLength: 3 });
const disaggregated = fc
  .tuple(roleOf("prefiller", 1), roleOf("decoder", 1), fc.array(roleOf("worker"), { maxLength: 1 }))
  .map(([prefill, decode, workers]) => [prefill, decode, ...workers]);

const strategy = fc.record({
  queue: fc.constantFrom(undefined, "gpu"),
  priorityClassName: fc.constantFrom(undefined, "high"),
  layout: fc.constantFrom("subGroup" as const, "task" as const, "none" as const),
});

const exported = fc
  .record(
    {
      mode: fc.constantFrom("EndpointMode" as const, "ParentMode" as const),
      exportTo: fc.constantFrom("tier=prod", "!edge"),
      gkeFleet: fc.boolean(),
      serviceType: fc.constantFrom("ClusterIP" as const, "LoadBalancer" as const),
      serviceAnnotations: fc.constantFrom({}, { "example.com/internal": "true" }),
      certificateSecret: fc.constant("picker-certificate"),
      clientCaConfigMap: fc.constant("picker-clients"),
      allowedNetworks: fc.constantFrom([], ["10.0.0.0/8"]),
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({
    ...fields,
    // A load balancer is for those who are named.
    ...(fields.serviceType === "LoadBalancer" && { clientCaConfigMap: "picker-clients" }),
  }));

const anyRouter = {
  failureMode: fc.constantFrom("FailClose" as const, "FailOpen" as const),
  gateway: fc.constantFrom(undefined, {
    gatewayClassName: "envoy",
    listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
  }),
};

/** With a picker of its own, or with a port of one that pools share. */
const router = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      ...anyRouter,
      metricsAuth: fc.boolean(),
      export: fc.option(exported, { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...anyRouter,
      shared: fc.record({ name: word, port: fc.integer({ min: 10_000, max: 10_100 }) }),
    }),
  },
);

const weights = fc.constantFrom(
  [{ weight: 1 }, { weight: 2 }],
  [{}, {}],
  [{ weight: 0 }, { weight: 5 }],
);

/** Models and rewrites; a rewrite has no weight of 0. */
const served = fc.record({
  models: fc.option(
    fc
      .tuple(fc.uniqueArray(word, { minLength: 1, maxLength: 3 }), weights, fc.boolean())
      .map(([names, [a, b], critical]) =>
        names.map((name) => ({
          name,
          ...(critical ? { objective: {} } : {}),
          targetModels: [
            { name: `${name}-v1`, ...a },
            { name: `${name}-v2`, ...b },
          ],
        })),
      ),
    { nil: undefined },
  ),
  rewrites: fc.option(
    fc.tuple(word, fc.boolean()).map(([value, exact]) => [
      {
        ...(exact ? { matches: [{ model: { value } }] } : {}),
        targets: [{ modelRewrite: "target", weight: 1 }],
      },
    ]),
    { nil: undefined },
  ),
});

export const arbitraryService: fc.Arbitrary<Input> = fc
  .record({
    served,
    name: word,
    names: fc.uniqueArray(word, { minLength: 4, maxLength: 4 }),
    roles: fc.oneof(monolithic, disaggregated),
    workload: fc.constantFrom("auto" as const, "perReplica" as const, "perRole" as const),
    strategy,
    router: fc.option(router, { nil: undefined }),
  })
  .map(({ name, names, roles, workload, strategy: given, router: routed, served: own }) => {
    const { layout, queue, priorityClassName } = given;
    const task = layout === "task";
    const named = roles.map(({ minReplicas, ...role }, at) => ({
      name: names[at],
      ...role,
      // Layout task starts all replicas, so a minimum below them would contradict it.
      ...(minReplicas === undefined ? {} : { minReplicas }),
    })) as RoleInput[];
    return {
      metadata: { name },
      spec: {
        roles:
          routed === undefined
            ? named
            : [...named, { name: names[3], componentType: "router", ...routed } as RoleInput],
        ...(routed === undefined ? {} : own),
        workload: task && workload === "perRole" ? "auto" : workload,
        schedulingStrategy: {
          schedulerName: "volcano",
          queue,
          priorityClassName,
          gang: { layout },
        },
      },
    };
  });
