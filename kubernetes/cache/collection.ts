import type { KubernetesClient, Query } from "../api/client.ts";
import { systemTime } from "../control/time.ts";
import { type KindAddress, resourceName } from "../kinds/kind.ts";
import type { KubernetesObject } from "../values/object.ts";
import type { Change } from "./object-cache.ts";
import { type ReflectorTiming, reflectKind } from "./reflect-kind.ts";
import type { Reflector, ReflectorState } from "./reflector.ts";

export interface CollectionOptions<T> {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly kind: Pick<KindAddress, "apiVersion" | "plural">;
  /** Namespaces to watch; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly query?: Query;
  readonly read: (object: KubernetesObject) => T | undefined;
  readonly onChange: (changes: readonly Change<T>[]) => void;
  /** Called when the collection becomes stale, and when it recovers. */
  readonly onStale: () => void;
  readonly onProblem: (message: string) => void;
  /** Time in ms without a successful read after which the collection is stale. Default 30,000. */
  readonly staleAfterMs?: number;
  readonly timing?: ReflectorTiming;
}

interface Part<T> {
  readonly reflector: Reflector<T>;
  failingSince: number | undefined;
}

/** The objects of a kind, in all namespaces or in some, kept current. */
export class Collection<T> {
  readonly #options: CollectionOptions<T>;
  readonly #staleAfterMs: number;
  readonly #parts: readonly Part<T>[];

  constructor(options: CollectionOptions<T>) {
    this.#options = options;
    this.#staleAfterMs = options.staleAfterMs ?? 30_000;
    this.#parts = (options.namespaces ?? [undefined]).map((each) => this.#part(each));
  }

  start(): void {
    for (const { reflector } of this.#parts) reflector.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#parts.map(({ reflector }) => reflector.stop()));
  }

  /** By `namespace/name`. */
  get(key: string): T | undefined {
    for (const { reflector } of this.#parts) {
      const object = reflector.objects.get(key);
      if (object !== undefined) return object;
    }
    return undefined;
  }

  *keys(): Iterable<string> {
    for (const { reflector } of this.#parts) yield* reflector.objects.keys();
  }

  *values(): Iterable<T> {
    for (const { reflector } of this.#parts) yield* reflector.objects.values();
  }

  /** Whether the API server serves the kind; true while that is unknown. */
  get served(): boolean {
    return this.#parts.some(({ reflector }) => reflector.state.kind !== "absent");
  }

  /** Whether everything was read once, the kind is not served, or the collection is stale. */
  get settled(): boolean {
    return this.#parts.every((part) => part.reflector.synced || this.#isStale(part));
  }

  /** Reason why the objects are stale; undefined if they are not. */
  get stale(): string | undefined {
    const part = this.#parts.find((each) => this.#isStale(each));
    if (part?.reflector.state.kind !== "failing") return undefined;
    return `${resourceName(this.#options.kind)} cannot be read: ${part.reflector.state.error.message}`;
  }

  #isStale({ failingSince, reflector: { state } }: Part<T>): boolean {
    if (state.kind !== "failing" || failingSince === undefined) return false;
    return state.forbidden || systemTime.now() - failingSince >= this.#staleAfterMs;
  }

  #part(namespace: string | undefined): Part<T> {
    const part: Part<T> = {
      failingSince: undefined,
      reflector: reflectKind<T>({
        ...this.#options,
        namespace,
        onState: (state) => this.#entered(part, state),
      }),
    };
    return part;
  }

  #entered(part: Part<T>, state: ReflectorState): void {
    const { onStale } = this.#options;
    if (state.kind === "failing") {
      part.failingSince ??= systemTime.now();
      // A timer may fire up to a millisecond early.
      setTimeout(onStale, this.#staleAfterMs + 10).unref();
    } else part.failingSince = undefined;
    onStale();
  }
}
