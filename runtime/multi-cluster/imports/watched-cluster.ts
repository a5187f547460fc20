import { setTimeout as sleep } from "node:timers/promises";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { Clock } from "../../epp/clock.ts";
import type { Log } from "../../manager/log.ts";
import type { Choice, ClusterLoad, ClusterLocation } from "./choose-cluster.ts";
import {
  afterProbe,
  assumedUp,
  type ClusterHealth,
  type HealthPolicy,
  type ProbeResult,
} from "./cluster-health.ts";
import {
  type ClusterRoute,
  clusterRoute,
  type GatewayProbes,
  type NextStep,
} from "./cluster-route.ts";
import { readPickerLoad } from "./picker-load.ts";
import type { Destination } from "./relay-stream.ts";
import type { RemoteCluster, RemotePicker } from "./remote-cluster.ts";
import type { RemoteSecurity } from "./remote-security.ts";

export interface WatchedClusterOptions {
  readonly cluster: RemoteCluster;
  readonly isLocal: boolean;
  readonly security: RemoteSecurity;
  readonly gateways: GatewayProbes;
  /** Security of connections to metrics pages. */
  readonly metricsSecurity: RemoteSecurity;
  readonly health: HealthPolicy;
  /** Whether loopback addresses are allowed, for clusters on one machine. */
  readonly loopback: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Interval between probes of a cluster, in ms. After a failure the next probe is sooner, because it decides. */
const pollIntervalMs = 400;
const secondPollAfterMs = 100;

/** Interval between reads of a load, timeout of a read, and age from which a load is ignored, in ms. */
const loadIntervalMs = 1_000;
const loadTimeoutMs = 1_000;
const loadBelievedForMs = 5_000;

/** A cluster of the import: its route, its health and its load. */
export class WatchedCluster implements Choice {
  readonly name: string;
  readonly isLocal: boolean;
  readonly #options: WatchedClusterOptions;
  readonly #route: ClusterRoute | undefined;
  readonly #stopped = new AbortController();
  #cluster: RemoteCluster;
  #health: ClusterHealth = assumedUp;
  #load: { readonly at: number; readonly value: ClusterLoad } | undefined;
  /** Until then, the cluster counts as empty because its picker refused a request. */
  #emptyUntil = 0;
  /** Ends the wait for the next probe. */
  #pollNow: () => void = () => {};

  constructor(options: WatchedClusterOptions) {
    const { cluster, isLocal, security, gateways, loopback } = options;
    this.#options = options;
    this.#cluster = cluster;
    this.name = cluster.name;
    this.isLocal = isLocal;
    const onLost = () => this.#pollNow();
    this.#route = clusterRoute(cluster, { security, gateways, loopback, onLost });
  }

  start(): void {
    const { log, metricsSecurity } = this.#options;
    if (this.#route === undefined)
      log.warn("the import has no address of a cluster", { cluster: this.name });
    else void this.#probeLoop(this.#route);
    const { picker } = this.#cluster;
    if (picker?.metricsPort !== undefined)
      void this.#readLoadOnAndOn(picker, picker.metricsPort, metricsSecurity);
  }

  /** Stops probing. Open streams continue. */
  stop(): void {
    this.#stopped.abort();
    this.#pollNow();
    this.#route?.close();
  }

  /** Takes a new version from the import with the same addresses. */
  update(cluster: RemoteCluster): void {
    this.#cluster = cluster;
  }

  renew(): void {
    this.#route?.renew();
  }

  /**
   * Whether the cluster gets requests. The import can exclude a cluster that responds, because pickers and gateways
   * respond before they have endpoints.
   */
  get usable(): boolean {
    return this.#cluster.ready !== "False" && this.#health.up && this.next() !== undefined;
  }

  /** Returns the next step of a request to the cluster. */
  next(): NextStep | undefined {
    return this.#route?.next(this.#options.clock.random);
  }

  /** Whether the cluster may get requests although its probes fail, because it is Ready in the import. */
  get mayServeUnseen(): boolean {
    return this.#cluster.ready === "True" && this.#nextUnseen() !== undefined;
  }

  /** Returns the cluster as a destination that is used even if it does not respond. */
  unseen(): Destination {
    return {
      name: this.name,
      usable: true,
      isLastResort: true,
      next: () => this.#nextUnseen(),
      declined: () => this.declined(),
    };
  }

  #nextUnseen(): NextStep | undefined {
    return this.#route?.nextUnseen(this.#options.clock.random);
  }

  get location(): ClusterLocation {
    return this.#cluster.location;
  }

  /** Whether requests for it stay in this cluster, whose own picker selects the pod. */
  get isEndOfTheWay(): boolean {
    return this.isLocal && this.#cluster.mode === "EndpointMode";
  }

  get load(): ClusterLoad | undefined {
    const age = this.#load && this.#options.clock.now() - this.#load.at;
    return age !== undefined && age < loadBelievedForMs ? this.#load?.value : undefined;
  }

  /** Whether its load has no ready endpoints, or its picker refused a request recently for lack of endpoints. */
  get isEmpty(): boolean {
    return this.load?.readyEndpoints === 0 || this.#options.clock.now() < this.#emptyUntil;
  }

  /**
   * Called when its picker has no endpoints for a request. After the failback delay, the next request tries it again.
   */
  declined(): void {
    const { clock, health, log } = this.#options;
    if (!this.isEmpty) log.warn("a cluster has no endpoints", { cluster: this.name });
    this.#emptyUntil = clock.now() + health.failbackDelayMs;
  }

  /** State of the cluster for operators, at /debug/clusters. */
  describe(): object {
    const { name, isLocal, isEmpty, usable, load } = this;
    const { mode, ready } = this.#cluster;
    return { name, mode, isLocal, usable, isEmpty, answers: this.#health.up, ready, load };
  }

  async #probeLoop(route: ClusterRoute): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const failure = await route.probe().then(
        () => undefined,
        (error: Error) => error,
      );
      if (signal.aborted) return;
      this.#found(failure);
      await this.#wait(failure === undefined ? pollIntervalMs : secondPollAfterMs);
    }
  }

  #found(failure: Error | undefined): void {
    const { clock, log, health } = this.#options;
    const { up } = this.#health;
    this.#health = afterProbe(this.#health, resultOf(failure), clock.now(), health);
    if (up && !this.#health.up)
      log.error("a cluster gets no requests", failure, { cluster: this.name });
    if (!up && this.#health.up) log.info("a cluster gets requests again", { cluster: this.name });
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#pollNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #readLoadOnAndOn(
    { service, addresses }: RemotePicker,
    port: number,
    security: RemoteSecurity,
  ): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopped;
    const host = addresses[0]?.host ?? "";
    const { name, maxEndpoints } = this.#cluster;
    const reach = reachOf({ networks: undefined, loopback: this.#options.loopback });
    while (!signal.aborted) {
      try {
        const value = await readPickerLoad({
          ...{ address: { host, port }, scheme: security.scheme, timeoutMs: loadTimeoutMs },
          tls: security.optionsFor({ cluster: name, service, host }),
          ...{ reach, maxEndpoints },
        });
        this.#load = { at: clock.now(), value };
      } catch (error) {
        // The log already reports that the cluster is down.
        if (this.#health.up)
          log.error("the load of a cluster is unknown", error, { cluster: this.name });
      }
      await sleep(loadIntervalMs, undefined, { signal }).catch(() => {});
    }
  }
}

function resultOf(failure: Error | undefined): ProbeResult {
  if (failure === undefined) return "answers";
  return (failure as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "refuses" : "fails";
}
