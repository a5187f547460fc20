import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cycleOf,
  endpoint,
  leftBy,
  metrics,
  pluginOf,
  podsOf,
  scoresOf,
} from "../cycles.fixture.ts";

const pod = (name: string, labels: Record<string, string>) => endpoint(name, { labels });

const left = (
  type: string,
  parameters: object,
  pods: Readonly<Record<string, Record<string, string>>>,
) =>
  leftBy(
    pluginOf(type, parameters),
    cycleOf(Object.entries(pods).map(([name, labels]) => pod(name, labels))),
  );

describe("filters by role", () => {
  const roles = [
    ...["decode", "prefill", "encode", "prefill-decode", "encode-prefill"],
    ...["encode-prefill-decode", "both", "other"],
  ];
  const pods = Object.fromEntries([
    ...roles.map((role) => [role, { "llm-d.ai/role": role }]),
    ["unlabelled", { app: "m" }],
  ]);

  it.each([
    ["decode-filter", ["decode", "prefill-decode", "encode-prefill-decode", "both", "unlabelled"]],
    [
      "prefill-filter",
      ["prefill", "prefill-decode", "encode-prefill", "encode-prefill-decode", "both"],
    ],
    ["encode-filter", ["encode", "encode-prefill", "encode-prefill-decode"]],
  ])("%s keeps %j", (type, expected) => {
    expect(left(type, {}, pods)).toEqual(expected);
  });
});

describe("by-label", () => {
  const pods = { x: { zone: "x" }, y: { zone: "y" }, none: {}, empty: { zone: "" } };

  it.each([
    [{ label: "zone", validValues: ["x"] }, ["x"]],
    [{ label: "zone", validValues: ["y", "x"] }, ["x", "y"]],
    [{ label: "zone", validValues: ["x"], allowsNoLabel: true }, ["x", "none"]],
    [{ label: "zone", allowsNoLabel: true }, ["none"]],
    [{ label: "other", validValues: ["x"] }, []],
  ])("%j keeps %j", (parameters, expected) => {
    expect(left("by-label", parameters, pods)).toEqual(expected);
  });

  it.each([
    [{ label: "zone" }, "no pod would pass: give validValues, or allowsNoLabel: true"],
    [{ label: "", validValues: ["x"] }, "Too small: expected string to have >=1 characters"],
  ])("refuses %j", (parameters, message) => {
    expect(() => pluginOf("by-label", parameters)).toThrow(message);
  });
});

describe.each(["label-selector-filter", "by-label-selector"])("%s", (type) => {
  const pods = { x: { zone: "x", tier: "1" }, y: { zone: "y" }, none: {} };
  const expression = (operator: string, ...values: string[]) => ({
    matchExpressions: [{ key: "zone", operator, ...(values.length > 0 && { values }) }],
  });

  it.each([
    ["no condition", {}, ["x", "y", "none"]],
    ["a label", { matchLabels: { zone: "x" } }, ["x"]],
    ["two labels that no pod has together", { matchLabels: { zone: "y", tier: "1" } }, []],
    ["In", expression("In", "x", "z"), ["x"]],
    ["NotIn, which pods without the label pass", expression("NotIn", "x"), ["y", "none"]],
    ["Exists", expression("Exists"), ["x", "y"]],
    ["DoesNotExist", expression("DoesNotExist"), ["none"]],
    [
      "labels and expressions together",
      { matchLabels: { tier: "1" }, ...expression("In", "x", "y") },
      ["x"],
    ],
  ])("keeps the pods that match %s", (_, parameters, expected) => {
    expect(left(type, parameters, pods)).toEqual(expected);
  });

  it.each([
    [expression("In")],
    [expression("NotIn")],
    [expression("Exists", "x")],
    [expression("DoesNotExist", "x")],
  ])("refuses %j", (parameters) => {
    expect(() => pluginOf(type, parameters)).toThrow(
      "In and NotIn need values, Exists and DoesNotExist have none",
    );
  });

  it("refuses other operators", () => {
    expect(() => pluginOf(type, expression("Gt", "1"))).toThrow("Invalid option");
  });
});

it("header-based-testing-filter keeps all pods", () => {
  expect(left("header-based-testing-filter", {}, { a: {}, b: {} })).toEqual(["a", "b"]);
});

