import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { parseDuration } from "../../kubernetes/values/duration.ts";

/** Maximum weight of a target (InferenceModelRewrite design, `TargetModel`: Maximum=1000000). */
export const maxWeight = 1_000_000;

/** Name of a model or adapter, as used by clients and model servers. */
export const modelName = z.string().min(1).max(253);

/** Weight of a target. Its share is the weight divided by the sum of all weights in its list. */
export const weight = z.int().min(0).max(maxWeight).meta({ format: "int32" });

/** Duration in Go's format: `50ms`, `1.5s`, `1m30s`. */
export const duration = z
  .string()
  .max(32)
  .regex(/^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/, "a duration such as 50ms or 1.5s")
  .meta(validations({ rule: "duration(self) > duration('0s')", message: "must be more than 0" }));

/** Returns a duration in seconds; undefined for any other string. */
export function secondsOf(text: string): number | undefined {
  const milliseconds = duration.safeParse(text).success ? parseDuration(text) : undefined;
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
