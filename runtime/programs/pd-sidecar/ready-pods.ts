import type { PoolObjects } from "../../epp/datastore/pool-objects.ts";
import type { Allowed, Target } from "./targets.ts";

/** Pods that a sidecar may connect to: Ready pods, on the ports of their engines. */
export class ReadyPods implements Allowed {
  readonly #ports: ReadonlySet<number>;
  #hosts: ReadonlySet<string> = new Set();

  constructor(ports: readonly number[]) {
    this.#ports = new Set(ports);
  }

  get count(): number {
    return this.#hosts.size;
  }

  /** @param objects contains the pods of one role, ready or not */
  update({ pods }: Pick<PoolObjects, "pods">): void {
    this.#hosts = new Set(
      pods.filter(({ ready, deleting, ip }) => ready && !deleting && ip !== "").map(({ ip }) => ip),
    );
  }

  has({ host, port }: Target): boolean {
    return this.#ports.has(port) && this.#hosts.has(host);
  }
}

/** Allows every target, for networks in which only trusted clients can set the header. */
export const everyTarget: Allowed = { has: () => true };

export const noTarget: Allowed = { has: () => false };
