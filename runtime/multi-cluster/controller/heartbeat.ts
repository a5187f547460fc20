import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { systemTime } from "../../../kubernetes/control/time.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { objectPath } from "../../../kubernetes/paths.ts";

export interface HeartbeatTiming {
  /** Interval between requests, in ms. */
  readonly intervalMs: number;
  /** Timeout of a request, in ms. */
  readonly timeoutMs: number;
}

/** Detects within 20 s that a cluster hangs. */
export const heartbeatTiming: HeartbeatTiming = { intervalMs: 10_000, timeoutMs: 10_000 };

export interface HeartbeatOptions {
  readonly client: Pick<KubernetesClient, "request">;
  readonly timing?: HeartbeatTiming | undefined;
  readonly onAnswer: () => void;
  readonly onFailure: (error: Error) => void;
}

/**
 * Requests one small object from an API server at intervals. A watch does not show that a server hangs, because it is
 * silent for minutes if nothing changes. A refusal such as 403 counts as a response. A 5xx error does not, because a
 * load balancer may return it for the server behind it.
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
