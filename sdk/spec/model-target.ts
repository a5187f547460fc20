import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { parseDuration } from "../../kubernetes/values/duration.ts";

/** Largest weight of a target (InferenceModelRewrite design, `TargetModel`: Maximum=1000000). */
export const maxWeight = 1_000_000;

/** A model or adapter name as clients and model servers say it. */
export const modelName = z.string().min(1).max(253);

/** Share of a target: weight divided by the sum of all weights of its list. */
export const weight = z.int().min(0).max(maxWeight).meta({ format: "int32" });

/** A duration as Go writes it: `50ms`, `1.5s`, `1m30s`. */
export const duration = z
  .string()
  .max(32)
  .regex(/^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/, "a duration such as 50ms or 1.5s")
  .meta(validations({ rule: "duration(self) > duration('0s')", message: "must be more than 0" }));

/** Returns the seconds of a duration; undefined for any other string. */
export function secondsOf(text: string): number | undefined {
  const milliseconds = duration.safeParse(text).success ? parseDuration(text) : undefined;
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
