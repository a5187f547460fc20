import type { PoolSnapshot } from "../../../scheduling/dispatch/pool-snapshot.ts";
import type { QueuesView } from "../../../scheduling/flow-control/queues-view.ts";
import { metrics } from "../../../sdk/observability/metrics.ts";
import { limits } from "../../limits.ts";
import {
  computed,
  counters,
  type Family,
  gauges,
  type Histogram,
  histograms,
  type Sample,
  type Tally,
} from "../../manager/metrics/family.ts";
import type { FlowObserver, FlowOutcome, ObservedRequest } from "../flow-observer.ts";
import { boundedLabel, overflow } from "./bounded-label.ts";
import * as bounds from "./bounds.ts";
import { described as ofUpstream, withOlderNames } from "./upstream-names.ts";

/** State that is read when metrics are. */
export interface FlowView {
  /** Name of the pool; empty if it is unknown. */
  readonly pool: () => string;
  readonly queues: () => QueuesView;
  readonly gate: () => PoolSnapshot;
  /** Endpoints of the pool. */
  readonly endpoints: () => number;
  /** Replicas by role that the present requests need; empty if no autoscaler scales the pool's service. */
  readonly desiredOfRoles: () => ReadonlyMap<string, number>;
  /** Type of the saturation detector. */
  readonly detector: string;
}

/** Upstream's outcome for an arrival that waits. */
const waiting = "NotYetFinalized";

/** The series of one set of labels. */
interface FlowSeries {
  readonly size: Tally;
  readonly bytes: Tally;
  readonly outcomes: { [Outcome in FlowOutcome]?: { seconds: Histogram; requests: Tally } };
  arrivedAtOnce?: Histogram;
  arrivedToWait?: Histogram;
}

const described = (name: string, help: string) => ofUpstream(`flow_control_${name}`, help);

/** Names, helps and labels of the families, the same for every pool of a process. */
const about = {
  queued: metrics.queueDuration,
  arrivals: {
    ...described("request_enqueue_duration_seconds", "Seconds to enqueue a request."),
    labels: ["fairness_id", "priority", "outcome"],
    bounds: bounds.schedulingSeconds,
  },
  turns: {
    ...described(
      "dispatch_cycle_duration_seconds",
      "Seconds that one dispatch cycle over all queues takes.",
    ),
    bounds: bounds.schedulingSeconds,
  },
  outcomes: metrics.flowOutcomes,
  size: metrics.queueSize,
  bytes: {
    ...described("queue_bytes", "Bytes of the bodies of queued requests."),
    labels: metrics.queueSize.labels,
  },
} as const;

/** Metrics of flow control under upstream's names, and further ones for autoscalers. */
export class FlowMetrics implements FlowObserver {
  readonly #view: FlowView;
  readonly #model: (model: string) => string;
  readonly #flow = boundedLabel(limits.labelValues.value);
  readonly #series = new Map<string, FlowSeries>();
  /**
   * Cache of `#series` by the raw values of requests, up to `limits.labelSets` entries, because label values take
   * longer to compute.
   */
  readonly #found = new Map<string, FlowSeries>();
  readonly #queued = histograms(about.queued);
  readonly #arrivals = histograms(about.arrivals);
  readonly #turns = histograms(about.turns);
  #turn: Histogram | undefined;
  readonly #outcomes = counters(about.outcomes);
  readonly #size = gauges(about.size);
  readonly #bytes = gauges(about.bytes);

  /** @param model returns the label value for a model that a client named */
  constructor(view: FlowView, model: (model: string) => string) {
    this.#view = view;
    this.#model = model;
  }

  get families(): Family[] {
    const own = [this.#queued, this.#arrivals, this.#turns, this.#size, this.#bytes];
    return withOlderNames([...own, ...poolMetrics(this.#view), this.#outcomes]);
  }

  waits(request: ObservedRequest): void {
    this.#wait(request, 1);
  }

  waitsNoMore(request: ObservedRequest): void {
    this.#wait(request, -1);
  }

  decided(request: ObservedRequest, outcome: FlowOutcome, seconds: number): void {
    this.#decided(this.#of(request), request, outcome, seconds);
  }

  passed(seconds: number, request: ObservedRequest): void {
    const series = this.#of(request);
    this.#decided(series, request, "Dispatched", 0);
    this.#arrived(series, request, seconds, false);
    this.turned(seconds);
  }

  arrived(seconds: number, request: ObservedRequest, waits: boolean): void {
    this.#arrived(this.#of(request), request, seconds, waits);
  }

  #decided(
    { outcomes }: FlowSeries,
    request: ObservedRequest,
    outcome: FlowOutcome,
    seconds: number,
  ): void {
    outcomes[outcome] ??= this.#newOutcome(request, outcome);
    outcomes[outcome].seconds.observe(seconds);
    outcomes[outcome].requests.value += 1;
  }

  #arrived(series: FlowSeries, request: ObservedRequest, seconds: number, waits: boolean): void {
    const key = waits ? "arrivedToWait" : "arrivedAtOnce";
    series[key] ??= this.#arrivals.series(
      ...this.#labels(request).slice(0, 2),
      waits ? waiting : "Dispatched",
    );
    series[key].observe(seconds);
  }

  turned(seconds: number): void {
    this.#turn ??= this.#turns.series();
    this.#turn.observe(seconds);
  }

  #wait(request: ObservedRequest, requests: number): void {
    const { size, bytes } = this.#of(request);
    size.value += requests;
    bytes.value += requests * request.bytes;
  }

