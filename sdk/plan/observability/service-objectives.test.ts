import { describe, expect, it } from "vitest";
import { metrics } from "../../observability/metrics.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { serviceObjectivesSpecKind } from "../../validate/spec-kinds.ts";
import { planServiceObjectives, type Rule, type RuleGroup } from "./service-objectives.ts";

const plan = (spec: object) =>
  planServiceObjectives(
    parseKind(serviceObjectivesSpecKind, {
      metadata: { name: "slo", namespace: "models" },
      spec: { of: { name: "chat" }, ...spec },
    }),
  );
const rulesOf = (spec: object): Rule[] =>
  plan(spec)
    .filter(({ kind }) => kind === "PrometheusRule")
    .flatMap((rule) => (rule.spec as { groups: readonly RuleGroup[] }).groups)
    .flatMap(({ rules }) => rules);

const objectives = {
  availability: 0.999,
  firstToken: { seconds: 1, share: 0.99 },
  perOutputToken: { seconds: 0.04, share: 0.99 },
};

describe("the plan of objectives", () => {
  it("alerts have the burn rates, windows and severities of the SRE workbook", () => {
    const burn = rulesOf({ objectives: { availability: 0.999 } }).filter(
      ({ alert }) => alert === "InferenceAvailabilityBudgetBurn",
    );
    const windows =
      /ratio_rate(\w+)\{[^}]*\} > ([\d.]+) and \S+ratio_rate(\w+)\{[^}]*\} > ([\d.]+)/;
    expect(
      burn.map(({ expr, labels }) => [...(windows.exec(expr) ?? []).slice(1), labels.severity]),
    ).toEqual([
      ["1h", "0.0144", "5m", "0.0144", "page"],
      ["6h", "0.006", "30m", "0.006", "page"],
      ["1d", "0.003", "2h", "0.003", "ticket"],
      ["3d", "0.001", "6h", "0.001", "ticket"],
    ]);
  });

  it("every objective has a recorded error ratio over each window", () => {
    const recorded = rulesOf({ objectives }).flatMap(({ record, labels }) =>
      record?.includes("ratio_rate")
        ? [`${labels.objective} ${record.split("ratio_rate")[1]}`]
        : [],
    );
    const windows = ["5m", "30m", "1h", "2h", "6h", "1d", "3d"];
    expect(recorded.sort()).toEqual(
      ["availability", "first_token", "per_output_token"]
        .flatMap((objective) => windows.map((window) => `${objective} ${window}`))
        .sort(),
    );
  });

  it("expressions select metrics of the registry by the job of the picker", () => {
    const known = new Set<string>(Object.values(metrics).map(({ name }) => name));
    for (const { expr } of rulesOf({ objectives }))
      for (const [, name, matchers] of expr.matchAll(/(llm_\w+)(\{[^}]*\})?/g)) {
        expect(known).toContain(name?.replace(/_(bucket|count|sum)$/, ""));
        expect(matchers).toContain('job="chat-epp", namespace="models"');
      }
  });

  it("the bound 1 matches both spellings of Prometheus", () => {
    const first = rulesOf({ objectives }).find(({ expr }) => expr.includes("le=~"));
    expect(first?.expr).toContain(String.raw`le=~"1(\\.0)?"`);
  });

  it("every alert has a severity, a time, the object's name and the next command", () => {
    const alerts = rulesOf({
      objectives,
      alerts: { labels: { team: "games" }, runbookUrl: "https://runbooks.example/inference" },
    }).filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBe(21);
    for (const { alert, for: time, labels, annotations } of alerts) {
      expect(labels).toMatchObject({ team: "games", objectives: "slo", namespace: "models" });
      expect(labels.severity).toMatch(/^(page|ticket)$/);
      expect(time).toMatch(/^\d+m$/);
      expect(annotations?.summary).toContain("InferenceService chat in namespace models");
      expect(annotations?.description).toContain("npx pulumi-inference status chat -n models");
      expect(annotations?.runbook_url).toBe(
        `https://runbooks.example/inference#${alert?.toLowerCase()}`,
      );
    }
  });

  it("a service that scales to zero alerts only while requests are queued", () => {
    const [ready] = rulesOf({ alerts: { minReadyEndpoints: 0 } }).filter(
      ({ alert }) => alert === "InferenceNoReadyEndpoint",
    );
    expect(ready?.expr).toMatch(/== 0 and sum\(llm_d_epp_flow_control_queue_size\{.*\}\) > 0$/);
  });

  it.each([
    [
      "a service has monitors of its picker and its engines, and dashboards",
      {},
      ["ServiceMonitor", "PodMonitor", "ConfigMap"],
    ],
    [
      "a pool has a monitor of its picker, and dashboards",
      { of: { kind: "InferencePool", name: "chat" } },
      ["ServiceMonitor", "ConfigMap"],
    ],
    ["monitors: false plans no monitor", { monitors: false }, ["ConfigMap"]],
    ["dashboards: false plans no ConfigMap", { monitors: false, dashboards: false }, []],
  ])("%s", (_, spec, kinds) => {
    expect(plan(spec).map(({ kind }) => kind)).toEqual(["PrometheusRule", ...kinds]);
  });
});
