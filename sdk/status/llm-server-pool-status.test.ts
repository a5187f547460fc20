import { describe, expect, it } from "vitest";
import type { Moment } from "./conditions.ts";
import { type LLMServerPoolView, llmServerPoolStatus } from "./llm-server-pool-status.ts";
import { llmServerPoolReasons } from "./reasons.ts";
import { LLMServerPoolStatus } from "./schemas.ts";

const moment: Moment = { now: "2026-01-01T00:00:00Z", generation: 2 };

const readyPod = { name: "a", ready: true, failure: undefined, unschedulable: undefined };
const broken = {
  ...readyPod,
  name: "b",
  ready: false,
  failure: "ErrImagePull: image i: not found",
};
const unplaced = {
  ...{ ...broken, name: "c", failure: undefined },
  unschedulable: { message: "0/8 nodes are available: 8 Insufficient nvidia.com/gpu.", since: "" },
};

describe("an LLMServerPool", () => {
  const selector = { app: "m" };
  const view = (change: Partial<LLMServerPoolView> = {}): LLMServerPoolView => ({
    ...{ name: "p", selector, problems: [], poolSelector: selector, shared: [] },
    ...{ pods: [readyPod, broken], refusal: undefined, stale: undefined },
    ...change,
  });
  const look = (change: Partial<LLMServerPoolView> = {}) =>
    llmServerPoolStatus(view(change), undefined, moment);

  it.each<[string, string, string, Partial<LLMServerPoolView>]>([
    ["Accepted", "True/Accepted", "InferencePool p routes requests to the pool", {}],
    [
      "Accepted",
      "False/PoolNotFound",
      "InferencePool p does not exist, so no requests are routed to the pool",
      { poolSelector: undefined },
    ],
    [
      "Accepted",
      "False/SelectorDiffers",
      "InferencePool p selects app=m,x=y",
      { poolSelector: { x: "y", app: "m" } },
    ],
    [
      "Accepted",
      "False/InvalidSpec",
      "modelServerSelector: expected",
      { selector: undefined, problems: ["modelServerSelector: expected"] },
    ],
    [
      "Accepted",
      "False/PortUnavailable",
      "InferencePool p: port 10000 belongs to pool a; name another",
      { refusal: "port 10000 belongs to pool a; name another" },
    ],
    ["Accepted", "Unknown/StaleCache", "no answer", { stale: "no answer" }],
    ["Overlapping", "False/NoSharedPods", "no pod belongs to another pool", {}],
    [
      "Overlapping",
      "True/SharedPods",
      "InferencePool q also selects pod x",
      { shared: [{ pool: "q", pod: "x" }] },
    ],
    ["Overlapping", "Unknown/StaleCache", "no answer", { stale: "no answer" }],
    [
      "PodsReady",
      "True/PodsReady",
      "1 of 2 pods ready, pod b: ErrImagePull: image i: not found",
      {},
    ],
    [
      "PodsReady",
      "False/NoReadyPods",
      "0 of 1 pods ready, pod c is not scheduled: of 8 nodes, 8 lack free nvidia.com/gpu",
      { pods: [unplaced] },
    ],
    ["PodsReady", "False/NoPods", "the pool selects no pods", { pods: [] }],
    ["PodsReady", "Unknown/StaleCache", "no answer", { stale: "no answer" }],
  ])("%s %s: %s", (type, reason, message, change) => {
    const found = look(change).conditions?.find((condition) => condition.type === type);
    expect([`${found?.status}/${found?.reason}`, found?.message]).toEqual([reason, message]);
  });

  it("counts its endpoints, and keeps the counts while pods cannot be read", () => {
    const status = look();
    expect(status).toMatchObject({ observedGeneration: 2, endpoints: { known: 2, ready: 1 } });
    expect(LLMServerPoolStatus.safeParse(status).error).toBeUndefined();
    const stale = llmServerPoolStatus(view({ pods: [], stale: "no answer" }), status, moment);
    expect(stale.endpoints).toEqual(status.endpoints);
    expect(Object.keys(llmServerPoolReasons)).toHaveLength(3);
  });
});
