import type { KubernetesClient, Query } from "../../../kubernetes/api/client.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { Throttle } from "../../../kubernetes/control/throttle.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressesOf, type KindAddress, type KindFacts } from "../../../kubernetes/kinds/kind.ts";
import { collectionPath } from "../../../kubernetes/paths.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { NamespacedServices } from "./namespaced-services.ts";
import { type ReportProblem, readOrReport, readServiceAndReport } from "./read-or-report.ts";
import { ReflectedList } from "./reflected-list.ts";

/** Options of a source that reads several kinds. */
export interface SourceOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Receives problems of an object or of the API server; `key` names the object or kind. */
  readonly onProblem: ReportProblem;
  /** Retry and resync times of the reflectors. */
  readonly timing?: ReflectorTiming;
}

interface Reflection {
  /** Whether the source needs the kind. Default false. */
  readonly required?: boolean;
  /** Namespace of the objects. Default: the namespace of the source. */
  readonly namespace?: string | undefined;
  readonly query?: Query;
  /** Whether only the spec and the identity are read. Default false. */
  readonly specOnly?: boolean;
  /** Called before the change is passed on. */
  readonly onChange?: () => void;
}

/** Makes the reflectors of a source of several kinds, and passes their changes on together. */
export class ReflectedKinds {
  readonly #options: SourceOptions & { readonly namespace?: string };
  readonly #throttle: Throttle;

  /**
   * @param report called after every change
   * @param collectMs minimum time for which changes are collected, in ms. Default: one turn of the event loop
   */
  constructor(
    options: SourceOptions & { readonly namespace?: string },
    report: () => void,
    collectMs?: number,
  ) {
    this.#options = options;
    this.#throttle = new Throttle(report, collectMs);
  }

  /** Schedules a call of `report`. */
  changed(): void {
    this.#throttle.changed();
  }

  /** Prevents further calls of `report`. */
  stop(): void {
    this.#throttle.stop();
  }

  /** Returns a reflector of the objects of a kind. An invalid object is reported and left out. */
  one<T>(
    kind: KindAddress,
    read: (object: KubernetesObject) => T | undefined,
    { namespace = this.#options.namespace, query, onChange, required, specOnly }: Reflection = {},
  ): Reflector<T> {
    const { client, onProblem, timing } = this.#options;
    const path = collectionPath(kind, namespace);
    return reflectKind<T>({
      ...{ client, kind, namespace, query, timing, specOnly },
      ...(required && { required }),
      read: readOrReport(kind, read, onProblem),
      onChange: () => {
        onChange?.();
        this.changed();
      },
      onState: () => this.changed(),
      onProblem: (message) => onProblem(path, message),
    });
  }

  /** Returns the LLMServices of a set of namespaces that may change. */
  services(): NamespacedServices {
    const read = readServiceAndReport(this.#options.onProblem);
    return new NamespacedServices((namespace, onChange) =>
      this.one(kinds.LLMService, read, { namespace, onChange, specOnly: true }),
    );
  }

  /**
   * Returns the objects of a kind, from all its groups and versions that a cluster serves.
   *
   * @param read reads only the spec and the identity
   */
  everyVersion<T>(
    kind: KindFacts,
    read: (object: KubernetesObject) => T | undefined,
  ): ReflectedList<T> {
    const list = new ReflectedList<T>();
    list.reflectors = addressesOf(kind).map((address) =>
      this.one(address, read, { onChange: list.changed, specOnly: true }),
    );
    return list;
  }
}
