import { availableParallelism } from "node:os";

/** By core, how many engines run on it. */
const engines = new Array<number>(availableParallelism()).fill(0);

/**
 * A core that an engine has, as a pod has cores of its node. Threads of vLLM ask for work without rest, the worker for a second
 * after each step and the one that moves caches always, and give way by `sched_yield`. Where engines, each a session and so a
 * group of Linux's scheduler, share all of two cores, a yield of one thread costs its group's turns on that core: workers stood
 * still for up to 30 s. On a core of its own an engine's longest transfer took 0.2 s on a machine with a load of 20.
 */
export class Core {
  readonly id: number;

  private constructor(id: number) {
    this.id = id;
    engines[id] = (engines[id] ?? 0) + 1;
  }

  /** The core with the fewest engines. */
  static take(): Core {
    return new Core(engines.indexOf(Math.min(...engines)));
  }

  giveBack(): void {
    engines[this.id] = (engines[this.id] ?? 0) - 1;
  }
}
