import { lookup } from "node:dns/promises";

/** Returns the addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

const system: Lookup = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Maximum number of concurrent lookups. A system lookup blocks one of libuv's four threads until DNS responds, and the
 * same threads read files, including certificates.
 */
export const mostLookups = 2;

/** Resolves host names: one lookup per name, few names concurrently, and a timeout for each call. */
export class NameLookups {
  readonly #lookup: Lookup;
  readonly #running = new Map<string, Promise<readonly string[]>>();
  readonly #waiting: Array<() => void> = [];
  #count = 0;

  constructor(lookup = system) {
    this.#lookup = lookup;
  }

  /** @throws Error if there is no result in time; the lookup continues for later callers */
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
    // The callers may have timed out, and an unhandled rejection would end the process.
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
