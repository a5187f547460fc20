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

/** What becomes of model names on a pool. */
export interface ModelRouting {
  readonly registrationRequired: boolean;
  readonly registrations: Registrations;
  readonly rewrites: RewriteTable;
}

/** What the objects say that are about a pool; the others are passed over. */
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
