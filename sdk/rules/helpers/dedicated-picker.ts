import type { Finding } from "../../invariant.ts";
import { isRouter, type RouterRole } from "../../spec/role.ts";
import type { PartialSpec } from "./partial-spec.ts";

/** Field that needs a dedicated picker, and the texts of its errors. */
export interface PickerNeed {
  /** Path of the field. */
  readonly path: readonly string[];
  /** The service in an error, such as `a service with autoscaling`. */
  readonly service: string;
  readonly allowed: string;
  /** Ways out for a service without a router, and for a router with a shared picker. */
  readonly fix: { readonly router: string; readonly shared: string };
}

/** Reports a missing router or a shared picker. `own` checks other fields of the router. */
export function* needsDedicatedPicker(
  { roles }: PartialSpec,
  { path, service, allowed, fix }: PickerNeed,
  own: (role: RouterRole, index: number) => Iterable<Finding>,
): Iterable<Finding> {
  const router = roles.find(({ componentType }) => componentType === "router");
  if (router === undefined) {
    yield { path: [...path], given: "is set without a router", allowed, fix: fix.router };
    return;
  }
  const { role, index } = router;
  if (role === undefined || !isRouter(role)) return;
  if (role.shared !== undefined)
    yield {
      path: ["roles", index, "shared"],
      given: `is set for ${service}`,
      allowed,
      fix: fix.shared,
    };
  yield* own(role, index);
}
