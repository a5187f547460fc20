import { setTimeout as sleep } from "node:timers/promises";
import type { V1Container, V1Pod } from "@kubernetes/client-node";
import type { AccountLocation } from "../api/account-kubeconfig.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../model-server/model-server.ts";
import {
  argumentOf,
  type SidecarProcess,
  sidecarContainerOf,
  startDeployedSidecar,
} from "./deployed-sidecar.ts";

/** Location and kind of the model servers of pods. */
export interface ServersLocation extends AccountLocation {
  /** Returns the options of a pod's model server. Default: it serves any model. */
  readonly serverOf?: (pod: V1Pod) => ModelServerOptions;
}

/** The programs of a pod that run. */
export interface ServingPod {
  readonly pod: V1Pod;
  readonly server: ModelServer;
  readonly sidecar: SidecarProcess | undefined;
  /** Ends all programs at the pod's address. */
  stop(): Promise<void>;
}

const anyModel = (): ModelServerOptions => ({ anyModel: true, stepMs: 2 });

/** A pod whose programs can be stopped and started. */
export class RunningPod implements ServingPod {
  readonly pod: V1Pod;
  readonly #place: ServersLocation;
  readonly #ip: string;
  readonly #port: number;
  #server: ModelServer | undefined;
  sidecar: SidecarProcess | undefined;
  /** Requests that servers of this pod took before. */
  earlier = 0;

  /** @param port where the pool sends requests */
  constructor(place: ServersLocation, pod: V1Pod, ip: string, port: number) {
    this.#place = place;
    this.pod = pod;
    this.#ip = ip;
    this.#port = port;
  }

  get server(): ModelServer {
    if (this.#server === undefined) throw new Error("the pod was not started");
    return this.#server;
  }

  async start(): Promise<void> {
    const { serverOf = anyModel } = this.#place;
    this.earlier += this.#server?.served.length ?? 0;
    const container = sidecarContainerOf(this.pod);
    this.#server = await startModelServer({
      ip: this.#ip,
      port: Number((container && argumentOf(container, "model-server-port")) ?? this.#port),
      name: this.pod.metadata?.name ?? this.#ip,
      ...serverOf(this.pod),
    });
    if (container === undefined) return;
    try {
      this.sidecar = await startDeployedSidecar(this.#place, this.pod, container);
    } catch (error) {
      // The kubelet starts the pod's programs again.
      await this.#server.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.sidecar?.stop(0), this.#server?.stop()]);
    this.sidecar = undefined;
  }

  /**
   * Ends as its containers would after the deletion of the pod: preStop hook, SIGTERM, running responses.
   *
   * @param graceSeconds grace period of the deletion. Default: the grace period of the pod.
   */
  async finish(graceSeconds?: number): Promise<void> {
    const { containers = [], terminationGracePeriodSeconds = 30 } = this.pod.spec ?? {};
    const grace = graceSeconds ?? terminationGracePeriodSeconds;
    const [sleepOf, seconds = "0"] = containers.flatMap(
      ({ lifecycle }) => lifecycle?.preStop?.exec?.command ?? [],
    );
    const notice = Math.min(grace, sleepOf === "sleep" ? Number(seconds) : 0);
    await sleep(notice * 1_000);
    await this.#server?.drain(drains(containers) ? (grace - notice) * 1_000 : 0);
    // A native sidecar gets SIGTERM after the engine, and may still pass on the end of an answer.
    await this.sidecar?.stop();
    await this.stop();
  }
}

/** Whether SIGTERM lets vLLM finish its responses. */
const drains = (containers: readonly V1Container[]) =>
  containers.some(({ args = [] }) => args.includes("--shutdown-timeout"));
