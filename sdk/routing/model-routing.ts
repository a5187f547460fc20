import {
  type LLMServiceObject,
  noRegistrations,
  type Registrations,
  registrationsOf,
} from "./registrations.ts";
import {
  type ModelRewriteObject,
  noRewrites,
  type RewriteTable,
  rewriteTable,
} from "./rewrite-table.ts";
import type { RoutedPool } from "./routed-pool.ts";

/** Routing of model names on a pool. */
export interface ModelRouting {
  readonly registrationRequired: boolean;
  readonly registrations: Registrations;
  readonly rewrites: RewriteTable;
}

/** Returns the routing rules of a pool, from the objects that refer to it. Other objects are ignored. */
export const modelRouting = (
  pool: RoutedPool,
  services: readonly LLMServiceObject[],
  rewrites: readonly ModelRewriteObject[],
): ModelRouting => ({
  registrationRequired: pool.registrationRequired,
  registrations: registrationsOf(pool, services),
  rewrites: rewriteTable(pool, rewrites),
});

export const noModelRouting: ModelRouting = {
  registrationRequired: false,
  registrations: noRegistrations,
  rewrites: noRewrites,
};
