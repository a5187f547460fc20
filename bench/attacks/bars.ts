import type { Outcome } from "../../test/attacks/stage.ts";

/** What others may notice of an attack on our picker, at most. */
const bars = { p99: 200, rssMiB: 512 };

/** The bars that an attack missed, in words. */
export function missedBars(outcome: Outcome, mostP99 = bars.p99): string[] {
  const { answers, complete, restarts, probesFailed, failures, p99, rssMiB } = outcome;
  return [
    ...(complete < answers ? [`${answers - complete} of ${answers} answers broke off`] : []),
    ...(failures > 0 ? [`${failures} short requests failed`] : []),
    ...(restarts > 0 ? [`${restarts} restarts (${outcome.ended})`] : []),
    ...(probesFailed > 0 ? [`${probesFailed} probes failed`] : []),
    ...(p99 > mostP99 ? [`p99 ${p99.toFixed(0)} ms, bar ${mostP99}`] : []),
    ...(rssMiB > bars.rssMiB ? [`RSS ${rssMiB} MiB, bar ${bars.rssMiB}`] : []),
  ];
}
