import {
  type Endpoint,
  type LiveState,
  type ModelServerMetrics,
  newLiveState,
} from "../../scheduling/endpoints/endpoint.ts";
import { readingOf, sentBefore } from "../../scheduling/endpoints/metrics-reading.ts";
import { label } from "../../sdk/names.ts";
import { Simulation } from "../../testing/model-server/simulation.ts";
import type { Trace } from "./trace.ts";

/** A model server as routers see it. */
export interface Pod {
  readonly index: number;
  /** State that only an oracle may read. */
  readonly simulation: Simulation;
  /** The picker's state of it. */
  readonly endpoint: Endpoint;
  readonly role: "prefiller" | "decoder";
  alive: boolean;
  /** It takes requests and answers none. */
  hangs: boolean;
  /** Result of reading its metrics. */
  metrics: "read" | "unread" | "frozen";
  /** Requests that were sent there and have not ended. */
  outstanding: number;
}

/** A pod for each of a trace, on addresses that follow each other. */
export const podsOf = (trace: Trace, network?: Network): Pod[] =>
  Array.from({ length: trace.pods }, (_, index) => podOf(trace, index, network));

export interface Network {
  /** The first two bytes of the addresses. */
  readonly prefix: string;
  readonly port: number;
}

const addresses: Network = { prefix: "10.0", port: 8_000 };

export function podOf(
  { engine, engineOf, prefillers }: Pick<Trace, "engine" | "engineOf" | "prefillers">,
  index: number,
  { prefix, port }: Network = addresses,
): Pod {
  const role = prefillers?.includes(index) ? "prefiller" : "decoder";
  const ip = `${prefix}.${Math.floor(index / 250)}.${(index % 250) + 1}`;
  return {
    index,
    simulation: new Simulation(engineOf?.[index] ?? engine),
    role,
    alive: true,
    hangs: false,
    metrics: "read",
    outstanding: 0,
    endpoint: {
      id: `default/pod-${index}-rank-0`,
      namespace: "default",
      pod: `pod-${index}`,
      podUid: `uid-${index}`,
      rank: 0,
      ip,
      port,
      address: `${ip}:${port}`,
      labels: { [label.componentType]: role },
      live: newLiveState(),
    },
  };
}

/** Time of the pod's next step; infinite if it has none. */
export const nextStep = ({ simulation, hangs }: Pod): number =>
  hangs ? Number.POSITIVE_INFINITY : simulation.nextAt;

/** Requests that the engine has no slot for. The others that arrived during a step join the next one. */
export const withoutPlace = ({ state, options }: Simulation): number =>
  Math.max(0, state.waiting + state.running - options.maxSequences);

/** Returns the result of reading the pod's metrics; undefined if they do not arrive. */
export function readingOfPod(pod: Pod, at: number): ModelServerMetrics | undefined {
  const { live } = pod.endpoint;
  if (!pod.alive || pod.metrics === "unread") return undefined;
  if (pod.metrics === "frozen") return live.metrics && { ...live.metrics, at };
  return pod.hangs ? undefined : metricsOf(pod.simulation, at);
}

/** Notes a reading of a server, as the picker's scraper does. */
export function take(live: LiveState, metrics: ModelServerMetrics): void {
  live.metrics = metrics;
  live.reading = readingOf(live, metrics, sentBefore(live));
}

/** Returns the metrics of a server. */
export function metricsOf({ metrics, options }: Simulation, at: number): ModelServerMetrics {
  return {
    at,
    waitingRequests: metrics.waiting,
    runningRequests: metrics.running,
    reportsRequests: true,
    maxRunningRequests: undefined,
    firstTokens: metrics.firstTokens,
    endedRequests: metrics.endedRequests,
    generatedTokens: metrics.generatedTokens,
    kvCacheUsage: metrics.cacheUsage,
    cacheBlockSize: options.blockTokens,
    cacheBlocks: options.cacheBlocks,
    servedModel: "base",
    activeModels: new Set(),
    waitingModels: new Set(),
    maxActiveModels: 0,
  };
}
