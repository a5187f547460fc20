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

/** What a source of several kinds reads from. */
export interface SourceOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Receives what an object or the API server does wrong; `key` names the object or kind. */
  readonly onProblem: ReportProblem;
  /** How the reflectors wait. */
  readonly timing?: ReflectorTiming;
}

interface Reflection {
  /** Nothing works without the kind. Default false. */
  readonly required?: boolean;
  /** Namespace of the objects. Default: the source's. */
  readonly namespace?: string | undefined;
  readonly query?: Query;
  /** Whether the spec and the identity alone are read. Default false. */
  readonly specOnly?: boolean;
  /** Called before the change is told. */
  readonly onChange?: () => void;
}

/** Makes the reflectors of a source of several kinds, whose changes are told together. */
export class ReflectedKinds {
  readonly #options: SourceOptions & { readonly namespace?: string };
  readonly #throttle: Throttle;

  /**
   * @param report receives every change
   * @param collectMs milliseconds in which changes are collected at least. Default: the turn of the event loop
   */
  constructor(
    options: SourceOptions & { readonly namespace?: string },
    report: () => void,
    collectMs?: number,
  ) {
    this.#options = options;
    this.#throttle = new Throttle(report, collectMs);
  }

  /** Changes are to be told. */
  changed(): void {
    this.#throttle.changed();
  }

  /** Nothing is told from now on. */
  stop(): void {
    this.#throttle.stop();
  }

  /** A reflector of the objects of a kind; one that cannot be read is a problem, and left out. */
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

  /** The LLMServices of namespaces that may come and go. */
  services(): NamespacedServices {
    const read = readServiceAndReport(this.#options.onProblem);
    return new NamespacedServices((namespace, onChange) =>
      this.one(kinds.LLMService, read, { namespace, onChange, specOnly: true }),
    );
  }

  /**
   * The objects of a kind, of every group and version in which clusters serve it.
   *
   * @param read reads the spec and the identity alone
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
