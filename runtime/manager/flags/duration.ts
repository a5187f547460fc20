import { durationUnits, parseDuration } from "../../../kubernetes/values/duration.ts";
import type { FlagType } from "./flag-type.ts";

export function showDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  const [unit, size] = [...durationUnits].find(([, size]) => milliseconds % size === 0) ?? [
    "ms",
    1,
  ];
  return `${milliseconds / size}${unit}`;
}

/** A duration in milliseconds, not negative. */
export const duration: FlagType<number> = {
  placeholder: "DURATION",
  allowed: "a duration such as 50ms, 30s or 1m30s",
  parse: parseDuration,
  show: showDuration,
};
