import { describe, expect, it } from "vitest";
import {
  decoder,
  output,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { formatPath, formatProblem } from "../errors.ts";
import { inferenceServiceRules } from "../rules/spec/index.ts";
import { parseInferenceService } from "./inference-service.ts";
import { problemsIn } from "./problems-in.fixture.ts";
import { annotated, multinode, scheduledBy, sglang, template } from "./refused-service.fixture.ts";
import { refusedServices } from "./refused-services.fixture.ts";

const refused = Object.values(refusedServices).flat();

const problemsOf = (input: unknown) => problemsIn(() => parseInferenceService(input));
const pathsOf = (input: unknown) => problemsOf(input).map(({ path }) => formatPath(path));

describe("a spec is refused with the path of the problem", () => {
  it.each(refused)("%s: %s", (_what, path, input) => {
    const problems = problemsOf(input);
    expect(problems.map((problem) => formatPath(problem.path))).toEqual([path]);
    const [problem] = problems;
    expect(problem?.given).not.toBe("");
    expect(problem?.allowed).not.toBe("");
    expect(problem?.fix).toMatch(/[.?]$/);
  });

  it("every rule refuses one of these specs", () => {
    const before = refused.map(([, , input]) => JSON.stringify(problemsOf(input)));
    const unused = inferenceServiceRules.filter((rule) => {
      const { check } = rule;
      const silenced = Object.assign(rule, { *check() {} });
      const after = refused.map(([, , input]) => JSON.stringify(problemsOf(input)));
      Object.assign(silenced, { check });
      return after.every((problems, at) => problems === before[at]);
    });
    expect(unused.map(({ id }) => id)).toEqual([]);
  });
});

const accepted: Array<[what: string, input: unknown]> = [
  [
    "a route that names the service's own pool",
    service([
      worker(),
      router({
        httproute: {
          parentRefs: [{ name: "g" }],
          rules: [{ backendRefs: [{ kind: "InferencePool", name: "svc-pool" }] }],
        },
      }),
    ]),
  ],
  ["a pair scaled to zero", service([prefiller({ replicas: 0 }), decoder({ replicas: 0 })])],
  ["SGLang over two nodes", service([worker({ multinode, template: sglang() })])],
  [
    "SGLang over two nodes in a way of its own",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "custom" },
        template: sglang("--dist-init-addr", "$(LWS_LEADER_ADDRESS):5000", "--nnodes", "2"),
      }),
    ]),
  ],
  [
    "a loopback engine behind a sidecar",
    service([
      worker({
        template: {
          spec: {
            containers: [
              ...sglang("--host", "localhost").spec.containers,
              { name: "proxy", image: "proxy:1" },
            ],
          },
        },
      }),
    ]),
  ],
  [
    "a pair with its transfer in a script, and one that is known later",
    service([
      prefiller({
        template: template({
          command: ["sh", "-c", 'exec vllm serve m --kv_transfer_config=\'{"kv_connector":"x"}\''],
          args: undefined,
        }),
      }),
      decoder({ template: template({ args: output() }) }),
    ]),
  ],
  [
    "a pair whose tensor-parallel sizes divide one another, and whose data-parallel sizes differ",
    service([
      prefiller({
        template: template({ args: ["--model", "m", "-tp", "4", "--data-parallel-size", "2"] }),
      }),
      decoder({ template: vllmTemplate(2, { args: ["--model", "m", "-tp", "2"] }) }),
      router(),
    ]),
  ],
  [
    "a pair of an engine that nobody knows",
    service([
      prefiller({ template: template({ image: "engine:1" }) }),
      decoder({ template: template({ image: "engine:1" }) }),
    ]),
  ],
  [
    "a pair of SGLang",
    service([
      prefiller({ template: sglang("--disaggregation-mode", "prefill") }),
      decoder({ template: sglang("--disaggregation-mode", "decode") }),
    ]),
  ],
  ["the longest single-node name", service([worker({ name: "r".repeat(48) })])],
  ["the longest multi-node name", service([worker({ name: "r".repeat(44), multinode })])],
  ["a repeated scheduler", service([worker({ multinode, template: scheduledBy("volcano") })])],
  [
    "a gang annotation outside a gang",
    service([worker({ template: annotated({ "volcano.sh/task-spec": "x" }) })]),
  ],
  [
    "port 6379 on one node",
    service([worker({ template: template({ ports: [{ containerPort: 6379 }] }) })]),
  ],
  [
    "port 6379 with mp",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "mp" },
        template: template({ ports: [{ containerPort: 6379 }] }),
      }),
    ]),
  ],
  [
    "Outputs in leaves",
    service([
      worker({
        template: template({
          image: output(),
          env: [{ name: "A", value: output() }],
          args: [output()],
          resources: { limits: { cpu: output(), memory: output(), "nvidia.com/gpu": 1 } },
        }),
      }),
    ]),
  ],
  [
    "an Output as multi-node argument",
    service([worker({ multinode, template: template({ args: ["--model", output()] }) })]),
  ],
  [
    "an Output as volumes",
    service([worker({ template: { spec: { ...vllmTemplate().spec, volumes: output() } } })]),
  ],
  ["an Output as router image", service([worker(), router({ image: output() })])],
  ["roles of one prefix", service([worker({ name: "a", multinode }), worker({ name: "a-b" })])],
  [
    "several ports with targetPort",
    service([
      worker({ template: template({ ports: [{ containerPort: 1 }, { containerPort: 2 }] }) }),
      router({ targetPort: 2 }),
    ]),
  ],
];

