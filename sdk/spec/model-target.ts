import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";

/** Largest weight of a target (InferenceModelRewrite design, `TargetModel`: Maximum=1000000). */
export const maxWeight = 1_000_000;

/** A model or adapter name as clients and model servers say it. */
export const modelName = z.string().min(1).max(253);

/** Share of a target: weight divided by the sum of all weights of its list. */
export const weight = z.int().min(0).max(maxWeight).meta({ format: "int32" });

const nanosecondsOf: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** A duration as Go writes it: `50ms`, `1.5s`, `1m30s`. */
export const duration = z
  .string()
  .max(32)
  .regex(/^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/, "a duration such as 50ms or 1.5s")
  .meta(validations({ rule: "duration(self) > duration('0s')", message: "must be more than 0" }));

/** Seconds of a duration; undefined for a text that is none. */
export function secondsOf(text: string): number | undefined {
  if (!duration.safeParse(text).success) return undefined;
  let nanoseconds = 0;
  for (const [, number, unit] of text.matchAll(/([0-9.]+)(ns|us|µs|ms|s|m|h)/g))
    nanoseconds += Number(number) * (nanosecondsOf[unit as string] as number);
  return nanoseconds / 1e9;
}
