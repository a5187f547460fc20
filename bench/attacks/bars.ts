import { type Attack, type Outcome, plannedMemoryMiB } from "../../test/attacks/stage.ts";

/** Highest values that bystanders may measure during an attack on our picker. */
const bars = { p99: 200, rssMiB: 512 };

/** The bars of an attack, if the bystanders' p99 is `own` without it. */
const barsOf = ({ isRelative, mostP99 = bars.p99 }: Attack, own: number) =>
  isRelative ? { p99: 2 * own, rssMiB: 0.7 * plannedMemoryMiB } : { ...bars, p99: mostP99 };

/** The bars that an attack missed, in words. */
export function missedBars(outcome: Outcome, attack: Attack, own: number): string[] {
  const most = barsOf(attack, own);
  const { answers, complete, restarts, probesFailed, failures, p99, rssMiB } = outcome;
  return [
    ...(complete < answers ? [`${answers - complete} of ${answers} answers broke off`] : []),
    ...(failures > 0 ? [`${failures} short requests failed`] : []),
    ...(restarts > 0 ? [`${restarts} restarts (${outcome.ended})`] : []),
    ...(probesFailed > 0 ? [`${probesFailed} probes failed`] : []),
    ...(p99 > most.p99 ? [`p99 ${p99.toFixed(0)} ms, bar ${most.p99.toFixed(0)}`] : []),
    ...(rssMiB > most.rssMiB ? [`RSS ${rssMiB} MiB, bar ${most.rssMiB.toFixed(0)}`] : []),
  ];
}
