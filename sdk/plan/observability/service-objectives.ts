import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { objectivesRuleName } from "../../names.ts";
import { metrics } from "../../observability/metrics.ts";
import { rate, sum, total } from "../../observability/promql.ts";
import type { ServiceObjectivesSpec } from "../../spec/service-objectives.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { Alert, Recording } from "./alert.ts";
import { burnAlerts, longRatios, shortRatios } from "./burn-rates.ts";
import { causeAlerts } from "./cause-alerts.ts";
import { planDashboards } from "./dashboards.ts";
import { planMonitors } from "./monitors.ts";
import { objectivesOf } from "./objectives.ts";
import { ofPicker, type Target, targetOf } from "./target.ts";

/** Group of rules that Prometheus evaluates together. */
export interface RuleGroup {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

/** A recording rule, with `record`, or an alert. */
export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Time between two evaluations of rules. Ratios over hours change slowly, and cost more to compute. */
const often = "30s";
const seldom = "2m";

/** Returns the PrometheusRule, the monitors and the ConfigMap with the dashboards. */
export function planServiceObjectives(parsed: Parsed<ServiceObjectivesSpec>): Manifest[] {
  const { metadata, spec } = parsed;
  const target = targetOf(parsed);
  const context: PlanContext = { metadata, owner: target.owner };
  return [
    {
      apiVersion: kinds.PrometheusRule.apiVersion,
      kind: "PrometheusRule",
      metadata: objectMeta(context, objectivesRuleName(metadata.name)),
      spec: { groups: ruleGroups(parsed, target) },
    },
    ...(spec.monitors ? planMonitors(context, target, spec.of) : []),
    ...(spec.dashboards ? [planDashboards(context, target, spec)] : []),
  ];
}

function ruleGroups({ spec }: Parsed<ServiceObjectivesSpec>, target: Target): RuleGroup[] {
  const { windowDays, alerts } = spec;
  const objectives = objectivesOf(spec, target);
  const group = (
    what: string,
    interval: string,
    rules: RuleGroup["rules"],
  ): readonly RuleGroup[] =>
    rules.length === 0
      ? []
      : [{ name: `${target.namespace}-${target.objectives}-${what}`, interval, rules }];
  const alertRules = (list: readonly Alert[]) =>
    list.map((each) => alertRule(each, alerts, target));
  return [
    ...group(
      "ratios",
      often,
      objectives.flatMap((objective) => shortRatios(target, objective)).map(recordingRule),
    ),
    ...group(
      "long-ratios",
      seldom,
      objectives
        .flatMap((objective) => longRatios(target, objective, windowDays))
        .map(recordingRule),
    ),
    ...group(
      "budgets",
      often,
      alertRules(objectives.flatMap((objective) => burnAlerts(target, objective, windowDays))),
    ),
    ...group("causes", often, alertRules(causeAlerts(target, alerts.minReadyEndpoints))),
    ...group("usage", often, tokenUsage(target).map(recordingRule)),
  ];
}

/** Tokens per second of each tenant and model. */
const tokenUsage = (target: Target): Recording[] =>
  (["inputTokens", "outputTokens"] as const).map((direction) => {
    const family = metrics[direction];
    const tokens = direction === "inputTokens" ? "input_tokens" : "output_tokens";
    return {
      record: `inference:${tokens}:rate5m`,
      expr: sum(rate(total(family, "sum", ofPicker(target)), "5m"), ["fairness_id", "model_name"]),
      labels: { objectives: target.objectives, namespace: target.namespace },
    };
  });

const recordingRule = ({ record, expr, labels }: Recording): Rule => ({ record, expr, labels });

function alertRule(
  { alert, expr, for: time, severity, labels, summary, description }: Alert,
  { labels: further, annotations, runbookUrl }: ServiceObjectivesSpec["alerts"],
  { objectives, namespace, command }: Target,
): Rule {
  return {
    alert,
    expr,
    for: time,
    labels: { ...further, ...labels, severity, objectives, namespace },
    annotations: {
      ...annotations,
      summary,
      description: `${description} Run: ${command}`,
      ...(runbookUrl !== undefined && { runbook_url: `${runbookUrl}#${alert.toLowerCase()}` }),
    },
  };
}
