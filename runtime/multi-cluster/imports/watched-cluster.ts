import { setTimeout as sleep } from "node:timers/promises";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { Clock } from "../../epp/clock.ts";
import type { Log } from "../../manager/log.ts";
import type { Choice, ClusterLoad, ClusterLocation } from "./choose-cluster.ts";
import {
  afterFinding,
  assumedUp,
  type ClusterHealth,
  type Finding,
  type HealthPolicy,
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
  /** Security of metrics pages. */
  readonly metricsSecurity: RemoteSecurity;
  readonly health: HealthPolicy;
  /** Whether addresses of this host are those of other clusters. */
  readonly loopback: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Milliseconds between two looks at a cluster; after a failure the next one is sooner, since it decides. */
const pollIntervalMs = 400;
const secondPollAfterMs = 100;

/** Milliseconds between two readings of a load, within which one has to come, and from which it is not believed. */
const loadIntervalMs = 1_000;
const loadTimeoutMs = 1_000;
const loadBelievedForMs = 5_000;

/** A cluster of the import: the route to it, whether it answers, and its load. */
export class WatchedCluster implements Choice {
  readonly name: string;
  readonly isLocal: boolean;
  readonly #options: WatchedClusterOptions;
  readonly #route: ClusterRoute | undefined;
  readonly #stopped = new AbortController();
  #cluster: RemoteCluster;
  #health: ClusterHealth = assumedUp;
  #load: { readonly at: number; readonly value: ClusterLoad } | undefined;
  /** Until then a refusal is remembered. */
  #emptyUntil = 0;
  /** Ends the wait for the next look. */
  #lookNow: () => void = () => {};

  constructor(options: WatchedClusterOptions) {
    const { cluster, isLocal, security, gateways, loopback } = options;
    this.#options = options;
    this.#cluster = cluster;
    this.name = cluster.name;
    this.isLocal = isLocal;
    const onLost = () => this.#lookNow();
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

  /** Streams that are open go on. */
  stop(): void {
    this.#stopped.abort();
    this.#lookNow();
    this.#route?.close();
  }

  /** What the import says now, of the same addresses. */
  update(cluster: RemoteCluster): void {
    this.#cluster = cluster;
  }

  renew(): void {
    this.#route?.renew();
  }

  /** What the import says outweighs what answers: a picker and a gateway answer before there is an endpoint behind. */
  get usable(): boolean {
    return this.#cluster.ready !== "False" && this.#health.up && this.next() !== undefined;
  }

  /** How a request goes there. */
  next(): NextStep | undefined {
    return this.#route?.next(this.#options.clock.random);
  }

  /** The import says that it serves, and nothing but the looks at it says otherwise. */
  get mayServeUnseen(): boolean {
    return this.#cluster.ready === "True" && this.#nextUnseen() !== undefined;
  }

  /** The cluster as a destination, whether it answers or not. */
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

  /** Requests that go there stay in this cluster: its own picker says to which pod. */
  get isEndOfTheWay(): boolean {
    return this.isLocal && this.#cluster.mode === "EndpointMode";
  }

  get load(): ClusterLoad | undefined {
    const age = this.#load && this.#options.clock.now() - this.#load.at;
    return age !== undefined && age < loadBelievedForMs ? this.#load?.value : undefined;
  }

  /** Its load says so, or its picker has refused a request for it lately. */
  get isEmpty(): boolean {
    return this.load?.readyEndpoints === 0 || this.#options.clock.now() < this.#emptyUntil;
  }

  /** Its picker had nothing to serve a request with. The next request finds out again after the time of a fail-back. */
  declined(): void {
    const { clock, health, log } = this.#options;
    if (!this.isEmpty) log.warn("a cluster has no endpoints", { cluster: this.name });
    this.#emptyUntil = clock.now() + health.failbackDelayMs;
  }

  /** For operators. */
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
    this.#health = afterFinding(this.#health, findingOf(failure), clock.now(), health);
    if (up && !this.#health.up)
      log.error("a cluster gets no requests", failure, { cluster: this.name });
    if (!up && this.#health.up) log.info("a cluster gets requests again", { cluster: this.name });
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#lookNow = () => {
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
        // A cluster that is down was reported already.
        if (this.#health.up)
          log.error("the load of a cluster is unknown", error, { cluster: this.name });
      }
      await sleep(loadIntervalMs, undefined, { signal }).catch(() => {});
    }
  }
}

function findingOf(failure: Error | undefined): Finding {
  if (failure === undefined) return "answers";
  return (failure as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "refuses" : "fails";
}
