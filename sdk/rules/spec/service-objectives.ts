import { isMap } from "../../../kubernetes/values/records.ts";
import { orList } from "../../errors.ts";
import type { Invariant } from "../../invariant.ts";
import { metrics } from "../../observability/metrics.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

/** Histogram of each objective with a limit in seconds. */
const histogramOf = {
  firstToken: metrics.firstToken,
  perOutputToken: metrics.perOutputToken,
} as const;

const secondsAreBounds: Invariant<RawSpec> = {
  id: "objective-seconds-are-a-bound",
  title: "The seconds of an objective are a bound of the histogram",
  why: "A histogram counts the responses up to each of its bounds. Between two bounds, the share is unknown.",
  source: "Prometheus, Histograms and summaries: Apdex score",
  code: "count",
  *check({ spec }) {
    if (!isMap(spec.objectives)) return;
    for (const [objective, { name, bounds }] of Object.entries(histogramOf)) {
      const written = spec.objectives[objective];
      if (!isMap(written) || typeof written.seconds !== "number") continue;
      const allowed: readonly number[] = bounds;
      if (allowed.includes(written.seconds)) continue;
      yield {
        path: ["objectives", objective, "seconds"],
        given: `is ${written.seconds}, which is not a bound of ${name}`,
        allowed: allowed.join(", "),
        fix: `Set it to ${orList(neighbours(allowed, written.seconds))}.`,
      };
    }
  },
};

/** Returns the bounds next to a value: the largest below it and the smallest above it. */
const neighbours = (bounds: readonly number[], seconds: number): number[] =>
  [bounds.findLast((bound) => bound < seconds), bounds.find((bound) => bound > seconds)].filter(
    (bound) => bound !== undefined,
  );

export const serviceObjectivesRules: ReadonlyArray<Invariant<RawSpec>> = [secondsAreBounds];
