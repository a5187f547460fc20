import { readFileSync } from "node:fs";

/** By core that this process may use, how many engines run on it. */
const engines = new Map(allowedCores().map((id) => [id, 0]));

/**
 * A CPU core reserved for one engine, as a pod has cores of its node. vLLM's threads poll without rest, the worker for
 * a second after each step and the cache mover always, and yield by `sched_yield`. Each engine is a session and so a
 * scheduling group of Linux. When engines shared all of two cores, one thread's yield cost its group its turns on that
 * core: workers were stalled for up to 30 s. With a core per engine the longest transfer took 0.2 s on a machine with a
 * load of 20.
 */
export class Core {
  readonly id: number;

  private constructor(id: number) {
    this.id = id;
    this.#count(1);
  }

  /** The core with the fewest engines. */
  static take(): Core {
    const fewest = Math.min(...engines.values());
    const [[id] = [0]] = [...engines].filter(([, count]) => count === fewest);
    return new Core(id);
  }

  giveBack(): void {
    this.#count(-1);
  }

  #count(more: number): void {
    engines.set(this.id, (engines.get(this.id) ?? 0) + more);
  }
}

/** Linux writes them as `0-1,4`. */
function allowedCores(): number[] {
  const status = readFileSync("/proc/self/status", "utf8");
  const [, list = "0"] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status) ?? [];
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}
