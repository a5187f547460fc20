import type { InferenceServiceSpec } from "../spec/inference-service.ts";

/** The gang scheduler's name in the InferenceService design. */
export const volcano = "volcano";

/**
 * Returns the scheduler of a role's pods: the strategy's choice, Volcano in a gang, otherwise the cluster's default.
 */
export function schedulerOf(
  strategy: InferenceServiceSpec["schedulingStrategy"],
  inGang: boolean,
): string | undefined {
  return strategy.schedulerName ?? (inGang ? volcano : undefined);
}
