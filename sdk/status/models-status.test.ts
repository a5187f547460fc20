import { describe, expect, it } from "vitest";
import { type RewriteTable, rewriteTable } from "../routing/rewrite-table.ts";
import type { Condition, Moment } from "./conditions.ts";
import { type LLMServiceView, llmServiceStatus, type PoolBinding } from "./llm-service-status.ts";
import { type ModelRewriteView, modelRewriteStatus } from "./model-rewrite-status.ts";
import type { ServiceReport } from "./picker-report.ts";
import { llmServiceReasons, modelRewriteReasons } from "./reasons.ts";
import { LLMServiceStatus, ModelRewriteStatus } from "./schemas.ts";

const moment: Moment = { now: "2026-01-01T00:00:00Z", generation: 2 };

type Conditions = readonly Condition[] | undefined;
const find = (conditions: Conditions, type: string) =>
  conditions?.find((condition) => condition.type === type);
const says = (conditions: Conditions, type: string) => {
  const { status, reason, message } = find(conditions, type) ?? {};
  return [`${status}/${reason}`, message];
};

const readyPod = { name: "a", ready: true, failure: undefined, unschedulable: undefined };
const broken = { ...readyPod, ready: false, failure: "ErrImagePull: image i: not found" };

describe("an LLMService", () => {
  const report = (change: Partial<ServiceReport> = {}): ServiceReport => ({
    requests: 1,
    objectives: [],
    missingTargets: [],
    ...change,
  });
  const binding = (change: Partial<PoolBinding> = {}): PoolBinding => ({
    ...{ namespace: "ns", name: "pool", exists: true, admits: true, lost: [], pods: [readyPod] },
    reading: { report: report() },
    ...change,
  });
  const view = (change: Partial<LLMServiceView> = {}): LLMServiceView => ({
    ...{ service: "team/chat", models: ["a", "b"], hasObjectives: true, problems: [] },
    ...{ stale: undefined, pools: [binding()] },
    ...change,
  });
  const look = (change: Partial<LLMServiceView> = {}) =>
    llmServiceStatus(view(change), undefined, moment);
  const lost = [{ model: "a", service: "team/chat", why: "taken" as const, winner: "ns/older" }];

  it.each<[string, string, Partial<LLMServiceView>]>([
    ["True/Accepted", "every model is registered on ns/pool", {}],
    ["False/NameTaken", "ns/pool: a is registered by ns/older", { pools: [binding({ lost })] }],
    [
      "False/PoolNotFound",
      "ns/pool: InferencePool ns/pool does not exist",
      { pools: [binding({ exists: false, admits: false })] },
    ],
    [
      "False/NamespaceNotAllowed",
      "ns/pool: InferencePool ns/pool does not admit namespace team; its owner can add it to allowedNamespaces of the LLMServerPool",
      { pools: [binding({ admits: false })] },
    ],
    [
      "False/NameTaken",
      "ns/two: a is registered by ns/older",
      { pools: [binding(), binding({ name: "two", lost })] },
    ],
    [
      "False/InvalidSpec",
      "spec.models[0]: give a name",
      { problems: ["spec.models[0]: give a name"] },
    ],
    ["Unknown/StaleCache", "no answer", { stale: "no answer" }],
  ])("Accepted %s: %s", (reason, message, change) => {
    expect(says(look(change).conditions, "Accepted")).toEqual([reason, message]);
  });

  it("has a separate Accepted condition for each pool", () => {
    const { pools } = look({ pools: [binding(), binding({ name: "two", lost })] });
    expect(pools?.map(({ name, conditions }) => [name, ...says(conditions, "Accepted")])).toEqual([
      ["pool", "True/Accepted", "every model is registered"],
      ["two", "False/NameTaken", "a is registered by ns/older"],
    ]);
  });

  const objective = (p95?: number) => [
    binding({
      reading: {
        report: report({
          objectives: [
            { model: "a", measure: "per output token", objective: 0.05, p95 },
            { model: "b", measure: "to the first token", objective: 1, p95: p95 && 0.25 },
          ],
        }),
      },
    }),
  ];
  const unread = [binding({ reading: { problem: "needs a token" } })];

  it.each<[string, string, Partial<LLMServiceView>]>([
    [
      "True/ObjectiveMet",
      "a on ns/pool: P95 50 ms per output token, objective 50 ms, b on ns/pool: P95 250 ms to the first token, objective 1000 ms",
      { pools: objective(0.05) },
    ],
    [
      "False/ObjectiveMissed",
      "a on ns/pool: P95 61 ms per output token, objective 50 ms",
      { pools: objective(0.0613) },
    ],
    ["Unknown/NoRequests", "no response with tokens within the window", { pools: objective() }],
    ["Unknown/MetricsUnavailable", "pool ns/pool: needs a token", { pools: unread }],
    [
      "Unknown/MetricsUnavailable",
      "pool ns/pool: its picker has not been queried yet",
      { pools: [binding({ reading: undefined })] },
    ],
    [
      "Unknown/NotServed",
      "no pool serves a model of the service",
      { pools: [binding({ exists: false })] },
    ],
    [
      "Unknown/NotServed",
      "no pool serves a model of the service",
      { models: ["a"], pools: [binding({ lost })] },
    ],
    [
      "False/ObjectiveMissed",
      "a on ns/pool: P95 60 ms per output token, objective 50 ms",
      { pools: [...objective(0.06), ...unread] },
    ],
  ])("ObjectiveMet %s: %s", (reason, message, change) => {
    expect(says(look(change).conditions, "ObjectiveMet")).toEqual([reason, message]);
  });

  it("has no ObjectiveMet condition if it has no objectives", () => {
    const { conditions } = look({ hasObjectives: false });
    expect(conditions?.map(({ type }) => type)).toEqual(["Accepted", "TargetsServed"]);
  });

  const missing = (...pods: string[]) => [
    binding({
      reading: {
        report: report({
          missingTargets: pods.map((pod) => ({ model: "a", target: "a-v2", pod })),
        }),
      },
    }),
  ];
  it.each<[string, string, Partial<LLMServiceView>]>([
    ["True/TargetsServed", "no pod returns 404 for a target", {}],
    [
      "False/TargetNotFound",
      "a-v2 of model a on pool ns/pool: 404 from pod ns/x",
      { pools: missing("ns/x") },
    ],
    [
      "False/TargetNotFound",
      "a-v2 of model a on pool ns/pool: 404 from pods ns/w, ns/x, ns/y and 1 more",
      { pools: missing("ns/x", "ns/y", "ns/z", "ns/w") },
    ],
    [
      "Unknown/NoRequests",
      "no requests yet",
      { pools: [binding({ reading: { report: report({ requests: 0 }) } })] },
    ],
    ["Unknown/MetricsUnavailable", "pool ns/pool: needs a token", { pools: unread }],
    [
      "False/NoReadyPods",
      "pool ns/pool: 0 of 2 pods ready, pod a: ErrImagePull: image i: not found",
      { pools: [binding(), binding({ pods: [broken, broken] })] },
    ],
    ["True/TargetsServed", "no pod returns 404 for a target", { pools: [binding({ pods: [] })] }],
  ])("TargetsServed %s: %s", (reason, message, change) => {
    expect(says(look(change).conditions, "TargetsServed")).toEqual([reason, message]);
  });

  it("keeps its previous conditions until the pickers are polled", () => {
    const seen = look({ pools: missing("ns/x") });
    const pools = [binding({ reading: undefined })];
    expect(llmServiceStatus(view({ pools }), seen, moment)).toEqual(seen);
  });

  it("has a status that matches the schema, and keeps the times of unchanged conditions", () => {
    const first = look();
    expect(LLMServiceStatus.safeParse(first).error).toBeUndefined();
    const later = { ...moment, now: "2026-01-01T00:01:00Z" };
    expect(llmServiceStatus(view(), first, later)).toEqual(first);
    const turned = llmServiceStatus(view({ pools: [binding({ lost })] }), first, later);
    expect(find(turned.pools?.[0]?.conditions, "Accepted")?.lastTransitionTime).toBe(later.now);
    expect(find(turned.conditions, "TargetsServed")?.lastTransitionTime).toBe(moment.now);
  });

  it("has the conditions Accepted, ObjectiveMet and TargetsServed", () => {
    expect(Object.keys(llmServiceReasons)).toEqual(["Accepted", "ObjectiveMet", "TargetsServed"]);
  });
});

