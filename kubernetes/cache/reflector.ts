import { type AnswerLimits, ownLimits } from "../api/answer-limits.ts";
import { ApiError, NoAnswerError } from "../api/api-error.ts";
import type { KubernetesClient, Query, WatchEvent } from "../api/client.ts";
import { BackOff, type BackOffOptions } from "../control/back-off.ts";
import { systemTime, type Time } from "../control/time.ts";
import { isObject, type KubernetesObject, keyOf } from "../values/object.ts";
import { type LargeReadings, largeReadings } from "./large-readings.ts";
import { type Change, ObjectCache, type Trim } from "./object-cache.ts";
import { isLarge, type LargeEvent, PendingObjects } from "./pending-objects.ts";
import { ServerData } from "./server-data.ts";

export interface ReflectorOptions<T> {
  readonly client: Pick<KubernetesClient, "request" | "watch" | "limits">;
  /** Path of the collection, for example `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  /** For example `labelSelector`. */
  readonly query?: Query;
  /** Returns the part of an object to keep. Called once for each version. */
  readonly trim: Trim<T>;
  /** Whether `trim` depends only on the spec and the identity, so that a new status is not parsed. Default false. */
  readonly specOnly?: boolean;
  /** Called with the changes of a list or an event; never empty. */
  readonly onChange?: (changes: readonly Change<T>[]) => void;
  /** Called after a change of state. */
  readonly onState?: (state: ReflectorState) => void;
  /** Called with an error of a handler or of `trim`, which ends nothing. */
  readonly onError?: (error: unknown) => void;
  readonly backOff?: BackOffOptions;
  /** Interval in which a kind that is not served is requested again, in ms. Default 10,000. */
  readonly probeIntervalMs?: number;
  /** Maximum number of objects in a list and in the local copy. Default: the client's limit. */
  readonly objects?: number;
  /** Objects per page of a list. Default: the client's setting. */
  readonly pageSize?: number;
  readonly time?: Time;
  /** Schedules the parsing of large objects. Default: together with all reflectors of the process. */
  readonly readings?: LargeReadings;
}

export type ReflectorState =
  /** Before the first response. */
  | { readonly kind: "starting" }
  /** Listed, and watched since. */
  | { readonly kind: "current" }
  /** The API server does not serve the kind, for example before its CRD is installed. It is asked again. */
  | { readonly kind: "absent" }
  /** The last attempt failed; the objects are those known before, and it is tried again. */
  | { readonly kind: "failing"; readonly error: Error; readonly forbidden: boolean }
  | { readonly kind: "stopped" };

/**
 * Seconds after which the server ends a watch, shortened at random by up to a quarter. A server with restored data may
 * accept a watch from a version that it has not reached, and send nothing: this limits how long that goes unnoticed.
 */
const watchSeconds = 45;
/** Age of a list, in ms, after which it is repeated at the end of a watch, regardless of the events. */
const relistAfterMs = 600_000;
/** Longest silence of a watch after its end time, in ms. */
const silenceAfterEndMs = 5_000;
/** Duration in ms after which a watch counts as successful. */
const goodWatchMs = 10_000;
/** Duration in ms below which a watch that the server ends without an event counts as a failure. */
const shortWatchMs = 1_000;

