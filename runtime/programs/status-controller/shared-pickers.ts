import { GroupIndex } from "../../../kubernetes/cache/group-index.ts";
import { routerOf } from "../../../sdk/spec/inference-service.ts";
import type { ServiceReading } from "../../../sdk/status/read-inference-service.ts";
import { routerPickerOf } from "../../../sdk/topology/router-picker.ts";

interface ServiceObject {
  readonly name: string;
  readonly reading: ServiceReading;
}

/** InferenceServices by shared picker, because the objects of a shared picker have no service label. */
export class SharedPickers extends GroupIndex<ServiceObject> {
  constructor() {
    super(({ reading }) => pickersOf(reading));
  }

  override put(service: ServiceObject, previous?: ServiceObject): void {
    if (previous !== undefined) this.delete(previous);
    super.put(service);
  }

  /** Returns the names of the services of a picker, which are in its namespace. */
  servicesOf(namespace: string, picker: string): Iterable<string> {
    return this.of(`${namespace}/${picker}`).keys();
  }
}

function pickersOf({ service }: ServiceReading): string[] {
  const router = service && routerOf(service.spec);
  if (service === undefined || router?.shared === undefined) return [];
  const { namespace, name } = service.metadata;
  return [`${namespace}/${routerPickerOf(name, router).name}`];
}