describe("an InferenceModelRewrite", () => {
  const group = "inference.networking.k8s.io";
  const target = { model: "t", weight: undefined };
  const rewrite = (
    name: string,
    models: string[] | undefined,
    created = "2026-01-01T00:00:00Z",
  ) => ({
    ...{ namespace: "ns", name, creationTimestamp: created },
    poolRef: { group, kind: "InferencePool", name: "p" },
    rules: [{ models, targets: [target] }],
  });
  const older = rewrite("older", ["m"], "2025-01-01T00:00:00Z");
  const everything = rewrite("everything", undefined, "2025-01-01T00:00:00Z");
  const table = (...rewrites: ReturnType<typeof rewrite>[]): RewriteTable =>
    rewriteTable({ group, namespace: "ns", name: "p" }, rewrites);
  const mine = rewrite("mine", ["m"]);
  const view = (change: Partial<ModelRewriteView> = {}): ModelRewriteView => ({
    ...{ rewrite: mine, problem: undefined, poolGroup: group, poolExists: true },
    ...{ table: table(mine), shadowedBy: undefined, stale: undefined },
    ...change,
  });
  const empty = { ...mine, rules: [{ models: ["m"], targets: [] }] };
  const partly = rewrite("mine", ["m", "n"]);
  const service = { ...mine, poolRef: { group: "", kind: "Service", name: "p" } };

  it.each<[string, string, string, Partial<ModelRewriteView>]>([
    ["Accepted", "True/Accepted", "the pool uses the rules", {}],
    [
      "Accepted",
      "False/NoTargets",
      "rules[0]: no target has a weight above 0, so the rule is ignored",
      { rewrite: empty, table: table(empty) },
    ],
    [
      "Accepted",
      "False/RefNotResolved",
      "InferencePool ns/p does not exist",
      { poolExists: false },
    ],
    [
      "Accepted",
      "False/Invalid",
      "spec.poolRef: Required",
      { rewrite: undefined, problem: "spec.poolRef: Required" },
    ],
    ["Accepted", "Unknown/StaleCache", "no answer", { stale: "no answer" }],
    [
      "Accepted",
      "False/RuleOverridden",
      "rules[0]: model m: rules[0] of ns/older wins",
      { table: table(mine, older) },
    ],
    [
      "Accepted",
      "False/RuleOverridden",
      "the object of the same name in llm-d.ai is used instead of this one",
      { shadowedBy: "llm-d.ai" },
    ],
    [
      "Accepted",
      "True/Accepted",
      "the pool uses the rules that no other rule overrides",
      { rewrite: partly, table: table(partly, older) },
    ],
    ["ResolvedRefs", "True/ResolvedRefs", "InferencePool ns/p exists", {}],
    [
      "ResolvedRefs",
      "False/PoolNotFound",
      "InferencePool ns/p does not exist",
      { poolExists: false },
    ],
    [
      "ResolvedRefs",
      "False/InvalidKind",
      "Service of the core group does not support rewrites; use an InferencePool of inference.networking.k8s.io",
      { rewrite: service },
    ],
    ["Overridden", "False/NotOverridden", "every rule is used", {}],
    [
      "Overridden",
      "True/RuleOverridden",
      "rules[0]: model m: rules[0] of ns/older wins",
      { table: table(mine, older) },
    ],
    [
      "Overridden",
      "True/RuleOverridden",
      "rules[0]: every model: rules[0] of ns/everything wins",
      { rewrite: rewrite("mine", undefined), table: table(rewrite("mine", undefined), everything) },
    ],
    ["Overridden", "False/NotOverridden", "every rule is used", { table: table(mine, everything) }],
    [
      "Overridden",
      "True/RuleOverridden",
      "the object of the same name in llm-d.ai is used instead of this one",
      { shadowedBy: "llm-d.ai" },
    ],
    [
      "Overridden",
      "False/NotOverridden",
      "every rule is used",
      { rewrite: empty, table: table(empty, older) },
    ],
  ])("%s %s: %s", (type, reason, message, change) => {
    const { conditions } = modelRewriteStatus(view(change), undefined, moment);
    expect(says(conditions, type)).toEqual([reason, message]);
  });

  it("reports an earlier rule of the same rewrite that overrides a rule", () => {
    const twice = { ...mine, rules: [...mine.rules, ...mine.rules] };
    const { conditions } = modelRewriteStatus(
      view({ rewrite: twice, table: table(twice) }),
      undefined,
      moment,
    );
    expect(says(conditions, "Overridden")[1]).toBe("rules[1]: model m: rules[0] of ns/mine wins");
  });

  it("keeps the conditions of other controllers", () => {
    const theirs: Condition = {
      ...{ type: "Programmed", status: "True", reason: "Ours", message: "" },
      lastTransitionTime: moment.now,
    };
    const status = modelRewriteStatus(view(), { conditions: [theirs] }, moment);
    expect(status.conditions?.map(({ type }) => type)).toEqual([
      ...Object.keys(modelRewriteReasons),
      "Programmed",
    ]);
    expect(ModelRewriteStatus.safeParse(status).error).toBeUndefined();
  });
});