/**
 * A local copy of a collection, kept current: it lists the collection, watches it from there, and resumes or lists
 * again after any failure of the watch, the API server, the kind or the permission. Only `stop` ends it.
 *
 * It lists again within 60 s if the server may have other data, as after a restore from a backup: the server did not
 * respond for a second or has just started, versions decreased, or another cluster responds.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  readonly #time: Time;
  readonly #backOff: BackOff;
  readonly #cache: ObjectCache<T>;
  readonly #pending: PendingObjects;
  readonly #limits: AnswerLimits;
  readonly #stop = new AbortController();
  readonly #whenSynced: Promise<boolean>;
  #notifySynced: (synced: boolean) => void = () => {};
  #run: Promise<void> | undefined;
  #state: ReflectorState = { kind: "starting" };
  #synced = false;
  /** Ends the open watch, but not the reflector. */
  #watching: AbortController | undefined;
  /** Undefined if the next step is a list. */
  #resourceVersion: string | undefined;
  readonly #data = new ServerData();
  #listedAt = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    const { limits = ownLimits } = options.client;
    this.#limits = {
      ...limits,
      objects: Math.min(options.objects ?? limits.objects, limits.objects),
    };
    this.#time = options.time ?? systemTime;
    this.#backOff = new BackOff(this.#time.random, options.backOff);
    this.#cache = new ObjectCache((object) => this.#trimmed(object), options.specOnly);
    this.#pending = new PendingObjects(options.readings ?? largeReadings, (event) =>
      this.#readLarge(event),
    );
    this.#whenSynced = new Promise((resolve) => {
      this.#notifySynced = resolve;
    });
  }

  /** Throws if it is called twice. A stopped reflector cannot be started again. */
  start(): void {
    if (this.#run !== undefined || this.#stop.signal.aborted)
      throw new Error(`reflector of ${this.#options.path}was already started; create a new one`);
    this.#run = this.#follow();
  }

  /** Resolves when nothing is open. No handler is called afterwards. */
  async stop(): Promise<void> {
    if (!this.#stop.signal.aborted) {
      this.#stop.abort(new Error(`reflector of ${this.#options.path}: stopped`));
      this.#state = { kind: "stopped" };
      this.#pending.clear();
      this.#notifySynced(false);
    }
    await this.#run;
  }

  /**
   * Reopens the watch from the current version, because the server did not respond for a while and the watch's
   * connection may be lost without an error.
   */
  reconnect(): void {
    this.#watching?.abort(new Error("the server sent nothing; the request is repeated"));
  }

  /** By `namespace/name`, as of the last change. */
  get objects(): ReadonlyMap<string, T> {
    return this.#cache.objects;
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Version of the collection that the objects represent; undefined before each list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion && (this.#pending.since ?? this.#resourceVersion);
  }

  /** Whether all objects were listed once, or the kind is not served. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Resolves with true when synced, with false if stopped before. */
  whenSynced(): Promise<boolean> {
    return this.#whenSynced;
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const wait = await this.#step().catch((error: unknown) => this.#failed(error));
      if (wait > 0) await this.#time.sleep(wait, this.#stop.signal);
    }
  }

  /** Performs one list or one watch. Returns the wait before the next step, in ms. */
  async #step(): Promise<number> {
    if (this.#data.wasAway(this.#time.now())) this.#resourceVersion = undefined;
    if (this.#resourceVersion !== undefined) return this.#watch(this.#resourceVersion);
    this.#resourceVersion = await this.#list();
    this.#data.listed(this.#resourceVersion);
    this.#listedAt = this.#time.now();
    this.#enter({ kind: "current" });
    return 0;
  }

  /** Lists all pages. Returns the version to watch from. */
  async #list(): Promise<string> {
    const { client, path, query } = this.#options;
    const { objects, pages, listMs, pageSize: usual } = this.#limits;
    const { pageSize = usual } = this.#options;
    const signal = this.#stop.signal;
    const list = this.#cache.list(() => this.#data.mayDiffer);
    const began = this.#time.now();
    let next: string | undefined;
    for (let page = 1; ; page += 1) {
      const late = this.#time.now() - began > listMs;
      if (page > pages || late)
        throw new Error(
          `GET ${path}: the list is incomplete after ${late ? `${listMs} ms` : `${pages} pages`}`,
        );
      const answer: List = await client.request<List>("GET", path, {
        query: { ...query, limit: String(pageSize), continue: next },
        signal,
      });
      if (!Array.isArray(answer?.items) || answer.metadata?.resourceVersion === undefined)
        throw new Error(`GET ${path}: the response is not a list`);
      if (!answer.items.every(isObject))
        throw new Error(`GET ${path}: an item of the list has no metadata.name`);
      if (list.length + answer.items.length > objects)
        throw new Error(`GET ${path}: the list has more than ${objects} objects`);
      this.#data.wentBack(answer.metadata.resourceVersion);
      // Page by page, so that whole objects are not retained until the last page.
      list.add(answer.items);
      next = answer.metadata.continue || undefined;
      if (next !== undefined) continue;
      signal.throwIfAborted();
      this.#pending.clear();
      this.#notify(list.end());
      return answer.metadata.resourceVersion;
    }
  }

  /** Watches until the server ends the watch. Returns the wait before the next step, in ms. */
  async #watch(resourceVersion: string): Promise<number> {
    const { client, path, query } = this.#options;
    const { now, random } = this.#time;
    const signal = this.#stop.signal;
    const watching = new AbortController();
    const end = () => watching.abort(signal.reason);
    signal.addEventListener("abort", end);
    this.#watching = watching;
    const seconds = Math.round(watchSeconds * (1 - random() / 4));
    const events = client.watch<KubernetesObject>(path, {
      query: {
        ...query,
        resourceVersion,
        allowWatchBookmarks: "true",
        timeoutSeconds: String(seconds),
      },
      signal: watching.signal,
      // Without changes, the next event may be late.
      onOpen: (cluster) => this.#opened(cluster, watching),
      silenceMs: () => seconds * 1000 + silenceAfterEndMs,
    });
    const opened = now();
    let quiet = true;
    try {
      for await (const event of events) {
        // An event may arrive after the one that ended the watch.
        watching.signal.throwIfAborted();
        quiet = false;
        this.#take(event);
      }
    } catch (error) {
      // A server that disappears without an error does not end its watch.
      if (now() - opened >= seconds * 1000) {
        this.#data.suspect();
        this.#resourceVersion = undefined;
      }
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
      this.#watching = undefined;
      if (!quiet || now() - opened >= goodWatchMs) this.#backOff.reset();
    }
    if (quiet && now() - opened < shortWatchMs) return this.#backOff.next();
    if (now() - this.#listedAt >= relistAfterMs) this.#resourceVersion = undefined;
    else if (quiet) await this.#checkVersion();
    return 0;
  }

  #opened(cluster: string | undefined, watching: AbortController): void {
    const problem = this.#data.opened(cluster, this.#time.now());
    if (problem === undefined) this.#enter({ kind: "current" });
    else watching.abort(this.#otherData(problem));
  }

  /** A watch from a version that the server has not reached gets no events until the server reaches it. */
  async #checkVersion(): Promise<void> {
    const { client, path, query } = this.#options;
    const { metadata } = await client.request<List>("GET", path, {
      query: { ...query, limit: "1" },
      signal: this.#stop.signal,
    });
    this.#mustNotGoBack(metadata?.resourceVersion);
  }

  #mustNotGoBack(resourceVersion: string | undefined): void {
    const problem = this.#data.wentBack(resourceVersion);
    if (problem !== undefined) throw this.#otherData(problem);
  }

  #otherData(problem: string): Error {
    this.#resourceVersion = undefined;
    return new Error(`${problem}; all objects are listed again`);
  }

  #take(event: WatchEvent<KubernetesObject>): void {
    const { type } = event;
    const object = event.large ?? event.object;
    const { resourceVersion } = object?.metadata ?? {};
    if (resourceVersion === undefined) throw new Error("an event without metadata.resourceVersion");
    this.#mustNotGoBack(resourceVersion);
    if (type !== "BOOKMARK") {
      if (!isObject(object)) throw new Error("an event without metadata.name");
      if (type !== "DELETED") this.#mustFit(object);
      if (isLarge(event)) this.#takeLarge(event);
      else {
        this.#pending.delete(keyOf(object));
        this.#notify(type === "DELETED" ? this.#cache.delete(object) : this.#cache.put(object));
      }
    }
    this.#resourceVersion = resourceVersion;
    this.#enter({ kind: "current" });
  }

  #mustFit(object: KubernetesObject): void {
    const { objects: most } = this.#limits;
    if (this.#cache.has(object)) return;
    let size = this.#cache.size;
    for (const key of this.#pending.keys) if (!this.#cache.hasKey(key)) size += 1;
    if (size >= most) throw new Error(`more than ${most} objects`);
  }

  /** Schedules parsing of the object, unless its event suffices. */
  #takeLarge(event: LargeEvent): void {
    const isRead = event.type === "DELETED" || this.#cache.putUnread(event.large);
    if (isRead) this.#pending.delete(keyOf(event.large));
    else this.#pending.put(event, this.#resourceVersion ?? "");
    if (event.type === "DELETED") this.#notify(this.#cache.delete(event.large));
  }

  /** An object that cannot be parsed ends the watch, as a small one does. */
  #readLarge(event: LargeEvent): void {
    try {
      this.#notify(this.#cache.put(event.object));
    } catch (error) {
      this.#resourceVersion = undefined;
      this.#watching?.abort(error);
    }
  }

  /** Returns the wait before the next step, in ms. */
  #failed(error: unknown): number {
    if (this.#stop.signal.aborted) return 0;
    const listing = this.#resourceVersion === undefined;
    const status = error instanceof ApiError ? error.status : undefined;
    if (status === 404 && listing) return this.#kindIsAbsent();
    if (status !== undefined && !keepsVersion(status)) this.#resourceVersion = undefined;
    // 410 Gone and a removed CRD are expected here; the next list resolves them.
    if (!listing && this.#resourceVersion === undefined) return this.#backOff.next();
    const isUnanswered = error instanceof NoAnswerError || (status ?? 0) >= 500;
    this.#data.failed(isUnanswered, this.#time.now());
    this.#enter({
      kind: "failing",
      error: error instanceof Error ? error : new Error(String(error)),
      forbidden: status === 403,
    });
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(asked, this.#backOff.next());
  }

  #kindIsAbsent(): number {
    const { probeIntervalMs = 10_000 } = this.#options;
    this.#pending.clear();
    this.#notify(this.#cache.replace([]));
    this.#enter({ kind: "absent" });
    return probeIntervalMs * (0.75 + this.#time.random() / 4);
  }

  #enter(state: ReflectorState): void {
    if (this.#stop.signal.aborted) return;
    const before = this.#state;
    this.#state = state;
    if (state.kind === "current" || state.kind === "absent") {
      this.#synced = true;
      this.#notifySynced(true);
    }
    if (!sameState(before, state)) this.#guard(() => this.#options.onState?.(state));
  }

  #notify(changes: readonly Change<T>[]): void {
    if (changes.length > 0) this.#guard(() => this.#options.onChange?.(changes));
  }

  #trimmed(object: KubernetesObject): T | undefined {
    return this.#guard(() => this.#options.trim(object));
  }

  /** Reports errors of handlers, which must not stop the reflector. */
  #guard<R>(call: () => R): R | undefined {
    try {
      return call();
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }
}

interface List {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubernetesObject[];
}

/** Refusals that do not depend on the requested version. */
const keepsVersion = (status: number) =>
  status === 401 || status === 403 || status === 429 || status >= 500;

const sameState = (a: ReflectorState, b: ReflectorState) =>
  a.kind === b.kind &&
  (a.kind !== "failing" || (b.kind === "failing" && a.error.message === b.error.message));
