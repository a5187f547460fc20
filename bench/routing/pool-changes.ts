import { Agenda } from "./agenda.ts";
import type { Pod } from "./pod.ts";
import type { PodChange, Trace } from "./trace.ts";

/** Milliseconds until the pool knows that a pod died. */
export const goneAfter = 1_000;

/** Receives changes of pods. */
export interface PoolListener {
  /** The pod died with all that it had. */
  died(pod: Pod): void;
  /** These are the pods of the pool now. */
  changed(pool: readonly Pod[]): void;
}

/** The pods of a pool over time: makes a trace's changes at their times. */
export class PoolChanges {
  #pool: readonly Pod[];
  readonly #listener: PoolListener;
  readonly #planned = new Agenda();

  constructor({ changes = [] }: Pick<Trace, "changes">, all: readonly Pod[], to: PoolListener) {
    this.#listener = to;
    const joins = new Set(changes.filter(({ change }) => change === "joins").map(({ pod }) => pod));
    this.#pool = all.filter(({ index }) => !joins.has(index));
    for (const each of changes) this.#plan(each, all[each.pod] as Pod);
  }

  get pool(): readonly Pod[] {
    return this.#pool;
  }

  /** Time of the next change; infinite if there is none. */
  get nextAt(): number {
    return this.#planned.nextAt;
  }

  /** Makes the next planned change. */
  next(): void {
    this.#planned.next();
  }

  #plan({ at, change }: PodChange, pod: Pod): void {
    const leave = () => this.#set(this.#pool.filter((each) => each !== pod));
    const acts: Record<PodChange["change"], () => void> = {
      joins: () => this.#set([...this.#pool, pod]),
      leaves: leave,
      dies: () => this.#listener.died(pod),
      hangs: () => {
        pod.hangs = true;
      },
      slows: () => {
        pod.simulation.slowness = 10;
      },
      recovers: () => {
        pod.simulation.slowness = 1;
      },
      "metrics stop": () => {
        pod.metrics = "unread";
      },
      "metrics freeze": () => {
        pod.metrics = "frozen";
      },
      "metrics go on": () => {
        pod.metrics = "read";
      },
    };
    this.#planned.add(at, acts[change]);
    if (change === "dies") this.#planned.add(at + goneAfter, leave);
  }

  #set(pool: readonly Pod[]): void {
    this.#pool = pool;
    this.#listener.changed(pool);
  }
}
