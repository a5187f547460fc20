import type { LiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { listItems, mostNames, recentMs } = constants;

/** Outcomes of a source's requests at one server, as times in ms. */
interface Outcomes {
  failedAt: number;
  succeededAt: number;
}

interface Record {
  readonly servers: Map<LiveState, Outcomes>;
  failedAt: number;
  isSuspect: boolean;
}

/**
 * Sources of requests that failed recently: client addresses, tenants or models. A source is suspect if its requests
 * failed on two or more servers, and on more than half of those with an outcome: the cause is then its requests, or
 * more servers fail than may be ejected.
 */
export class FailingSources {
  readonly #records = new Map<string, Record>();

  /** Whether the source failed recently, and the server has not served it since. */
  awaits(source: string, live: LiveState, now: number): boolean {
    if (this.#records.size === 0) return false;
    const record = this.#recordOf(source, now);
    if (record === undefined) return false;
    const { succeededAt } = record.servers.get(live) ?? never;
    return succeededAt < record.failedAt;
  }

  isSuspect(source: string, now: number): boolean {
    return this.#records.size > 0 && this.#recordOf(source, now)?.isSuspect === true;
  }

  /** Records a failure on a server. Returns whether the source has become suspect by it. */
  failed(source: string, live: LiveState, now: number): boolean {
    const record = this.#recordOf(source, now) ?? this.#newRecord(source);
    const wasSuspect = record.isSuspect;
    record.failedAt = now;
    outcomesOf(record, live).failedAt = now;
    judge(record, now);
    return record.isSuspect && !wasSuspect;
  }

  /** Records a success on a server, if the source failed recently. */
  succeeded(source: string, live: LiveState, now: number): void {
    if (this.#records.size === 0) return;
    const record = this.#recordOf(source, now);
    if (record === undefined) return;
    outcomesOf(record, live).succeededAt = now;
    judge(record, now);
  }

  /** Returns the record of a source unless its last failure is too old. */
  #recordOf(source: string, now: number): Record | undefined {
    const record = this.#records.get(source);
    if (record === undefined || now - record.failedAt <= recentMs) return record;
    this.#records.delete(source);
    return undefined;
  }

  /** Adds a source, and forgets the one that began to fail first if there are too many. */
  #newRecord(source: string): Record {
    const record = { servers: new Map(), failedAt: 0, isSuspect: false };
    this.#records.set(source, record);
    const [first = source] = this.#records.keys();
    if (this.#records.size > mostNames) this.#records.delete(first);
    return record;
  }
}

const never: Readonly<Outcomes> = {
  failedAt: Number.NEGATIVE_INFINITY,
  succeededAt: Number.NEGATIVE_INFINITY,
};

function outcomesOf({ servers }: Record, live: LiveState): Outcomes {
  const outcomes = servers.get(live) ?? { ...never };
  servers.delete(live);
  servers.set(live, outcomes);
  const [first = live] = servers.keys();
  if (servers.size > listItems) servers.delete(first);
  return outcomes;
}

function judge(record: Record, now: number): void {
  let [reached, failed] = [0, 0];
  for (const { failedAt, succeededAt } of record.servers.values()) {
    if (now - Math.max(failedAt, succeededAt) > recentMs) continue;
    reached += 1;
    if (now - failedAt <= recentMs) failed += 1;
  }
  record.isSuspect = failed >= 2 && 2 * failed > reached;
}
