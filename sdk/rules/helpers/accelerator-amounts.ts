import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { parseQuantity, type Quantity, toUnits } from "../../../kubernetes/values/quantity.ts";
import type { NamedAccelerator } from "../../engines/accelerators/named-accelerator.ts";
import { isDevice } from "../../engines/accelerators/pod-accelerators.ts";
import type { Finding } from "../../invariant.ts";

export interface Resources {
  limits?: Record<string, unknown> | undefined;
  requests?: Record<string, unknown> | undefined;
}

/** Yields the accelerator amounts of a container that the API server rejects. */
export function* wrongAccelerators(
  { limits = {}, requests = {} }: Resources,
  path: readonly (string | number)[],
  named: readonly NamedAccelerator[] = [],
): Iterable<Finding> {
  for (const [field, list] of Object.entries({ limits, requests })) {
    for (const [resource, written] of Object.entries(list).filter(([name]) =>
      isDevice(name, named),
    )) {
      if (isDeferred(written) || isWhole(parseQuantity(written))) continue;
      yield {
        path: [...path, field, resource],
        given: `is ${JSON.stringify(written)}`,
        allowed: "a whole number of devices",
        fix: wholeInstead(parseQuantity(written)),
      };
    }
  }
  for (const resource of Object.keys(requests).filter((name) => isDevice(name, named))) {
    const [limit, request] = [parseQuantity(limits[resource]), parseQuantity(requests[resource])];
    if (request === undefined || limit?.nanos === request.nanos) continue;
    yield {
      path: [...path, "limits", resource],
      given: limit === undefined ? "is missing" : `is ${JSON.stringify(limits[resource])}`,
      allowed: `${JSON.stringify(requests[resource])}, the same as the request`,
      fix: "Set the limit to the request, or remove the request.",
    };
  }
}

/** Returns a fix that names the whole numbers next to the given amount. */
function wholeInstead(quantity: Quantity | undefined): string {
  if (quantity === undefined || quantity.nanos < 0n)
    return 'Set it to a number of devices, such as "8".';
  const below = toUnits(quantity) - 1;
  return below === 0 ? 'Set it to "1".' : `Set it to "${below}" or "${below + 1}".`;
}

const isWhole = (quantity: Quantity | undefined): boolean =>
  quantity !== undefined && quantity.nanos >= 0n && quantity.nanos % 1_000_000_000n === 0n;
