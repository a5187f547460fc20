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

/** Values of `operationsFlags`. */
export interface OperationsOptions {
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Whether readers of the pages need permission from the API server. */
  readonly metricsAuth: boolean;
}

/** The Lease with which replicas elect a leader. */
export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  readonly timing?: Partial<LeaseTiming>;
}

export interface ManagerOptions {
  readonly log: Log;
  readonly operations: OperationsOptions;
  /** Client of the API server of the program's cluster, closed at the end. Undefined for a program without one. */
  readonly client: Pick<KubernetesClient, "request" | "close"> | undefined;
  /** Undefined without leader election. Needs `client`. */
  readonly lease: LeaseOptions | undefined;
  /** Default: the rules of a controller. */
  readonly healthRules?: HealthRules;
  /** Default: plain HTTP. */
  readonly pageTls?: PageTls | undefined;
}

/** The work of a program. */
export interface Runnable<Ports> {
  readonly pages: OperatorPages;
  /** Additional fields of the log line that reports the ports. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Whether the program has everything that it needs to serve. */
  isReady(): boolean;
  /** Called with true when this replica becomes the leader, and with false when it stops being it. */
  lead?(leading: boolean): void;
  /** Note that the leader keeps in the Lease for its successors. */
  readonly leaseNote?: LeaseNote;
  /** Starts watches and servers, and returns the ports of the servers. */
  start(): Ports | Promise<Ports>;
  /** Drain of a request server, so that no request fails at its end. Without it the program stops immediately. */
  readonly drain?: { readonly windowMs: number; running(): number };
  /** Ends the work. It must write nothing afterwards, because the Lease is released then. */
  stop(): Promise<void>;
}

export interface Running<Ports = unknown> {
  readonly ports: Ports & { readonly health: number; readonly metrics: number };
  /** Default SIGTERM. */
  stop(signal?: TerminationSignal): Promise<void>;
}

/**
 * The parts that every program has in addition to its work: a health service, pages for operators, leader election, and
 * a clean end.
 */
export class Manager {
  readonly #options: ManagerOptions;
  #election: LeaderElection | undefined;
  #runnable: Pick<Runnable<object>, "isReady"> | undefined;
  #ending = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Whether this replica may write. Always true without leader election. */
  isLeader(): boolean {
    return this.#options.lease === undefined || this.#election?.isLeader() === true;
  }

  /** Whether the program serves and has not begun to end. */
  isReady(): boolean {
    return !this.#ending && this.#runnable?.isReady() === true;
  }

  /** Serves probes and pages, starts the work, and joins the election. */
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
      // A start may depend on objects that only a leader creates.
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
      // No other replica writes before this one's last write has ended.
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
