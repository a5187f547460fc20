import type { Cycle } from "./cycle.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Filter, Picker, ProfileResult, Scored, Scorer } from "./plugin.ts";

/** How a request's endpoint is found: filters in order, scorers by weight, one picker. */
export interface Profile {
  readonly name: string;
  readonly filters: readonly Filter[];
  readonly scorers: ReadonlyArray<{ readonly scorer: Scorer; readonly weight: number }>;
  readonly picker: Picker;
}

/** Filter, score, pick. Undefined where the filters leave nothing. */
export function runProfile(profile: Profile, cycle: Cycle): ProfileResult | undefined {
  const left = filtered(profile, cycle);
  if (left.length === 0) return undefined;
  const scored = score(profile, cycle, left);
  return { endpoints: profile.picker.pick(cycle, scored), scored };
}

/** Filter, and any of what is left: for a request without anything to score by. */
export function runUnread(profile: Profile, cycle: Cycle): ProfileResult | undefined {
  const left = filtered(profile, cycle);
  const chosen = left[Math.floor(cycle.chance.random() * left.length)];
  return chosen && { endpoints: [chosen], scored: [{ endpoint: chosen, score: 0 }] };
}

function filtered({ filters }: Profile, cycle: Cycle): readonly Endpoint[] {
  let left: readonly Endpoint[] = cycle.candidates;
  for (const filter of filters) {
    if (left.length === 0) break;
    left = filter.filter(cycle, left);
  }
  return left;
}

function score({ scorers }: Profile, cycle: Cycle, endpoints: readonly Endpoint[]): Scored[] {
  const totals = new Float64Array(endpoints.length);
  for (const { scorer, weight } of scorers) {
    const scores = scorer.score(cycle, endpoints);
    for (let at = 0; at < totals.length; at += 1)
      totals[at] = (totals[at] as number) + weight * clamp(scores[at] as number);
  }
  return endpoints.map((endpoint, at) => ({ endpoint, score: totals[at] as number }));
}

/** Clamps to [0, 1]; NaN becomes 0. */
const clamp = (score: number) => (score > 0 ? Math.min(score, 1) : 0);
