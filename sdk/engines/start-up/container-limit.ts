import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { parseQuantity, toUnits } from "../../../kubernetes/values/quantity.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { fieldsOf } from "../options/kv-connectors.ts";

/**
 * Returns the limit of a container for a resource, in its unit; undefined if the container has no such limit or if the
 * limit is not known.
 */
export function containerLimit(container: CommandLine, resource: string): number | undefined {
  const { limits } = fieldsOf(fieldsOf(container).resources);
  const written = fieldsOf(limits)[resource];
  const quantity = isDeferred(written) ? undefined : parseQuantity(written);
  return quantity && toUnits(quantity);
}
