import type {
  LatencyMeasure,
  PickerReading,
  ServiceReport,
} from "../../../sdk/status/picker-report.ts";
import type { FailingPods } from "../../../sdk/status/recycling.ts";
import { MetricsScanner, type Series } from "../../epp/model-servers/metrics-scanner.ts";
import { limits } from "../../limits.ts";

/** Metric families of a picker that statuses depend on (docs: metrics of the endpoint picker). */
const family = {
  requests: "llm_service_requests_total",
  missing: "llm_d_epp_model_target_missing",
} as const;

/** Seconds for which all prefills of a pod have failed. */
const failingFamily = "llm_d_epp_pd_pod_failing_seconds";

/** Latency families, each with its measure and the value that it contains. */
const latencyFamilies: ReadonlyMap<string, readonly [LatencyMeasure, "objective" | "p95"]> =
  new Map([
    ["llm_service_latency_per_output_token_objective_seconds", ["per output token", "objective"]],
    ["llm_service_latency_per_output_token_p95_seconds", ["per output token", "p95"]],
    ["llm_service_time_to_first_token_objective_seconds", ["to the first token", "objective"]],
    ["llm_service_time_to_first_token_p95_seconds", ["to the first token", "p95"]],
  ]);

/** Names at the start of the lines that are read. */
const readNames = [...Object.values(family), ...latencyFamilies.keys(), failingFamily].map((name) =>
  Buffer.from(name),
);
const lineFeed = 0x0a;

/**
 * Returns the relevant lines of a page in a new buffer: a page has about 100 other lines for each of them.
 *
 * @param most the largest number of lines
 * @throws Error if the page has more
 */
export function linesRead(page: Buffer, most: number): { lines: Buffer; count: number } {
  const parts: Buffer[] = [];
  for (let start = 0; start < page.length; ) {
    const feed = page.indexOf(lineFeed, start);
    const end = feed < 0 ? page.length : feed + 1;
    if (
      readNames.some((name) => page.compare(name, 0, name.length, start, start + name.length) === 0)
    )
      parts.push(page.subarray(start, end));
    if (parts.length > most)
      throw new Error(
        `its endpoint pickers report more than ${limits.pickerSeries.value} series about services`,
      );
    start = end;
  }
  return { lines: Buffer.concat(parts), count: parts.length };
}

const scanner = new MetricsScanner([...Object.values(family), ...latencyFamilies.keys()]);
const failingScanner = new MetricsScanner([failingFamily]);

/**
 * Returns the seconds for which the prefills of pods have failed, by `namespace/name`; 0 for a pod that works for at
 * least one picker.
 */
export function readFailingPods(pages: readonly Buffer[]): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const page of pages)
    failingScanner.scan(page, ({ labels, value }) => {
      const pod = `${labels.get("namespace")}/${labels.get("pod")}`;
      const known = seconds.get(pod);
      if (!Number.isFinite(value) || known === 0) return;
      seconds.set(pod, value === 0 ? 0 : Math.max(value, known ?? 0));
    });
  return seconds;
}

interface Latency {
  readonly model: string;
  readonly measure: LatencyMeasure;
  objective: number | undefined;
  p95: number | undefined;
}

/** Values of one service from all pickers of a pool. */
interface Gathered {
  requests: number;
  /** By model and measure. */
  readonly latencies: Map<string, Latency>;
  readonly missing: Map<string, { model: string; target: string; pod: string }>;
}

/**
 * Returns the report of each LLMService from the pages of a pool's pickers. Each picker has received only some of the
 * requests: a target is missing if one of the pickers found it missing, and the slowest P95 counts.
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
    gathered = { requests: 0, latencies: new Map(), missing: new Map() };
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
    case family.missing: {
      if (value === 0) return;
      const target = labels.get("target_model_name") ?? "";
      const pod = `${labels.get("namespace")}/${labels.get("pod")}`;
      gathered.missing.set(`${model}\0${target}\0${pod}`, { model, target, pod });
      return;
    }
    default:
      addLatency(gathered, name, model, value);
  }
}

function addLatency({ latencies }: Gathered, name: string, model: string, value: number): void {
  const reported = latencyFamilies.get(name);
  if (reported === undefined) return;
  const [measure, of] = reported;
  const key = `${model}\0${measure}`;
  const latency = latencies.get(key) ?? { model, measure, objective: undefined, p95: undefined };
  latencies.set(key, latency);
  if (of === "objective") latency.objective = value;
  else latency.p95 = Math.max(value, latency.p95 ?? 0);
}

const reportOf = ({ requests, latencies, missing }: Gathered): ServiceReport => ({
  requests,
  objectives: [...latencies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { objective, ...latency }]) =>
      objective === undefined ? [] : [{ ...latency, objective }],
    ),
  missingTargets: [...missing].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry),
});

const nothingYet: ServiceReport = { requests: 0, objectives: [], missingTargets: [] };

/** The latest reports of a pool's pickers, or the reason that there are none. */
export type PoolReading =
  | {
      readonly reports: ReadonlyMap<string, ServiceReport>;
      readonly failing: FailingPods;
      readonly problem?: never;
    }
  | { readonly reports?: never; readonly failing?: never; readonly problem: string };

/** Returns the number of values in a reading. */
export const factsOf = ({ reports, failing }: PoolReading): number =>
  [...(reports?.values() ?? [])].reduce(
    (sum, { objectives, missingTargets }) => sum + 1 + objectives.length + missingTargets.length,
    failing?.seconds.size ?? 0,
  );

/** Returns the reading of one service. Its report is empty if no picker has had a request for it. */
export const readingOf = (reading: PoolReading, service: string): PickerReading =>
  reading.reports === undefined
    ? { problem: reading.problem }
    : { report: reading.reports.get(service) ?? nothingYet };
