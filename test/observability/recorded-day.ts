import { seeded } from "../../testing/samples/seeded.ts";
import { type RecordedSeries, record, scrapeSeconds, seriesWith } from "./recorded-series.ts";
import { type PageSeries, SimulatedEngines } from "./simulated-engines.ts";
import { healthy, type PoolState } from "./simulated-picker.ts";

/** Six hours of traffic with three faults, from which the pictures of the dashboards are drawn. */

export const hours = 6;
const minutes = 60 * hours;

/** Monday 5 January 2026, 06:00 UTC, in seconds. */
export const start = Date.UTC(2026, 0, 5, 6) / 1_000;

/** Requests per second of load 1. */
const baseRate = 7;

/** Returns the state of the pool at a minute. Requests double until noon. */
function stateAt(minute: number): PoolState {
  const wave = Math.sin(minute / 7) * Math.sin(minute / 3.1);
  const load = 0.8 + 0.8 * (minute / minutes) + 0.08 * wave;
  const during = (from: number, length: number) => minute >= from && minute < from + length;
  return {
    ...healthy,
    rate: baseRate * load,
    kvCache: 0.35 * load,
    saturation: 0.45 * load,
    desired: Math.ceil(2.4 * load),
    errors: 0.001,
    slowFirstTokens: 0.004,
    slowOutputs: 0.004,
    ...(during(90, 25) && lostEngine(load)),
    ...(during(180, 30) && { slowFirstTokens: 0.12 }),
    ...(during(270, 15) && {
      ...{ errors: 0.06, failingEngines: [2], hasFailingPair: true },
    }),
  };
}

/** One of four engines is gone: the others are full, requests wait, and clients try again. */
const lostEngine = (load: number): Partial<PoolState> => ({
  ...{ engines: 3, saturation: 1.05 * load, kvCache: 0.9 * load, pollErrors: 0.5 },
  ...{ queued: 2.5, desired: 4, rate: 1.8 * baseRate * load },
});

/** Returns the series of the picker, the engines and the GPUs. */
export const recordedDay = (): RecordedSeries[] => [
  ...record(minutes, seeded(3), stateAt),
  ...recordEngines(),
];

function recordEngines(): RecordedSeries[] {
  const engines = new SimulatedEngines();
  const values = new Map<string, string[]>();
  const scrapes = (60 * minutes) / scrapeSeconds;
  const add = (at: number, labels: Readonly<Record<string, string>>, series: PageSeries) => {
    const name = seriesWith(labels, series[0], series[1]);
    const list = values.get(name) ?? Array.from({ length: at }, () => "_");
    values.set(name, list);
    list[at] = series[2];
  };
  for (let at = 0; at < scrapes; at += 1) {
    engines.run(scrapeSeconds, stateAt((at * scrapeSeconds) / 60));
    for (const [engine, page] of engines.pages()) {
      const labels = {
        ...{ job: "models/chat-engines", namespace: "models", pod: `chat-${engine}` },
        ...{ container: "engine", endpoint: "http" },
      };
      for (const series of [...page, ["up", "", "1"] as const]) add(at, labels, series);
    }
    for (const series of engines.gpus())
      add(at, { job: "nvidia-dcgm-exporter", namespace: "gpu-operator", pod: "dcgm-x" }, series);
  }
  return [...values].map(([series, list]) => ({
    series,
    values: Array.from({ length: scrapes }, (_, at) => list[at] ?? "_").join(" "),
  }));
}
