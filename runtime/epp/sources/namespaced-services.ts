import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import type { ServiceObject } from "../datastore/pool-objects.ts";
import { ReflectedList } from "./reflected-list.ts";

/** Makes a reflector of the LLMServices of a namespace, which calls `onChange` when they change. */
export type ReflectServices = (namespace: string, onChange: () => void) => Reflector<ServiceObject>;

/** The LLMServices of a changing set of namespaces, with one reflector each. */
export class NamespacedServices {
  readonly #reflect: ReflectServices;
  readonly #services = new ReflectedList<ServiceObject>();
  #byNamespace: ReadonlyMap<string, Reflector<ServiceObject>> = new Map();

  constructor(reflect: ReflectServices) {
    this.#reflect = reflect;
  }

  get list(): readonly ServiceObject[] {
    return this.#services.list;
  }

  /**
   * Reports whether every namespace was read once or is forbidden. Without a grant for a namespace the picker lacks its
   * services only.
   */
  get settled(): boolean {
    return this.#services.reflectors.every(
      ({ synced, state }) => synced || (state.kind === "failing" && state.forbidden),
    );
  }

  /** Watches these namespaces from now on, instead of the previous ones. */
  follow(namespaces: readonly string[]): void {
    const before = this.#byNamespace;
    const wanted = new Set(namespaces);
    if (wanted.size === before.size && [...wanted].every((each) => before.has(each))) return;
    this.#byNamespace = new Map(
      [...wanted].map((each) => [each, before.get(each) ?? this.#start(each)]),
    );
    this.#services.reflectors = [...this.#byNamespace.values()];
    for (const [namespace, reflector] of before) if (!wanted.has(namespace)) void reflector.stop();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#services.reflectors.map((reflector) => reflector.stop()));
  }

  #start(namespace: string): Reflector<ServiceObject> {
    const reflector = this.#reflect(namespace, this.#services.changed);
    reflector.start();
    return reflector;
  }
}
