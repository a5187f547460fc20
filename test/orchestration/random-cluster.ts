import fc from "fast-check";
import type { ClusterNode, InferenceServiceInput } from "../../sdk/index.ts";

/** Random nodes of several makers, and random services for them. */

const makers = ["nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910"] as const;
const products = ["l40s", "t4", "mi300x"] as const;
const taintKeys = ["gpu", "team"] as const;

const taint = fc.record({
  key: fc.constantFrom(...taintKeys),
  value: fc.constantFrom("present", "other"),
  effect: fc.constantFrom("NoSchedule", "NoExecute", "PreferNoSchedule"),
});

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

const rarely = fc.integer({ min: 0, max: 11 }).map((at) => at === 0);

const node: fc.Arbitrary<ClusterNode> = fc
  .record({
    maker: fc.constantFrom(...makers, makers[0], makers[0], makers[0], makers[0]),
    devices: fc.constantFrom(2, 4, 8, 8),
    product: fc.option(fc.constantFrom(...products), { nil: undefined }),
    zone: fc.constantFrom("a", "b"),
    tier: fc.integer({ min: 1, max: 4 }),
    cpu: fc.constantFrom(4, 16, 64, 64),
    memory: fc.constantFrom(32, 256, 256),
    pods: fc.constantFrom(2, 110, 110, 110),
    rdma: fc.constantFrom(0, 2, 2),
    taints: fc.uniqueArray(taint, {
      ...{ minLength: 1, maxLength: 2 },
      selector: ({ key, effect }) => `${key} ${effect}`,
    }),
    isTainted: fc.boolean(),
    isCordoned: rarely,
    isAway: rarely,
  })
  .map(({ maker, devices, product, zone, tier, ...more }) => {
    const { cpu, memory, pods, rdma, taints, isTainted, isCordoned, isAway } = more;
    return {
      metadata: {
        name: "",
        labels: { zone, tier: String(tier), ...(product && { product }) },
      },
      spec: {
        taints: [...(isTainted ? taints : []), ...(isAway ? [notReady] : [])],
        ...(isCordoned && { unschedulable: true }),
      },
      status: {
        allocatable: {
          ...{ cpu: String(cpu), memory: `${memory}Gi`, pods: String(pods) },
          ...{ "ephemeral-storage": "100Gi", [maker]: String(devices) },
          ...(rdma > 0 && { "rdma/ib": String(rdma) }),
        },
        conditions: [{ type: "Ready", status: isAway ? "False" : "True" }],
      },
    };
  });

const expression = fc.oneof(
  fc.record({
    key: fc.constant("product"),
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.subarray([...products], { minLength: 1 }),
  }),
  fc.record({ key: fc.constant("product"), operator: fc.constantFrom("Exists", "DoesNotExist") }),
  fc.record({
    key: fc.constant("tier"),
    operator: fc.constantFrom("Gt", "Lt"),
    values: fc.constantFrom("1", "2", "3").map((text) => [text]),
  }),
);

const affinity = fc
  .array(
    fc
      .array(expression, { minLength: 1, maxLength: 2 })
      .map((each) => ({ matchExpressions: each })),
    { minLength: 1, maxLength: 2 },
  )
  .map((nodeSelectorTerms) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  }));

const toleration = fc.oneof(
  fc.record({ key: fc.constantFrom(...taintKeys), operator: fc.constant("Exists") }),
  fc.record({
    key: fc.constantFrom(...taintKeys),
    operator: fc.constant("Equal"),
    value: fc.constantFrom("present", "other"),
    effect: fc.constantFrom("NoSchedule", "NoExecute"),
  }),
);

const podSpec = fc
  .record({
    maker: fc.constantFrom(...makers, makers[0], makers[0], makers[0], makers[0]),
    devices: fc.constantFrom(1, 1, 2, 4, 8),
    cpu: fc.constantFrom(undefined, 1, 4, 12),
    memory: fc.constantFrom(undefined, 8, 48),
    rdma: fc.constantFrom(undefined, undefined, undefined, 1),
    affinity: fc.oneof(fc.constant(undefined), fc.constant(undefined), affinity),
    zone: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, "a", "b"),
    tolerations: fc.option(fc.array(toleration, { maxLength: 3 }), { nil: undefined }),
  })
  .map(({ maker, devices, cpu, memory, rdma, zone, affinity, tolerations }) => {
    const amounts = {
      [maker]: String(devices),
      ...(cpu && { cpu: String(cpu) }),
      ...(memory && { memory: `${memory}Gi` }),
      ...(rdma && { "rdma/ib": String(rdma) }),
    };
    return {
      containers: [
        {
          name: "vllm",
          image: "vllm/vllm-openai:v0.30.0",
          args: [
            "--kv-transfer-config.kv_connector",
            "NixlConnector",
            "--kv-transfer-config.kv_role",
            "kv_both",
          ],
          resources: { requests: amounts, limits: amounts },
        },
      ],
      ...(zone && { nodeSelector: { zone } }),
      ...(affinity && { affinity }),
      ...(tolerations && { tolerations }),
    };
  });

const roleOf = (name: string, componentType: string, mostNodes: number) =>
  fc
    .record({
      spec: podSpec,
      replicas: fc.integer({ min: 1, max: 3 }),
      nodeCount: fc.integer({ min: 1, max: mostNodes }),
      distinctNodes: fc.boolean(),
    })
    .map(({ spec, replicas, nodeCount, distinctNodes }) => ({
      ...{ name, componentType, replicas, drainSeconds: 0, template: { spec } },
      ...(nodeCount > 1 && { multinode: { nodeCount, distinctNodes } }),
    }));

const withoutGang = fc.oneof(
  fc.tuple(roleOf("a", "worker", 1)),
  fc.tuple(roleOf("a", "worker", 1), roleOf("b", "worker", 1)),
);
const withGang = fc.oneof(
  fc.tuple(roleOf("w", "worker", 3)),
  fc.tuple(roleOf("p", "prefiller", 2), roleOf("d", "decoder", 2)),
);

const service = fc.oneof(
  withoutGang.map((roles) => ({ roles, layout: "none" })),
  fc.record({ roles: withGang, layout: fc.constantFrom("subGroup", "task") }),
);

export interface RandomCluster {
  readonly nodes: readonly ClusterNode[];
  readonly service: (namespace: string) => InferenceServiceInput;
}

/** Returns random clusters: the same for the same seed. */
export const randomClusters = (count: number, seed: number): RandomCluster[] =>
  fc
    .sample(fc.record({ nodes: fc.array(node, { minLength: 3, maxLength: 8 }), service }), {
      numRuns: count,
      seed,
    })
    .map(({ nodes, service: { roles, layout } }) => ({
      nodes: nodes.map((each, at) => ({ ...each, metadata: { ...each.metadata, name: `n${at}` } })),
      service: (namespace) =>
        ({
          metadata: { name: "svc", namespace },
          spec: { roles, schedulingStrategy: { gang: { layout } } },
        }) as unknown as InferenceServiceInput,
    }));
