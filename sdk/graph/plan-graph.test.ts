import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import {
  decoder,
  pairTemplate,
  prefiller,
  router,
  service,
  worker,
} from "../../testing/samples/sample-service.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { Graph } from "./graph.ts";
import { planGraph } from "./plan-graph.ts";

/** Objects of any author, some without fields that their kind requires. */
const anyObject = fc.record({
  apiVersion: fc.constantFrom("v1", "apps/v1", "gateway.networking.k8s.io/v1", "x.dev/v1"),
  kind: fc.constantFrom("Service", "Deployment", "HTTPRoute", "Gateway", "ConfigMap", "Thing"),
  metadata: fc.record({ name: fc.string() }, { requiredKeys: [] }),
  spec: fc.constantFrom({}, { replicas: 2 }, { parentRefs: [{ name: "a" }] }, { selector: {} }),
}) as unknown as fc.Arbitrary<Manifest>;

const anyPlan = fc
  .tuple(arbitraryService, fc.array(anyObject, { maxLength: 4 }))
  .map(([input, others]) => [...planInferenceService(input), ...others]);

describe("the graph of any plan", () => {
  const holds = (name: string, property: (graph: Graph, plan: Manifest[]) => void) =>
    it(name, () => {
      fc.assert(fc.property(anyPlan, (plan) => property(planGraph(plan), plan)));
    });

  holds("contains every object exactly once", ({ nodes, groups }, plan) => {
    const drawn = [...nodes, ...groups].flatMap(({ objects }) => objects);
    expect(drawn.toSorted((a, b) => a - b)).toEqual([...plan.keys()]);
  });

  holds("has edges and groups of its own nodes only", ({ nodes, edges, groups }) => {
    const ids = nodes.map(({ id }) => id);
    const members = groups.flatMap((group) => group.nodes);
    expect(ids).toEqual(expect.arrayContaining(edges.flatMap(({ from, to }) => [from, to])));
    expect(ids).toEqual(expect.arrayContaining(members));
    expect(new Set(members).size).toBe(members.length);
  });

  holds("has distinct ids of letters and digits", ({ nodes, groups }) => {
    const ids = [...nodes, ...groups].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]\d+$/.test(id))).toEqual([]);
  });
});

/** Returns nodes and edges as text. */
function wordsOf({ nodes, edges, groups }: Graph) {
  const names = new Map(nodes.map(({ id, kind, name }) => [id, `${kind} ${name}`.trim()]));
  return {
    edges: edges.map(({ from, to, label }) => `${names.get(from)} -> ${names.get(to)}: ${label}`),
    groups: groups.map(({ title, nodes: its }) => [title, its.map((id) => names.get(id))] as const),
  };
}

it("requests run from the client to both roles of a pair, KV caches from prefill to decode", () => {
  const nodes = { multinode: { nodeCount: 2 } };
  const { metadata, spec } = service([
    prefiller(nodes),
    decoder({ replicas: 2, ...nodes, template: pairTemplate(4) }),
    router(),
  ]);
  const graph = planGraph(planInferenceService({ metadata: { ...metadata, name: "chat" }, spec }));
  const { edges, groups } = wordsOf(graph);
  expect(edges).toEqual([
    "Gateway gateway -> HTTPRoute chat-httproute: ",
    "HTTPRoute chat-httproute -> InferencePool chat-pool: ",
    "Client -> Gateway gateway: HTTP",
    "InferencePool chat-pool -> Deployment chat-epp: endpointPickerRef",
    "Gateway gateway -> Deployment chat-epp: ext_proc",
    "InferencePool chat-pool -> LeaderWorkerSet chat-prefill-0: port 8000",
    "InferencePool chat-pool -> 2 LeaderWorkerSets chat-decode-0 to 1: port 8000",
    "LeaderWorkerSet chat-prefill-0 -> 2 LeaderWorkerSets chat-decode-0 to 1: KV cache",
  ]);
  expect(groups[0]).toEqual([
    "PodGroup chat: at least 4 pods start together",
    ["LeaderWorkerSet chat-prefill-0", "2 LeaderWorkerSets chat-decode-0 to 1"],
  ]);
  expect(groups.find(([title]) => title === "For Deployment chat-epp")?.[1]).toEqual([
    "ServiceAccount chat-epp",
    "Role chat-epp",
    "RoleBinding chat-epp",
    "ClusterRole default-chat-epp-metrics-auth",
    "ClusterRoleBinding default-chat-epp-metrics-auth",
    "Service chat-epp",
    "NetworkPolicy chat-epp",
  ]);
  const decode = graph.nodes.find(({ name }) => name === "chat-decode-0 to 1");
  expect(decode?.facts).toEqual([
    "role decode (decoder)",
    "2 replicas of 2 pods",
    "4 nvidia.com/gpu per pod",
  ]);
  const gateway = graph.nodes.find(({ kind }) => kind === "Gateway");
  expect(gateway).toMatchObject({ facts: ["not in this plan"], objects: [] });
});

it("backends of one rule have weights, and backends of several rules have no weights", () => {
  const backend = (name: string, fields: object = {}) => ({
    ...{ group: "inference.networking.k8s.io", kind: "InferencePool", name },
    ...fields,
  });
  const route = (name: string, rules: object[]) => ({
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: { name } },
    spec: { rules },
  });
  const { edges } = planGraph([
    route("canary", [{ backendRefs: [backend("a", { weight: 9 }), backend("b")] }]),
    route("models", [{ backendRefs: [backend("a")] }, { backendRefs: [backend("b")] }]),
  ]);
  expect(edges.map(({ label }) => label)).toEqual(["weight 9", "weight 1", "", ""]);
});

it("a service without a router has no client", () => {
  const graph = planGraph(planInferenceService(service([worker()])));
  expect(graph.nodes.map(({ kind }) => kind)).toEqual([
    "LeaderWorkerSet",
    "PodDisruptionBudget",
    "NetworkPolicy",
  ]);
  expect(graph.edges).toEqual([]);
});

it("the plan of 1,000 replicas has as many nodes as the plan of two", () => {
  const of = (replicas: number) =>
    planGraph(
      planInferenceService(service([worker({ replicas, multinode: { nodeCount: 2 } }), router()])),
    ).nodes.length;
  expect(of(1_000)).toBe(of(2));
});
