import type { PickerReading, ServiceReport } from "../../../sdk/status/picker-report.ts";
import {
  MetricsScanner,
  type Series,
} from "../../endpoint-picker/model-servers/metrics-scanner.ts";

/** Families of a picker's metrics that statuses are read from (docs: metrics of the endpoint picker). */
const family = {
  requests: "llm_service_requests_total",
  objective: "llm_service_latency_per_output_token_objective_seconds",
  p95: "llm_service_latency_per_output_token_p95_seconds",
  missing: "model_target_missing",
} as const;

const scanner = new MetricsScanner(Object.values(family));

/** What several pickers of one pool say, put together. */
interface Gathered {
  requests: number;
  readonly objectives: Map<string, { objective: number | undefined; p95: number | undefined }>;
  readonly missing: Map<string, { model: string; target: string; pod: string }>;
}

/**
 * What the pages of a pool's pickers say, by LLMService. Each picker has seen a part of the requests: a target that
 * one of them found missing is missing, and the slowest P95 counts.
 *
 * @param pool `namespace/name`
 */
export function readPickerPages(
  pool: string,
  pages: readonly Buffer[],
): Map<string, ServiceReport> {
  const services = new Map<string, Gathered>();
  const visit = ({ family: name, labels, value }: Series) => {
    const service = labels.get("llm_service");
    if (service === undefined || labels.get("pool") !== pool || !Number.isFinite(value)) return;
    add(gatheredOf(services, service), name, labels, value);
  };
  for (const page of pages) scanner.scan(page, visit);
  return new Map([...services].map(([service, gathered]) => [service, reportOf(gathered)]));
}

function gatheredOf(services: Map<string, Gathered>, service: string): Gathered {
  let gathered = services.get(service);
  if (gathered === undefined) {
    gathered = { requests: 0, objectives: new Map(), missing: new Map() };
    services.set(service, gathered);
  }
  return gathered;
}

function add(gathered: Gathered, name: string, labels: Series["labels"], value: number): void {
  const model = labels.get("model_name") ?? "";
  switch (name) {
    case family.requests:
      gathered.requests += value;
      return;
    case family.objective:
      gathered.objectives.set(model, {
        p95: undefined,
        ...gathered.objectives.get(model),
        objective: value,
      });
      return;
    case family.p95: {
      const before = gathered.objectives.get(model);
      const p95 = Math.max(value, before?.p95 ?? 0);
      gathered.objectives.set(model, { objective: before?.objective, p95 });
      return;
    }
    case family.missing: {
      if (value === 0) return;
      const target = labels.get("target_model_name") ?? "";
      const pod = `${labels.get("namespace")}/${labels.get("pod")}`;
      gathered.missing.set(`${model}\0${target}\0${pod}`, { model, target, pod });
    }
  }
}

const reportOf = ({ requests, objectives, missing }: Gathered): ServiceReport => ({
  requests,
  objectives: [...objectives]
    .flatMap(([model, { objective, p95 }]) =>
      objective === undefined ? [] : [{ model, objective, p95 }],
    )
    .sort((a, b) => (a.model < b.model ? -1 : 1)),
  missingTargets: [...missing].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry),
});

const nothingYet: ServiceReport = { requests: 0, objectives: [], missingTargets: [] };

/** What the pickers of a pool last said, or why they said nothing. */
export type PoolReading =
  | { readonly reports: ReadonlyMap<string, ServiceReport>; readonly problem?: never }
  | { readonly reports?: never; readonly problem: string };

/** What it says of one service: a picker that has seen no request of it says nothing. */
export const readingOf = (reading: PoolReading, service: string): PickerReading =>
  reading.reports === undefined
    ? { problem: reading.problem }
    : { report: reading.reports.get(service) ?? nothingYet };
