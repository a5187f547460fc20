import { figuresOf } from "./figures.ts";
import type { Run } from "./simulate.ts";
import { milliseconds, row } from "./table.ts";
import type { Trace } from "./trace.ts";

/** Latency and share of tenants in a pool that cannot serve all requests. */
export interface TenantFigures {
  /** Milliseconds to the first token. */
  readonly light: Latency;
  readonly heavy: Latency;
  /** Percent of the tokens that were served while requests arrived, and of the tokens requested in that time. */
  readonly lightShare: number;
  readonly lightDemand: number;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
  /** Percent of the requests that were not answered. */
  readonly failed: number;
}

/** Returns undefined if a trace has no light tenant. */
export function tenantFigures(trace: Trace, run: Run): TenantFigures | undefined {
  if (trace.requests.every(({ tenant }) => tenant !== "light")) return undefined;
  const until = trace.requests.at(-1)?.at ?? 0;
  const of = (tenant: string) =>
    run.outcomes.filter(
      ({ request }) => request.tenant === tenant && request.at >= trace.measureFrom,
    );
  const latency = (tenant: string): Latency => {
    const outcomes = of(tenant);
    const { p50, p95, failed } = figuresOf(trace, { outcomes, waiting: [] });
    return { p50, p95, failed: (100 * failed) / outcomes.length };
  };
  const served = (tenant: string) =>
    of(tenant)
      .filter(({ endAt }) => endAt <= until)
      .reduce((sum, { promptTokens, tokens }) => sum + promptTokens + tokens, 0);
  const share = (amount: (tenant: string) => number) =>
    (100 * amount("light")) / (amount("light") + amount("heavy"));
  return {
    light: latency("light"),
    heavy: latency("heavy"),
    lightShare: share(served),
    lightDemand: share((tenant) => of(tenant).length),
  };
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[(numbers.length - 1) >> 1] as number;

/** Medians of several runs of each contender, as Markdown. */
export function tenantTable(all: Readonly<Record<string, readonly TenantFigures[]>>): string {
  const columns: ReadonlyArray<readonly [string, (figures: TenantFigures) => number]> = [
    ["light tenant: first token p50 ms", ({ light }) => light.p50],
    ["p95 ms", ({ light }) => light.p95],
    ["failed %", ({ light }) => light.failed],
    ["of the served tokens %", ({ lightShare }) => lightShare],
    ["of the requests %", ({ lightDemand }) => lightDemand],
    ["heavy tenant: p50 ms", ({ heavy }) => heavy.p50],
    ["p95 ms", ({ heavy }) => heavy.p95],
    ["failed %", ({ heavy }) => heavy.failed],
  ];
  return [
    "",
    row(["", ...columns.map(([title]) => title)]),
    row(["", ...columns].map(() => "---")),
    ...Object.entries(all).map(([contender, runs]) =>
      row([contender, ...columns.map(([, of]) => milliseconds(median(runs.map(of))))]),
    ),
  ].join("\n");
}
