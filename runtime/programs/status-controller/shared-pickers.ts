import { routerOf } from "../../../sdk/spec/inference-service.ts";
import type { ServiceReading } from "../../../sdk/status/read-inference-service.ts";
import { routerPickerOf } from "../../../sdk/topology/router-picker.ts";

/** Maps shared pickers to InferenceServices, because the objects of a shared picker have no service label. */
export class SharedPickers {
  /** Services by picker, both as `namespace/name`. */
  readonly #services = new Map<string, Set<string>>();
  readonly #pickers = new Map<string, string>();

  /** Updates a service; `reading` is undefined for a deleted one. */
  put(key: string, reading: ServiceReading | undefined): void {
    const picker = pickerOf(reading);
    const before = this.#pickers.get(key);
    if (picker === before) return;
    if (before !== undefined) {
      const services = this.#services.get(before);
      services?.delete(key);
      if (services?.size === 0) this.#services.delete(before);
      this.#pickers.delete(key);
    }
    if (picker !== undefined) {
      this.#pickers.set(key, picker);
      this.#services.set(picker, (this.#services.get(picker) ?? new Set()).add(key));
    }
  }

  /** Returns the `namespace/name` of the services of a picker. */
  servicesOf(namespace: string, picker: string): Iterable<string> {
    return this.#services.get(`${namespace}/${picker}`) ?? [];
  }
}

function pickerOf(reading: ServiceReading | undefined): string | undefined {
  const service = reading?.service;
  const router = service && routerOf(service.spec);
  if (service === undefined || router?.shared === undefined) return undefined;
  const { namespace, name } = service.metadata;
  return `${namespace}/${routerPickerOf(name, router).name}`;
}
