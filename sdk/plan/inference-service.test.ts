import { describe, expect, it } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import {
  decoder,
  output,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { annotation } from "../names.ts";
import { apiMatches } from "../routing/api-paths.ts";
import type { InferenceServiceInput } from "../spec/inference-service.ts";
import { planInferenceService } from "./inference-service.ts";
import { ofKind, type PodTemplate, pickerConfigIn, workloads } from "./planned.fixture.ts";

const specOf = (plan: Manifest[], kind: string) =>
  ofKind(plan, kind)[0]?.spec as Record<string, never>;
const namesOf = (plan: Manifest[]) => plan.map(({ metadata }) => metadata.name);
const multinode = { nodeCount: 2 };
const gang = (layout: string, fields: object = {}) => ({
  schedulingStrategy: { gang: { layout }, ...fields },
});
const templates = (plan: Manifest[]) =>
  Object.fromEntries(
    workloads(plan).map(({ metadata, spec }) => {
      const { leaderTemplate, workerTemplate } = spec.leaderWorkerTemplate;
      return [metadata.name, { leaderTemplate, workerTemplate }];
    }),
  );

/** Returns the names of objects that are only in one of two plans, or that differ. */
function changed(before: Manifest[], after: Manifest[]): string[] {
  const text = (plan: Manifest[]) =>
    new Map(plan.map((each) => [`${each.kind}/${each.metadata.name}`, JSON.stringify(each)]));
  const [old, now] = [text(before), text(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => old.get(key) !== now.get(key),
  );
}

describe("names of LeaderWorkerSets", () => {
  const cases: Array<[what: string, input: InferenceServiceInput, names: string[]]> = [
    ["a single-node role", service([worker({ replicas: 3 })]), ["svc-inference"]],
    [
      "a multi-node role",
      service([worker({ replicas: 2, multinode })]),
      ["svc-inference-0", "svc-inference-1"],
    ],
    [
      "nodeCount 1, the same as none",
      service([worker({ multinode: { nodeCount: 1 } })]),
      ["svc-inference"],
    ],
    [
      "prefillers and decoders",
      service([prefiller(), decoder({ replicas: 2 })]),
      ["svc-prefill-0", "svc-decode-0", "svc-decode-1"],
    ],
    [
      "a single-node worker with prefillers and decoders",
      service([prefiller(), decoder(), worker({ replicas: 2 })]),
      ["svc-prefill-0", "svc-decode-0", "svc-inference"],
    ],
    [
      "perRole",
      service([worker({ replicas: 2, multinode })], { workload: "perRole" }),
      ["svc-inference"],
    ],
    [
      "perReplica",
      service([worker({ replicas: 2 })], { workload: "perReplica" }),
      ["svc-inference-0", "svc-inference-1"],
    ],
    [
      "prefillers and decoders without a gang",
      service([prefiller(), decoder()], gang("none")),
      ["svc-prefill-0", "svc-decode-0"],
    ],
    ["0 replicas", service([worker({ replicas: 0, multinode })]), []],
  ];
  it.each(cases)("%s", (_what, input, names) => {
    expect(namesOf(workloads(planInferenceService(input)))).toEqual(names);
  });
});

describe("PodGroup", () => {
  it.each([
    ["single-node workers", service([worker({ replicas: 4 })])],
    ["layout none", service([worker({ multinode })], gang("none"))],
  ])("%s have no PodGroup", (_what, input) => {
    const plan = planInferenceService(input);
    expect(ofKind(plan, "PodGroup")).toEqual([]);
    for (const { spec } of workloads(plan)) {
      expect(spec.leaderWorkerTemplate.workerTemplate.metadata.annotations).toBeUndefined();
      expect(spec.leaderWorkerTemplate.workerTemplate.spec.schedulerName).toBeUndefined();
    }
  });

  it("sets the minimum of each role and one sub-group per replica", () => {
    const plan = planInferenceService(
      service([
        prefiller({ replicas: 3, minReplicas: 2, multinode }),
        decoder({ replicas: 2, multinode: { nodeCount: 4 } }),
      ]),
    );
    expect(specOf(plan, "PodGroup")).toMatchObject({
      minMember: 2 * 2 + 4,
      minResources: { "nvidia.com/gpu": String((2 * 2 + 4) * 8) },
      subGroupPolicy: [
        {
          name: "prefill",
          subGroupSize: 2,
          minSubGroups: 2,
          matchLabelKeys: ["fusioninfer.io/replica-index"],
        },
        { name: "decode", subGroupSize: 4, minSubGroups: 1 },
      ],
    });
    expect(specOf(plan, "PodGroup")).not.toHaveProperty("minTaskMember");
  });

  it("keeps the pods of each replica within a network tier", () => {
    const networkTopology = { mode: "hard" as const, highestTierAllowed: 1 };
    const plan = planInferenceService(
      service([worker({ multinode })], { schedulingStrategy: { gang: { networkTopology } } }),
    );
    expect(specOf(plan, "PodGroup")).toMatchObject({ subGroupPolicy: [{ networkTopology }] });
  });

  it("all replicas of a role share the same pod spec objects", () => {
    const plan = planInferenceService(service([worker({ replicas: 100, multinode })]));
    const templates = workloads(plan).map(({ spec }) => spec.leaderWorkerTemplate);
    expect(templates).toHaveLength(100);
    // Checks object identity: a spec that was computed separately for each replica would be equal but not identical.
    expect(new Set(templates.map(({ leaderTemplate }) => leaderTemplate?.spec)).size).toBe(1);
    expect(new Set(templates.map(({ workerTemplate }) => workerTemplate.spec)).size).toBe(1);
  });

  it("distinguishes replicas of one LeaderWorkerSet by the controller's group index", () => {
    const plan = planInferenceService(
      service([worker({ replicas: 2, multinode })], { workload: "perRole" }),
    );
    expect(specOf(plan, "PodGroup")).toMatchObject({
      subGroupPolicy: [{ matchLabelKeys: ["leaderworkerset.sigs.k8s.io/group-index"] }],
    });
    const [workload] = workloads(plan);
    expect(workload?.spec.leaderWorkerTemplate.workerTemplate.metadata.annotations).toEqual({
      "scheduling.k8s.io/group-name": "svc",
    });
  });

  it("sums requests, or limits without requests, and applies the rule for init containers", () => {
    const { spec } = vllmTemplate(8, {
      resources: {
        requests: { cpu: "500m", memory: "1Gi" },
        limits: { cpu: "4", "nvidia.com/gpu": 8, "rdma/ib": 1 },
      },
    });
    const initContainers = [
      { name: "sidecar", restartPolicy: "Always", resources: { requests: { cpu: "250m" } } },
      { name: "download", resources: { requests: { cpu: "2", memory: "512Mi" } } },
    ];
    const template = { spec: { ...spec, initContainers, overhead: { memory: "128Mi" } } };
    const plan = planInferenceService(service([worker({ replicas: 1, multinode, template })]));
    expect(specOf(plan, "PodGroup").minResources).toEqual({
      cpu: "4500m",
      memory: "2304Mi",
      "nvidia.com/gpu": "16",
      "rdma/ib": "2",
    });
  });

  it("sums quantities that are known later once they are known", async () => {
    const template = vllmTemplate(8, {
      resources: { limits: { "nvidia.com/gpu": 8, cpu: Promise.resolve("3") } },
    });
    const plan = planInferenceService(service([worker({ multinode, template })]));
    const resources: Record<string, unknown> = specOf(plan, "PodGroup").minResources ?? {};
    expect({ ...resources, cpu: await resources.cpu }).toEqual({
      cpu: "6",
      "nvidia.com/gpu": "16",
    });
  });

  it("excludes single-node workers from the gang of prefillers and decoders", () => {
    const plan = planInferenceService(service([prefiller(), decoder(), worker()]));
    expect(specOf(plan, "PodGroup")).toMatchObject({ minMember: 2 });
    const outside = workloads(plan).find(({ metadata }) => metadata.name === "svc-inference");
    expect(outside?.spec.leaderWorkerTemplate.workerTemplate.metadata.annotations).toBeUndefined();
  });

  it("contains queue and priority", () => {
    const fields = { schedulerName: "my-volcano", queue: "gpu", priorityClassName: "high" };
    const plan = planInferenceService(service([worker({ multinode })], gang("subGroup", fields)));
    expect(specOf(plan, "PodGroup")).toMatchObject({ queue: "gpu", priorityClassName: "high" });
    const [workload] = workloads(plan);
    for (const template of ["leaderTemplate", "workerTemplate"] as const) {
      expect(workload?.spec.leaderWorkerTemplate[template]?.spec).toMatchObject({
        schedulerName: "my-volcano",
        priorityClassName: "high",
      });
    }
  });
});

describe("objects that an edit changes", () => {
  const story = (prefills: number, decodes: number, fields: object = {}) =>
    planInferenceService(
      service(
        [
          prefiller({ replicas: prefills, multinode }),
          decoder({ replicas: decodes, multinode: { nodeCount: 4 } }),
          router(),
        ],
        fields,
      ),
    );

  it("scaling up only adds LeaderWorkerSets", () => {
    expect(changed(story(1, 2), story(1, 4))).toEqual([
      "LeaderWorkerSet/svc-decode-2",
      "LeaderWorkerSet/svc-decode-3",
    ]);
  });
  it("scaling down to one replica only removes LeaderWorkerSets", () => {
    expect(changed(story(1, 2), story(1, 1))).toEqual(["LeaderWorkerSet/svc-decode-1"]);
  });
  it("scaling a role in one LeaderWorkerSet from 0 to 1 to 2 replicas changes that set alone", () => {
    const of = (replicas: number) => planInferenceService(service([worker({ replicas })]));
    expect(changed(of(0), of(1))).toEqual(["LeaderWorkerSet/svc-inference"]);
    expect(changed(of(1), of(2))).toEqual(["LeaderWorkerSet/svc-inference"]);
    expect(changed(of(2), of(1))).toEqual(["LeaderWorkerSet/svc-inference"]);
  });
  it("scaling with layout task also changes the PodGroup", () => {
    expect(changed(story(1, 2, gang("task")), story(1, 3, gang("task")))).toEqual([
      "PodGroup/svc",
      "LeaderWorkerSet/svc-decode-2",
    ]);
  });
  it("scaling and router edits change no pod template", () => {
    const before = templates(story(1, 2));
    const after = templates(story(2, 3));
    for (const [name, template] of Object.entries(before)) expect(after[name]).toEqual(template);
    const rerouted = planInferenceService(
      service([
        prefiller({ multinode }),
        decoder({ replicas: 2, multinode: { nodeCount: 4 } }),
        router({ replicas: 3, failureMode: "FailOpen" }),
      ]),
    );
    expect(templates(rerouted)).toEqual(before);
  });
  it("a new image changes the revision label, which templates do not have", () => {
    const plan = (image: string) =>
      planInferenceService(service([worker({ template: vllmTemplate(1, { image }) })]));
    const revision = (image: string) =>
      plan(image)[0]?.metadata.labels?.["fusioninfer.io/revision"];
    expect(revision("a")).not.toBe(revision("b"));
    expect(revision("a")).toMatch(/^[0-9a-f]{10}$/);
    expect(JSON.stringify(templates(plan("a")))).not.toContain("fusioninfer.io/revision");
  });
  it("an Output as a value does not change the revision", () => {
    const plan = () =>
      planInferenceService(service([worker({ template: vllmTemplate(1, { image: output() }) })]));
    expect(plan()[0]?.metadata.labels).toEqual(plan()[0]?.metadata.labels);
  });
});

describe("router", () => {
  const kinds = (fields: object) =>
    planInferenceService(service([worker(), router(fields)])).map(({ kind }) => kind);

  it("plans the picker, the pool and the route, in the order of their dependencies", () => {
    expect(kinds({})).toEqual([
      "LeaderWorkerSet",
      "PodDisruptionBudget",
      "NetworkPolicy",
      "ServiceAccount",
      "Role",
      "RoleBinding",
      "ClusterRole",
      "ClusterRoleBinding",
      "Deployment",
      "Service",
      "NetworkPolicy",
      "InferencePool",
      "HTTPRoute",
    ]);
  });
  it("plans no route without httproute and gateway", () => {
    expect(kinds({ httproute: undefined })).not.toContain("HTTPRoute");
  });
  it("creates a Gateway and attaches the route to it", () => {
    const gateway = {
      gatewayClassName: "envoy",
      listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
    };
    const plan = planInferenceService(
      service([worker(), router({ httproute: undefined, gateway })]),
    );
    expect(specOf(plan, "Gateway")).toEqual(gateway);
    expect(specOf(plan, "HTTPRoute").parentRefs).toEqual([{ name: "svc-gateway" }]);
  });
  it("serves the API paths of clients unless rules set other paths", () => {
    const rulesOf = (httproute: object) =>
      specOf(planInferenceService(service([worker(), router({ httproute })])), "HTTPRoute").rules;
    const parentRefs = [{ name: "g" }];
    expect(rulesOf({ parentRefs })).toMatchObject([{ matches: apiMatches() }]);
    expect(rulesOf({ parentRefs, rules: [] })).toMatchObject([{ matches: apiMatches() }]);
    const everyPath = [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }];
    expect(rulesOf({ parentRefs, rules: everyPath })).toMatchObject(everyPath);
  });
  it("keeps the user's matches and filters and sends every rule to the pool", () => {
    const rules = [
      { matches: [{ path: { value: "/v1" } }], filters: [{ type: "URLRewrite" }] },
      { timeouts: { request: "0s" } },
    ];
    const httproute = { hostnames: ["h"], parentRefs: [{ name: "g" }], rules };
    const plan = planInferenceService(service([worker(), router({ httproute })]));
    const backendRefs = [
      { group: "inference.networking.k8s.io", kind: "InferencePool", name: "svc-pool" },
    ];
    expect(specOf(plan, "HTTPRoute")).toEqual({
      ...httproute,
      rules: rules.map((rule) => ({ ...rule, backendRefs })),
    });
  });
  it("plans metrics authentication by default", () => {
    const plan = planInferenceService(service([worker(), router()]));
    expect(ofKind(plan, "ClusterRole")[0]?.metadata).toMatchObject({
      name: "default-svc-epp-metrics-auth",
    });
    expect(ofKind(plan, "ClusterRole")[0]?.metadata.namespace).toBeUndefined();
    expect(JSON.stringify(specOf(plan, "Deployment"))).toContain("--metrics-endpoint-auth=true");
    expect(kinds({ metricsAuth: false })).not.toContain("ClusterRole");
  });
  describe("with a shared picker", () => {
    const shared = { name: "shared", port: 10_001 };
    const config = (fields: object = {}) => {
      const manifests = planInferenceService(service([worker(), router({ shared, ...fields })]));
      const pool = manifests.find(({ kind }) => kind === "InferencePool");
      return { manifests, pool, text: pool?.metadata.annotations?.[annotation.pickerConfig] };
    };

    it("plans no picker, and puts its configuration on the pool", () => {
      const { manifests, pool, text } = config({ strategy: "queue-size" });
      expect(manifests.map(({ kind }) => kind)).toEqual([
        "LeaderWorkerSet",
        "PodDisruptionBudget",
        "NetworkPolicy",
        "InferencePool",
        "HTTPRoute",
      ]);
      expect(pool?.spec).toMatchObject({
        endpointPickerRef: { name: "shared-epp", port: { number: 10_001 } },
      });
      expect(text).toContain("queue-scorer");
    });

    it("sets unparsedBodies as an annotation, and as a flag of a separate picker", () => {
      const { pool } = config({ unparsedBodies: "allow" });
      expect(pool?.metadata.annotations?.[annotation.unparsedBodies]).toBe("allow");
      const own = planInferenceService(service([worker(), router({ unparsedBodies: "allow" })]));
      expect(JSON.stringify(specOf(own, "Deployment"))).toContain('"--unparsed-bodies=allow"');
    });

    it("sets tenantHeader as an annotation, and as a flag of a separate picker", () => {
      const { pool } = config({ tenantHeader: "X-Tenant" });
      expect(pool?.metadata.annotations?.[annotation.tenantHeader]).toBe("X-Tenant");
      const own = planInferenceService(service([worker(), router({ tenantHeader: "X-Tenant" })]));
      expect(JSON.stringify(specOf(own, "Deployment"))).toContain('"--tenant-header=X-Tenant"');
    });

    it("lets the shared picker's pods connect to its engines", () => {
      const { manifests } = config({ kvEvents: true });
      const policy = manifests.find(({ kind }) => kind === "NetworkPolicy");
      expect(JSON.stringify(policy)).toContain('{"app":"shared-epp"}');
      expect(JSON.stringify(policy)).not.toContain('"svc-epp"');
    });

    it("plans the same engines and route as with a separate picker", () => {
      const own = planInferenceService(service([worker(), router()]));
      for (const kind of ["LeaderWorkerSet", "HTTPRoute"]) {
        const of = (manifests: typeof own) => manifests.find((each) => each.kind === kind)?.spec;
        expect(of(config().manifests)).toEqual(of(own));
      }
    });
  });

  it("restarts the picker if its configuration changes", () => {
    const template = (strategy: string) =>
      (
        specOf(planInferenceService(service([worker(), router({ strategy })])), "Deployment") as {
          template?: PodTemplate;
        }
      ).template;
    expect(template("queue-size")).not.toEqual(template("prefix-cache"));
    expect(template("queue-size")).toEqual(template("queue-size"));
  });

  it("a variable in the configuration is not expanded by Kubernetes", () => {
    const endpointPickerConfig =
      "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n# $(A)\n";
    const plan = planInferenceService(service([worker(), router({ endpointPickerConfig })]));
    expect(JSON.stringify(plan)).toContain("# $$(A)");
    expect(pickerConfigIn(plan)).toBe(endpointPickerConfig);
  });

  it("the pool selects only leaders and has the serving port", () => {
    const template = vllmTemplate(8, { ports: [{ containerPort: 9000 }] });
    const plan = planInferenceService(
      service([worker({ template }), router({ failureMode: "FailOpen" })]),
    );
    expect(specOf(plan, "InferencePool")).toEqual({
      targetPorts: [{ number: 9000 }],
      selector: {
        matchLabels: {
          "fusioninfer.io/service": "svc",
          "fusioninfer.io/component-type": "worker",
          "leaderworkerset.sigs.k8s.io/worker-index": "0",
        },
      },
      endpointPickerRef: { name: "svc-epp", port: { number: 9002 }, failureMode: "FailOpen" },
    });
    const pair = planInferenceService(service([prefiller(), decoder(), router()]));
    expect(specOf(pair, "InferencePool").selector).toEqual({
      matchLabels: {
        "fusioninfer.io/service": "svc",
        "leaderworkerset.sigs.k8s.io/worker-index": "0",
      },
    });
  });
  it("the image of the router overrides the option runtimeImage", () => {
    const imageOf = (image?: string) => {
      const plan = planInferenceService(service([worker(), router({ image })]), {
        runtimeImage: "default:1",
      });
      return (specOf(plan, "Deployment") as { template?: PodTemplate }).template?.spec.containers[0]
        ?.image;
    };
    expect(imageOf("mine:2")).toBe("mine:2");
    expect(imageOf()).toBe("default:1");
  });
});

it("labels and annotations of the service are on every object and on no pod", () => {
  const input = service([worker({ multinode }), router()]);
  const metadata = {
    name: "svc",
    namespace: "ml",
    labels: { team: "a" },
    annotations: { owner: "b" },
  };
  const plan = planInferenceService({ ...input, metadata });
  for (const manifest of plan) {
    expect(manifest.metadata).toMatchObject({
      ...(manifest.kind.startsWith("Cluster") ? {} : { namespace: "ml" }),
      labels: { team: "a" },
      annotations: { owner: "b" },
    });
  }
  expect(JSON.stringify(templates(plan))).not.toContain("team");
});
