import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { PoolObjects } from "./pool-objects.ts";
import { emptySnapshot, type PoolSnapshot, snapshotOf } from "./snapshot.ts";

/**
 * The latest snapshot, for the request path to read. Sources call `update`; the scraper and the scheduler subscribe to
 * changes of the endpoints.
 */
export class Datastore {
  #snapshot = emptySnapshot;
  readonly #listeners: Array<(endpoints: readonly Endpoint[]) => void> = [];

  get snapshot(): PoolSnapshot {
    return this.#snapshot;
  }

  update(objects: PoolObjects): void {
    const before = this.#snapshot.endpoints;
    this.#snapshot = snapshotOf(objects, this.#snapshot);
    const { endpoints } = this.#snapshot;
    if (same(before, endpoints)) return;
    for (const listener of this.#listeners) listener(endpoints);
  }

  onEndpoints(listener: (endpoints: readonly Endpoint[]) => void): void {
    this.#listeners.push(listener);
    listener(this.#snapshot.endpoints);
  }
}

const same = (a: readonly Endpoint[], b: readonly Endpoint[]) =>
  a.length === b.length && a.every((endpoint, at) => endpoint === b[at]);
