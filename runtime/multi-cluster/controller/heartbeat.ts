import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { systemTime } from "../../../kubernetes/control/time.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { objectPath } from "../../../kubernetes/paths.ts";

export interface HeartbeatTiming {
  /** Milliseconds between two questions. */
  readonly intervalMs: number;
  /** Milliseconds in which an answer has to come. */
  readonly timeoutMs: number;
}

/** A cluster that hangs is known to be lost after 20 s at most. */
export const heartbeatTiming: HeartbeatTiming = { intervalMs: 10_000, timeoutMs: 10_000 };

export interface HeartbeatOptions {
  readonly client: Pick<KubernetesClient, "request">;
  readonly timing?: HeartbeatTiming | undefined;
  readonly onAnswer: () => void;
  readonly onFailure: (error: Error) => void;
}

/**
 * Asks an API server for one small object again and again. A watch tells nothing of a server that hangs: it may be silent
 * for minutes where nothing changes. A refusal, such as too few permissions, is an answer; an error of the server is none,
 * since a load balancer tells of the server behind it by one.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #stop = new AbortController();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stop.abort(new Error("stopped"));
  }

  async #run(): Promise<void> {
    const { timing = heartbeatTiming } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await systemTime.sleep(timing.intervalMs, signal);
      if (!signal.aborted) await this.#ask(timing.timeoutMs);
    }
  }

  async #ask(timeoutMs: number): Promise<void> {
    const { client, onAnswer, onFailure } = this.#options;
    const { signal } = this.#stop;
    try {
      const path = objectPath(kinds.Namespace, { name: "kube-system" });
      await client.request("GET", path, { signal, timeoutMs });
      if (!signal.aborted) onAnswer();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status < 500) onAnswer();
      else onFailure(error as Error);
    }
  }
}
