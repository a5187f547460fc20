import { type Pod, podOf } from "../routing/pod.ts";
import type { Engine } from "./engine.ts";

interface Replica {
  readonly pod: Pod;
  readonly startedAt: number;
  isReady: boolean;
}

/** The replicas of a workload over time. Each occupies its GPU from its start to the end of its last response. */
export class Replicas {
  /** In the order of their ordinals; the last one stops first, as with a LeaderWorkerSet. */
  #replicas: Replica[] = [];
  #draining: Replica[] = [];
  #started = 0;
  #gpuMs = 0;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get count(): number {
    return this.#replicas.length;
  }

  get ready(): readonly Pod[] {
    return this.#replicas.filter(({ isReady }) => isReady).map(({ pod }) => pod);
  }

  /** Pods with requests: the ready ones and those that drain. */
  get serving(): readonly Pod[] {
    return [...this.ready, ...this.#draining.map(({ pod }) => pod)];
  }

  /** Starts or stops replicas. Returns functions that make the started ones ready, which have no effect on stopped ones. */
  set(count: number, now: number): Array<() => void> {
    for (const stopped of this.#replicas.splice(count)) {
      if (stopped.isReady && stopped.pod.outstanding > 0) this.#draining.push(stopped);
      else this.#gpuMs += now - stopped.startedAt;
    }
    const started = Array.from({ length: count - this.count }, () => {
      const pod = podOf({ engine: this.#engine.options }, this.#started);
      this.#started += 1;
      return { pod, startedAt: now, isReady: false };
    });
    this.#replicas.push(...started);
    return started.map((replica) => () => {
      replica.isReady = true;
    });
  }

  /** Ends the replicas whose last response has ended. */
  drain(now: number): void {
    this.#draining = this.#draining.filter(({ pod, startedAt }) => {
      if (pod.outstanding > 0) return true;
      this.#gpuMs += now - startedAt;
      return false;
    });
  }

  /** Milliseconds of GPUs up to now, one GPU per replica. */
  gpuMs(now: number): number {
    const running = [...this.#replicas, ...this.#draining];
    return running.reduce((sum, { startedAt }) => sum + now - startedAt, this.#gpuMs);
  }
}