it("every filter by label keeps a subset of the pods in the same order", () => {
  const label = fc.constantFrom("decode", "prefill", "both", "x", undefined);
  const filters = [
    pluginOf("decode-filter"),
    pluginOf("prefill-filter"),
    pluginOf("encode-filter"),
    pluginOf("by-label", { label: "llm-d.ai/role", validValues: ["x"], allowsNoLabel: true }),
    pluginOf("label-selector-filter", { matchLabels: { "llm-d.ai/role": "both" } }),
  ];
  fc.assert(
    fc.property(fc.array(label), fc.constantFrom(...filters), (roles, filter) => {
      const endpoints = roles.map((role, at) =>
        pod(`p${at}`, role === undefined ? {} : { "llm-d.ai/role": role }),
      );
      const found = leftBy(filter, cycleOf(endpoints));
      expect(podsOf(endpoints).filter((name) => found.includes(name))).toEqual(found);
    }),
  );
});

describe("topology", () => {
  const host = (name: string) => ({
    "kubernetes.io/hostname": name,
    "topology.kubernetes.io/zone": "z",
  });
  const decoder = pod("decoder", host("n1"));
  const pods = [
    pod("near", host("n1")),
    pod("far", host("n2")),
    pod("elsewhere", { "topology.kubernetes.io/zone": "y" }),
    pod("unlabelled", {}),
  ];
  const following = (peer: typeof decoder | undefined) => {
    const cycle = cycleOf(pods);
    if (peer !== undefined) cycle.results.set("decode", { endpoints: [peer], scored: [] });
    return cycle;
  };
  const filter = (parameters: object) => pluginOf("topology-affinity-filter", parameters);

  it.each([
    ["pods on the host of the peer", {}, decoder, ["near"]],
    ["pods in the zone of the peer", { minAffinity: "zone" }, decoder, ["near", "far"]],
    ["all pods if none is near", { minAffinity: "rack" }, pod("p", host("n9")), podsOf(pods)],
    ["all pods without a peer", {}, undefined, podsOf(pods)],
    ["all pods if the peer has no labels", {}, pod("p", {}), podsOf(pods)],
  ])("topology-affinity-filter keeps %s", (_, parameters, peer, expected) => {
    expect(leftBy(filter(parameters), following(peer))).toEqual(expected);
  });

  it("topology-affinity-scorer scores the nearest shared level", () => {
    const scores = (peer: typeof decoder | undefined) =>
      scoresOf(pluginOf("topology-affinity-scorer"), following(peer));
    expect(scores(decoder)).toEqual([1, 0.05, 0, 0]);
    expect(scores(undefined)).toEqual([0, 0, 0, 0]);
  });
});

describe("header-label-affinity-scorer", () => {
  const scorer = pluginOf("header-label-affinity-scorer", { headerName: "X-Slice", labelKey: "s" });
  const pods = [pod("a", { s: "1" }), pod("b", { s: "2" }), pod("c", { s: "" }), pod("d", {})];

  it.each([
    [{ "x-slice": "1" }, [1, 0, 0, 0]],
    [{ "x-slice": "" }, [0, 0, 0, 0]],
    [{}, [0, 0, 0, 0]],
  ])("scores 1 for pods whose label equals the header: %j", (headers, expected) => {
    expect(scoresOf(scorer, cycleOf(pods, { headers }))).toEqual(expected);
  });
});

describe("utilization-filter", () => {
  const loaded = (name: string, waitingRequests: number, kvCacheUsage: number, requests = 0) =>
    endpoint(name, {
      live: { runningRequests: requests, metrics: metrics({ waitingRequests, kvCacheUsage }) },
    });
  const pods = [loaded("idle", 0, 0.1), loaded("queued", 9, 0.1), loaded("full", 0, 0.95, 3)];
  const cap = (metric: string, maxValue: number) => ({ metric, maxValue });
  const leaves = (parameters: object) =>
    leftBy(pluginOf("utilization-filter", parameters), cycleOf(pods));

  it.each([
    [[cap("waiting-queue", 8)], ["idle", "full"]],
    [[cap("waiting-queue", 9)], ["idle", "queued", "full"]],
    [[cap("kv-cache-utilization", 0.9), cap("waiting-queue", 8)], ["idle"]],
    [[cap("active-requests", 2)], ["idle", "queued"]],
  ])("keeps the pods within every limit: %j", (conditions, expected) => {
    expect(leaves({ conditions })).toEqual(expected);
  });

  it("keeps no pod if all exceed a limit, or all pods with fallbackOnEmpty", () => {
    const conditions = [cap("kv-cache-utilization", 0)];
    expect(leaves({ conditions })).toEqual([]);
    expect(leaves({ conditions, fallbackOnEmpty: true })).toEqual(podsOf(pods));
  });

  it.each([[[]], [[cap("gpu", 1)]], [[cap("kv-cache-utilization", 2)]]])(
    "refuses conditions %j",
    (conditions) => {
      expect(() => pluginOf("utilization-filter", { conditions })).toThrow();
    },
  );
});
