import type { WatchEvent } from "../api/client.ts";
import { type KubernetesObject, keyOf } from "../values/object.ts";
import type { LargeReading, LargeReadings } from "./large-readings.ts";

/** An event whose object is not parsed yet. */
export type LargeEvent = WatchEvent<KubernetesObject> & Required<Pick<WatchEvent, "large">>;

export const isLarge = (event: WatchEvent<KubernetesObject>): event is LargeEvent =>
  event.large !== undefined;

interface Pending extends LargeReading {
  event: LargeEvent;
  bytes: number;
  /** Version of the collection before the first waiting event. */
  readonly since: string;
}

/** The newest events of large objects of one collection, until their objects are parsed. */
export class PendingObjects {
  readonly #readings: LargeReadings;
  readonly #read: (event: LargeEvent) => void;
  readonly #pending = new Map<string, Pending>();

  /** @param read parses the newest event of an object, and must not throw */
  constructor(readings: LargeReadings, read: (event: LargeEvent) => void) {
    this.#readings = readings;
    this.#read = read;
  }

  /** Keys of the objects. */
  get keys(): Iterable<string> {
    return this.#pending.keys();
  }

  /** Version of the collection before all waiting events; undefined if there are none. */
  get since(): string | undefined {
    const [oldest] = this.#pending.values();
    return oldest?.since;
  }

  /** @param since version of the collection before the event */
  put(event: LargeEvent, since: string): void {
    const key = keyOf(event.large);
    const { bytes } = event.large;
    const pending = this.#pending.get(key) ?? {
      ...{ event, bytes, since },
      read: () => {
        this.#pending.delete(key);
        this.#read(pending.event);
      },
    };
    pending.event = event;
    pending.bytes = bytes;
    this.#pending.set(key, pending);
    this.#readings.put(pending);
  }

  /** Deletes the waiting event of an object, because another event or a list replaces it. */
  delete(key: string): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    this.#readings.delete(pending);
  }

  clear(): void {
    for (const key of [...this.#pending.keys()]) this.delete(key);
  }
}
