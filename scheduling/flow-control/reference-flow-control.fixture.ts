import type { Named } from "./controllers.fixture.ts";

/** Policies of one band. */
export interface NaiveBand {
  readonly fairness: "strict" | "round-robin" | "weighted";
  readonly ordering: "fcfs" | "edf" | "slo";
  /** Share of dispatches that take the oldest request; not used with `fcfs`. */
  readonly oldestShare: 0 | 0.25 | 0.5 | 1;
}

export interface NaiveSettings extends NaiveBand {
  readonly maxRequests: number;
  readonly bandBytes: number;
  readonly requestTtl: number;
  readonly noEndpointTtl: number;
  readonly ceilings: "static" | "rank" | "value";
  readonly weights: Readonly<Record<string, number>>;
}

interface Entry {
  readonly request: Named;
  readonly at: number;
  readonly sequence: number;
}

interface Band {
  readonly priority: number;
  last: string | undefined;
  virtual: number;
  readonly used: Map<string, number>;
  /** Flows in the order of their turns. */
  turns: string[];
  /** Number of dispatches of each flow, or of the band if the flows are one queue. */
  readonly dispatches: Map<string, number>;
}

/** The behaviour of `FlowController` without its data structures: one list that is searched for every operation. */
export class ReferenceFlowControl {
  readonly #settings: NaiveSettings;
  readonly #bands: Band[] = [];
  waiting: Entry[] = [];
  /** Names of displaced requests. */
  readonly displaced: string[] = [];
  #sequence = 0;
  #isEmpty = false;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: NaiveSettings) {
    this.#settings = settings;
    this.#band(0);
  }

  poolChanged(canAnswer: boolean, now: number): void {
    if (this.#isEmpty === !canAnswer) return;
    this.#isEmpty = !canAnswer;
    this.#changedAt = now;
  }

  /** Returns the outcome if the request is refused. */
  arrive(request: Named, now: number): string | undefined {
    const band = this.#band(request.flow.priority);
    const bytes = this.#of(band).reduce((sum, each) => sum + each.request.bytes, request.bytes);
    const { id } = request.flow;
    if (this.waiting.length >= this.#settings.maxRequests || bytes > this.#settings.bandBytes) {
      const newest = this.#newestOfLongest(band, id);
      const fits = newest !== undefined && bytes - newest.request.bytes <= this.#settings.bandBytes;
      if (!fits) return this.#isEmpty ? "RejectedNoEndpoints" : "RejectedCapacity";
      this.#remove(newest);
      this.displaced.push(newest.request.name);
    }
    if (!this.#of(band).some((each) => each.request.flow.id === id)) {
      band.used.set(id, Math.max(band.used.get(id) ?? 0, band.virtual));
      band.turns = [...band.turns.filter((each) => each !== id), id];
    }
    this.waiting.push({ request, at: now, sequence: this.#sequence });
    this.#sequence += 1;
    return undefined;
  }

  /**
   * Returns the newest request of the longest flow, if that flow is longer than the other would become and flows share
   * by weight.
   */
  #newestOfLongest(band: Band, than: string): Entry | undefined {
    if (this.#settings.fairness !== "weighted") return undefined;
    const entries = this.#of(band);
    const count = (id: string) => entries.filter(({ request }) => request.flow.id === id).length;
    const ids = [...band.used.keys()];
    const most = Math.max(...ids.map(count));
    if (most <= count(than) + 1) return undefined;
    const longest = ids.find((id) => count(id) === most);
    return entries.findLast(({ request }) => request.flow.id === longest);
  }

  dispatch(slots: number, saturation: number, takes: (request: Named) => boolean): string[] {
    const names: string[] = [];
    const aside = new Set<Entry>();
    while (!this.#isEmpty && names.length < slots) {
      const entry = this.#next(saturation, aside);
      if (entry === undefined) break;
      if (takes(entry.request)) names.push(this.#send(entry));
      else aside.add(entry);
    }
    return names;
  }

  #send(entry: Entry): string {
    const { id, priority } = entry.request.flow;
    const band = this.#band(priority);
    const used = band.used.get(id) as number;
    band.last = id;
    const queue = this.#queueOf(id);
    band.dispatches.set(queue, (band.dispatches.get(queue) ?? 0) + 1);
    band.virtual = Math.max(band.virtual, used);
    band.used.set(id, used + entry.request.promptTokens / this.#weight(id));
    band.turns = [...band.turns.filter((each) => each !== id), id];
    this.#remove(entry);
    return entry.request.name;
  }

  cancel(name: string): boolean {
    const entry = this.waiting.find(({ request }) => request.name === name);
    if (entry !== undefined) this.#remove(entry);
    return entry !== undefined;
  }

  expire(now: number): string[] {
    const { requestTtl, noEndpointTtl } = this.#settings;
    const budget = this.#isEmpty ? noEndpointTtl : requestTtl;
    const gone = this.waiting.filter(
      ({ at, request: { ttl = Number.POSITIVE_INFINITY } }) =>
        now >= at + ttl || now >= Math.max(at, this.#changedAt) + budget,
    );
    for (const entry of gone) this.#remove(entry);
    return gone.map(({ request }) => request.name).sort();
  }

  #next(saturation: number, aside: ReadonlySet<Entry>): Entry | undefined {
    const bands = this.#bands.toSorted((a, b) => b.priority - a.priority);
    for (const [rank, band] of bands.entries()) {
      if (saturation >= this.#ceiling(rank, bands)) return undefined;
      const entry = this.#pick(
        band,
        this.#of(band).filter((each) => !aside.has(each)),
      );
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  #ceiling(rank: number, bands: readonly Band[]): number {
    const { ceilings } = this.#settings;
    if (ceilings === "static" || bands.length === 1) return 1;
    const [high = 0, low = 0] = [bands[0]?.priority, bands.at(-1)?.priority];
    const share =
      ceilings === "rank"
        ? 1 - rank / (bands.length - 1)
        : ((bands[rank]?.priority ?? 0) - low) / (high - low);
    return 0.5 + 0.5 * share;
  }

  #pick(band: Band, entries: readonly Entry[]): Entry | undefined {
    const ranks = { fcfs: () => 0, edf: this.#deadline, slo: firstTokenDeadline };
    const rank = ranks[this.#settings.ordering];
    const firstOf = (id: string) => {
      const queue = this.#queueOf(id);
      const queued = entries.filter(({ request }) => this.#queueOf(request.flow.id) === queue);
      const oldest = this.#isOldestNext(band, queue);
      return queued.toSorted((a, b) => {
        const [left, right] = oldest ? [0, 0] : [rank(a), rank(b)];
        return left === right ? a.sequence - b.sequence : left - right;
      })[0];
    };
    const ids = [...new Set(entries.map(({ request }) => request.flow.id))].sort();
    if (this.#settings.fairness === "strict") return firstOf("");
    const least = Math.min(...ids.map((id) => band.used.get(id) as number));
    const chosen =
      this.#settings.fairness === "round-robin"
        ? (ids.find((id) => band.last !== undefined && id > band.last) ?? ids[0])
        : band.turns.find((id) => ids.includes(id) && band.used.get(id) === least);
    return chosen === undefined ? undefined : firstOf(chosen);
  }

  readonly #queueOf = (id: string): string => (this.#settings.fairness === "strict" ? "" : id);

  #isOldestNext({ dispatches }: Band, queue: string): boolean {
    const { oldestShare: share } = this.#settings;
    const count = dispatches.get(queue) ?? 0;
    return Math.floor((count + 1) * share) > Math.floor(count * share);
  }

  readonly #deadline = ({ at, request }: Entry): number =>
    at + Math.min(request.ttl ?? Number.POSITIVE_INFINITY, this.#settings.requestTtl);

  #weight(id: string): number {
    return this.#settings.weights[id] ?? 1;
  }

  #remove(entry: Entry): void {
    this.waiting = this.waiting.filter((each) => each !== entry);
    const band = this.#band(entry.request.flow.priority);
    if (this.#of(band).length === 0) band.last = undefined;
  }

  #of({ priority }: Band): Entry[] {
    return this.waiting.filter(({ request }) => request.flow.priority === priority);
  }

  #band(priority: number): Band {
    let band = this.#bands.find((each) => each.priority === priority);
    if (band === undefined) {
      band = {
        priority,
        last: undefined,
        virtual: 0,
        used: new Map(),
        turns: [],
        dispatches: new Map(),
      };
      this.#bands.push(band);
    }
    return band;
  }
}

const firstTokenDeadline = ({ request }: Entry): number =>
  request.receivedAt + (request.firstTokenWithin ?? Number.POSITIVE_INFINITY);
