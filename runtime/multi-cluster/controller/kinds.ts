import { kinds as planned } from "../../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";

/** Kinds that the controller reads in each member. */
export const kinds = {
  namespaces: planned.Namespace,
  pools: planned.InferencePool,
  imports: planned.InferencePoolImport,
  services: planned.Service,
  endpointSlices: unplanned.EndpointSlice,
  routes: planned.HTTPRoute,
  gateways: planned.Gateway,
} as const satisfies Record<string, KindAddress>;

export type Kind = keyof typeof kinds;
