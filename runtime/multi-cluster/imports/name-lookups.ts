import { lookup } from "node:dns/promises";

/** Addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

const system: Lookup = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Lookups that run at once. The system's lookup blocks one of four threads for as long as DNS does not answer, and files,
 * certificates among them, are read by the same threads.
 */
export const mostLookups = 2;

/** Looks names up: each once at a time, few at once, and nobody waits longer than told. */
export class NameLookups {
  readonly #lookup: Lookup;
  readonly #running = new Map<string, Promise<readonly string[]>>();
  readonly #waiting: Array<() => void> = [];
  #count = 0;

  constructor(lookup = system) {
    this.#lookup = lookup;
  }

  /**
   * @param timeoutMs milliseconds
   * @throws Error where there is no answer in time; the lookup goes on for who asks next
   */
  async addressesOf(host: string, timeoutMs: number): Promise<readonly string[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`${host}: its address was not found within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([this.#once(host), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #once(host: string): Promise<readonly string[]> {
    const known = this.#running.get(host);
    if (known !== undefined) return known;
    const found = this.#inTurn(() => this.#lookup(host)).finally(() => this.#running.delete(host));
    // Who asked may not wait for it any more.
    found.catch(() => {});
    this.#running.set(host, found);
    return found;
  }

  async #inTurn<T>(step: () => Promise<T>): Promise<T> {
    while (this.#count >= mostLookups)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#count += 1;
    try {
      return await step();
    } finally {
      this.#count -= 1;
      this.#waiting.shift()?.();
    }
  }
}
