import type { InferenceServiceSpec } from "../spec/inference-service.ts";

/** The gang scheduler's name, as the InferenceService design has it. */
export const volcano = "volcano";

/** Who schedules the pods of a role: the strategy's choice, Volcano in a gang, else the cluster's default. */
export function schedulerOf(
  strategy: InferenceServiceSpec["schedulingStrategy"],
  inGang: boolean,
): string | undefined {
  return strategy.schedulerName ?? (inGang ? volcano : undefined);
}