  #newOutcome(request: ObservedRequest, outcome: FlowOutcome) {
    const labels = this.#labels(request);
    return {
      seconds: this.#queued.series(...labels, outcome),
      requests: this.#outcomes.series(outcome, labels[1] as string, labels[2] as string),
    };
  }

  /** Returns the same series for the same labels, so that a gauge is decreased on the series where it was increased. */
  #of(request: ObservedRequest): FlowSeries {
    const { flow, labels } = request;
    const said = `${flow.priority}\0${flow.id}\0${labels.model}\0${labels.targetModel}\0${this.#view.pool()}`;
    const found = this.#found.get(said);
    if (found !== undefined) return found;
    const series = this.#find(request);
    if (this.#found.size < limits.labelSets.value) this.#found.set(said, series);
    return series;
  }

  #find(request: ObservedRequest): FlowSeries {
    const labels = this.#labels(request);
    const key = labels.join("\0");
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const isOneOfMany = this.#series.size >= limits.labelSets.value;
    const admitted = isOneOfMany ? labels.map(() => overflow) : labels;
    const size = this.#size.series(...admitted);
    const series = { size, bytes: this.#bytes.series(...admitted), outcomes: {} };
    if (!isOneOfMany) this.#series.set(key, series);
    return series;
  }

  #labels({ flow, labels: { model, targetModel } }: ObservedRequest): string[] {
    return [
      this.#flow(flow.id),
      String(flow.priority),
      this.#view.pool(),
      this.#model(model),
      this.#model(targetModel),
    ];
  }
}

/** Metrics that are computed when they are read. */
function poolMetrics({ pool, queues, gate, endpoints, detector, desiredOfRoles }: FlowView) {
  const gauge = (
    name: string,
    help: string,
    labels: readonly string[],
    read: () => Iterable<Sample>,
  ) => computed("gauge", { ...described(name, help), labels }, read);
  const used = (kind: "requests" | "bytes", most: "maxRequests" | "maxBytes") => [
    gauge(
      `capacity_utilization_${kind}`,
      `Queued share of a band's limit of ${kind}.`,
      ["priority", "inference_pool"],
      () =>
        queues().bands.map((band) => ({
          labels: [String(band.priority), pool()],
          value: band[kind] / band[most],
        })),
    ),
    gauge(
      `global_capacity_utilization_${kind}`,
      `Queued share of the limit of ${kind}, all bands together.`,
      ["inference_pool"],
      () => {
        const view = queues();
        if (!Number.isFinite(view[most])) return [];
        return [{ labels: [pool()], value: view[kind] / view[most] }];
      },
    ),
  ];
  return [
    computed("gauge", metrics.poolSaturation, () =>
      Object.entries(gate().saturation).flatMap(([stage, value]) =>
        value === undefined ? [] : [{ labels: [pool(), stage], value }],
      ),
    ),
    gauge("stale_endpoints", "Endpoints with stale metrics.", ["detector"], () => [
      { labels: [detector], value: gate().stale },
    ]),
    computed("counter", metrics.waitedSeconds, () =>
      Object.entries(queues().waitedSeconds).map(([reason, value]) => ({
        labels: [pool(), reason],
        value,
      })),
    ),
    ...used("requests", "maxRequests"),
    ...used("bytes", "maxBytes"),
    computed("gauge", metrics.desiredEndpoints, () => [
      { labels: [pool()], value: desiredReplicas(queues().requests, gate(), endpoints()) },
    ]),
    computed("gauge", metrics.desiredReplicas, () =>
      [...desiredOfRoles()].map(([role, value]) => ({ labels: [pool(), role], value })),
    ),
  ];
}

/**
 * Returns the number of servers of average size that hold all running and queued requests. An empty pool needs one
 * server if requests are queued.
 */
export function desiredReplicas(
  waiting: number,
  { load, slots }: Pick<PoolSnapshot, "load" | "slots">,
  endpoints: number,
): number {
  if (endpoints === 0 || slots === 0) return waiting > 0 ? Math.max(1, endpoints) : endpoints;
  return Math.ceil((load + waiting) / (slots / endpoints));
}