it.each(accepted)("parseInferenceService accepts %s", (_what, input) => {
  expect(pathsOf(input)).toEqual([]);
});

it("parseInferenceService reports all problems of all parts together", () => {
  const input = service(
    [worker({ name: "A", replicas: -1 }), prefiller(), router({ strategi: 1 })],
    { workload: "x" },
  );
  expect(pathsOf(input).sort()).toEqual(
    [
      "roles[0].name",
      "roles[0].replicas",
      "roles[1].componentType",
      "roles[2].strategi",
      "workload",
    ].sort(),
  );
});

it("parseInferenceService reports further problems of a role with an unknown type", () => {
  const input = service([worker({ componentType: "werker" as never, replicas: -2 })]);
  expect(pathsOf(input)).toEqual(["roles[0].componentType", "roles[0].replicas"]);
});

describe("a wrong shape does not hide broken rules", () => {
  const wrongs = {
    multinode: { nodeCount: 2 },
    template: {
      metadata: { labels: { "fusioninfer.io/x": "y" } },
      spec: {
        ...vllmTemplate(8, { ports: [{ containerPort: 6379 }] }).spec,
        schedulerName: "kube",
      },
    },
  };
  const hidden = [
    'roles[0].template.metadata.labels["fusioninfer.io/x"]',
    "roles[0].template.spec.containers[0].ports[0]",
    "roles[0].template.spec.schedulerName",
  ];
  it.each([
    ["fractional replicas", { replicas: 1.5 }, "roles[0].replicas"],
    ["replicas and their minimum", { replicas: -1, minReplicas: 3 }, "roles[0].replicas"],
    ["an unknown field", { replica: 2 }, "roles[0].replica"],
    ["an Output", { replicas: output() }, "roles[0].replicas"],
    ["an unknown type", { componentType: "werker" }, "roles[0].componentType"],
  ])("%s", (_what, fields, path) => {
    const input = service([worker({ ...wrongs, ...fields } as never)]);
    expect(pathsOf(input).sort()).toEqual([path, ...hidden].sort());
  });

  it("rules skip values that are only known later", () => {
    const template = vllmTemplate(8, { resources: { limits: output() } });
    expect(pathsOf(service([worker({ multinode: { nodeCount: 2 }, template })]))).toEqual([
      "roles[0].template.spec.containers[0].resources.limits",
    ]);
  });
});

it("parseInferenceService formats each problem as one line", () => {
  const [problem] = problemsOf(service([prefiller(), decoder({ replicas: 0 })]));
  expect(problem && formatProblem(problem)).toBe(
    "roles[1].replicas: is 0, but the prefillers have replicas; allowed: at least 1, or 0 for both prefillers and decoders. Set it to 1 or more, or set the replicas of the prefillers to 0 too.",
  );
  const [unknown] = problemsOf(service([worker({ replica: 2 } as never)]));
  expect(unknown?.fix).toBe("Did you mean replicas?");
});

it("parseInferenceService reports a misspelled required field once, with the correct name", () => {
  const { componentType, ...rest } = worker();
  const misspelled = service([{ ...rest, componentTyp: componentType } as never]);
  expect(problemsOf(misspelled).map(formatProblem)).toEqual([
    'roles[0].componentTyp: unknown field "componentTyp"; did you mean componentType?',
  ]);
  const { template: pods, ...others } = worker() as { template: object };
  const text = problemsOf(service([{ ...others, templat: pods } as never])).map(formatProblem);
  expect(text).toEqual(['roles[0].templat: unknown field "templat"; did you mean template?']);
});

it("parseInferenceService reports a number below two bounds once, with the stricter bound", () => {
  const text = problemsOf(service([worker({ minReplicas: -1 })])).map(formatProblem);
  expect(text).toEqual([
    "roles[0].minReplicas: is -1; allowed: a whole number of at least 1. Set minReplicas to 1 or more.",
  ]);
});

it.each([
  ["min_replicas", "minReplicas"],
  ["drain_seconds_of_pods", "drainSeconds"],
])("parseInferenceService suggests a field for %s", (given, field) => {
  const [problem] = problemsOf(service([worker({ [given]: 1 } as never)]));
  expect(problem?.fix).toBe(`Did you mean ${field}?`);
});

it("parseInferenceService accepts nulls, Outputs and any keys of maps in a template", () => {
  const { spec } = vllmTemplate(8, {
    env: [
      { name: "A", value: output() },
      { name: "B", value: null },
    ],
    volumeMounts: output(),
    startupProbe: null,
  });
  const template = {
    metadata: { labels: { team_of_models: "a" } },
    spec: {
      ...spec,
      nodeSelector: { gpu_pool: "yes" },
      overhead: { "example.com/my_device": "1" },
    },
  };
  expect(problemsOf(service([worker({ template })]))).toEqual([]);
});

it("parseInferenceService fills in the defaults", () => {
  const { metadata, spec } = parseInferenceService(
    service([worker({ multinode: { nodeCount: 2 } }), router()]),
  );
  expect(metadata).toEqual({ name: "svc", namespace: "default", labels: {}, annotations: {} });
  expect(spec.workload).toBe("auto");
  expect(spec.schedulingStrategy).toEqual({ gang: { layout: "subGroup" } });
  expect(spec.roles[0]).toMatchObject({
    replicas: 1,
    multinode: { executor: "ray", distinctNodes: false },
  });
  expect(spec.roles[1]).toMatchObject({
    replicas: 1,
    failureMode: "FailClose",
    metricsAuth: true,
  });
});
