import { expose } from "../../runtime/manager/metrics/exposition.ts";
import { metrics } from "../../sdk/observability/metrics.ts";
import { healthy, type PoolState, SimulatedPicker } from "./simulated-picker.ts";

/** Seconds between two scrapes, as in the planned monitor. */
export const scrapeSeconds = 15;

/** A series as promtool reads it: one value per scrape, and `_` for a scrape without it. */
export interface RecordedSeries {
  readonly series: string;
  readonly values: string;
}

const names = new Set<string>(Object.values(metrics).map(({ name }) => name));

/** Labels that Prometheus adds for the planned ServiceMonitor. The picker's labels win (honorLabels). */
const target = {
  ...{ job: "chat-epp", namespace: "models", service: "chat-epp" },
  ...{ endpoint: "http-metrics", pod: "chat-epp-0" },
};

/**
 * Records what Prometheus scrapes from a simulated picker: the families of the registry, and `up`.
 *
 * @param minutes length of the recording
 * @param stateAt state of the pool at a minute of the recording
 */
export function record(
  minutes: number,
  random: () => number,
  stateAt: (minute: number) => PoolState,
): RecordedSeries[] {
  const picker = new SimulatedPicker(random);
  const values = new Map<string, string[]>();
  const scrapes = (60 * minutes) / scrapeSeconds;
  for (let scrape = 0; scrape < scrapes; scrape += 1) {
    const state = stateAt((scrape * scrapeSeconds) / 60);
    picker.run(scrapeSeconds, state);
    add(values, scrape, seriesOf("up", ""), state.isUp ? "1" : "0");
    if (state.isUp)
      for (const [series, value] of scraped(picker)) add(values, scrape, series, value);
  }
  return [...values].map(([series, list]) => ({
    series,
    values: Array.from({ length: scrapes }, (_, at) => list[at] ?? absent(list[at - 1])).join(" "),
  }));
}

/** Prometheus ends a series at the first scrape without it. */
const absent = (before: string | undefined): string => (before === undefined ? "_" : "stale");

function add(values: Map<string, string[]>, at: number, series: string, value: string): void {
  const list = values.get(series) ?? [];
  values.set(series, list);
  list[at] = value;
}

function* scraped(picker: SimulatedPicker): Iterable<[series: string, value: string]> {
  for (const family of picker.families) {
    if (!names.has(family.name)) continue;
    for (const line of [...expose(family)].join("").split("\n")) {
      const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) yield [seriesOf(name, labels), value];
    }
  }
}

const seriesOf = (name: string, labels: string) => seriesWith(target, name, labels);

/** Returns a series with the labels that Prometheus adds. The labels of the page win. */
export function seriesWith(
  added: Readonly<Record<string, string>>,
  name: string,
  labels: string,
): string {
  const own = new Set([...labels.matchAll(/(\w+)="/g)].map(([, label]) => label));
  const further = Object.entries(added)
    .filter(([label]) => !own.has(label))
    .map(([label, value]) => `${label}="${value}"`);
  return `${name}{${[labels, ...further].filter((part) => part !== "").join(",")}}`;
}

/** Returns the state of a pool whose load varies over the day, with short faults for which no operator is needed. */
export function quietDay(minute: number): PoolState {
  const load = 1 + 0.5 * Math.sin((2 * Math.PI * minute) / 1_440);
  const during = (period: number, length: number) => minute % period < length;
  return {
    ...healthy,
    rate: 2 * load,
    kvCache: during(240, 4) ? 0.97 : 0.4 * load,
    saturation: during(200, 5) ? 1.2 : 0.5 * load,
    queued: during(200, 4) ? 8 : 0,
    engines: during(360, 3) ? 3 : 4,
    pollErrors: during(360, 3) ? 5 : 0,
    // Not in the first minutes, because the windows of the rules would contain nothing else.
    failingEngines: minute > 60 && during(300, 2) ? [1] : [],
    hasFailingPair: during(280, 1),
    desired: during(180, 8) ? 5 : 3,
  };
}
