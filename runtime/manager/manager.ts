import { hostname } from "node:os";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import {
  LeaderElection,
  type LeaseNote,
  type LeaseTiming,
} from "../../kubernetes/control/leader-election.ts";
import { version } from "../../sdk/version.ts";
import { controllerHealth } from "./health/controller-health.ts";
import { type HealthServer, serveHealth } from "./health/health-server.ts";
import type { HealthRules } from "./health/health-service.ts";
import type { Log } from "./log.ts";
import type { OperatorPages } from "./pages/operator-server.ts";
import { type PageServer, type PageTls, reviewsBy, servePages } from "./pages/serve-pages.ts";
import { drain, type TerminationSignal } from "./termination.ts";

/** How a program is observed: the values of `operationsFlags`. */
export interface OperationsOptions {
  readonly healthPort: number;
  readonly metricsPort: number;
  /** The API server decides who may read the pages. */
  readonly metricsAuth: boolean;
}

/** The Lease by which replicas agree on which of them writes. */
export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  readonly timing?: Partial<LeaseTiming>;
}

export interface ManagerOptions {
  readonly log: Log;
  readonly operations: OperationsOptions;
  /** The API server of the program's own cluster; closed at the end. Undefined where the program has none. */
  readonly client: Pick<KubernetesClient, "request" | "close"> | undefined;
  /** Undefined without leader election. Needs a client. */
  readonly lease: LeaseOptions | undefined;
  /** Default: a controller's. */
  readonly healthRules?: HealthRules;
  /** Default: the pages are plain HTTP. */
  readonly pageTls?: PageTls | undefined;
}

/** The work of a program. */
export interface Runnable<Ports> {
  readonly pages: OperatorPages;
  /** Fields of the log line that says that the program serves. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Whether the program has what it needs to serve. */
  isReady(): boolean;
  /** Called with true when this replica may write, and with false when it may not any more. */
  lead?(leading: boolean): void;
  /** What the leader keeps in the Lease for its successors. */
  readonly leaseNote?: LeaseNote;
  /** Starts watches and servers, and returns the ports that the servers listen on. */
  start(): Ports | Promise<Ports>;
  /** For a server of requests: how it leaves without failing any. Without it the program stops at once. */
  readonly drain?: { readonly windowMs: number; running(): number };
  /** Ends the work. Nothing is written after it: then the Lease is freed. */
  stop(): Promise<void>;
}

export interface Running<Ports = unknown> {
  readonly ports: Ports & { readonly health: number; readonly metrics: number };
  /** Default SIGTERM. */
  stop(signal?: TerminationSignal): Promise<void>;
}

/**
 * What every program has beside its work: a health service, pages for operators, leader election, and an end that
 * loses nothing.
 */
export class Manager {
  readonly #options: ManagerOptions;
  #election: LeaderElection | undefined;
  #runnable: Pick<Runnable<object>, "isReady"> | undefined;
  #ending = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Whether this replica may write. Without leader election every replica may. */
  isLeader(): boolean {
    return this.#options.lease === undefined || this.#election?.isLeader() === true;
  }

  /** Whether the program serves and does not end. */
  isReady(): boolean {
    return !this.#ending && this.#runnable?.isReady() === true;
  }

  /** Serves probes and pages, starts the work, and takes part in the election. */
  async run<Ports extends object>(runnable: Runnable<Ports>): Promise<Running<Ports>> {
    const { log, operations, client, lease, healthRules = controllerHealth } = this.#options;
    this.#runnable = runnable;
    const election = this.#electionOf(runnable);
    this.#election = election;
    const health = await serveHealth({
      port: operations.healthPort,
      rules: healthRules,
      isReady: () => this.isReady(),
      log,
    });
    let pages: PageServer | undefined;
    try {
      pages = await servePages(operations.metricsPort, {
        pages: runnable.pages,
        reviews: operations.metricsAuth && client ? reviewsBy(client) : undefined,
        tls: this.#options.pageTls,
        log,
      });
      // A start may wait for what only a leader makes.
      const starting = runnable.start();
      if (lease === undefined) runnable.lead?.(true);
      else election?.start();
      const own = await starting;
      const ports = { ...own, health: health.port, metrics: pages.port };
      log.info("serving", { version, ...runnable.facts, ports });
      const servers = [health, pages];
      return { ports, stop: (signal) => this.#stop(signal, runnable, health, servers) };
    } catch (error) {
      await Promise.all([election?.release(), health.stop(), pages?.stop()]);
      throw error;
    }
  }

  #electionOf({ lead, leaseNote }: Runnable<object>): LeaderElection | undefined {
    const { client, lease, log } = this.#options;
    if (client === undefined || lease === undefined) return undefined;
    return new LeaderElection({
      ...lease,
      client,
      identity: `${process.env.POD_NAME ?? hostname()}_${process.pid}`,
      onChange: (leading) => {
        log.info(leading ? "leading" : "not leading");
        lead?.(leading);
      },
      onProblem: (message) => log.error(`leader election: ${message}`),
      ...(leaseNote && { note: leaseNote }),
    });
  }

  async #stop(
    signal: TerminationSignal = "SIGTERM",
    runnable: Runnable<object>,
    health: HealthServer,
    servers: ReadonlyArray<{ stop(): Promise<void> }>,
  ): Promise<void> {
    const { log, client } = this.#options;
    const markNotServing = () => {
      this.#ending = true;
      health.update();
    };
    const releaseLease = async () => this.#election?.release();
    const stop = async () => {
      await runnable.stop();
      // Nobody else writes before the last write of this one has ended.
      await releaseLease();
      await Promise.all(servers.map((server) => server.stop()));
      client?.close();
    };
    if (runnable.drain !== undefined) {
      const { windowMs: timeoutMs, running } = runnable.drain;
      return drain(signal, { timeoutMs, running, markNotServing, releaseLease, stop, log });
    }
    markNotServing();
    await stop();
    log.info("stopped");
  }
}
