import type { Endpoint } from "../endpoints/endpoint.ts";
import { limits } from "../limits.ts";
import type { PluginIdentity } from "../scheduling-observer.ts";
import type { Cycle } from "./cycle.ts";
import type { Filter, LastFilter, Picker, Scorer } from "./plugin.ts";
import type { ProfileResult, Scored } from "./profile-result.ts";
import type { ProfileRecord, SchedulingRecord } from "./scheduling-record.ts";

/** The steps that select a request's endpoint: filters in order, weighted scorers, one picker. */
export interface Profile {
  readonly name: string;
  readonly filters: ReadonlyArray<{ readonly filter: Filter; readonly plugin: PluginIdentity }>;
  readonly scorers: ReadonlyArray<{
    readonly scorer: Scorer;
    readonly weight: number;
    readonly plugin: PluginIdentity;
  }>;
  readonly picker: Picker;
}

/**
 * Filters, scores and picks. Returns undefined if no endpoint passes the filters.
 *
 * @param record receives the result of each step, to explain the decision
 * @param last the handler's filter, which runs after the profile's filters
 */
export function runProfile(
  profile: Profile,
  cycle: Cycle,
  record?: SchedulingRecord,
  last?: LastFilter,
): ProfileResult | undefined {
  const ran: ProfileRecord | undefined = record && {
    ...{ profile, picked: [] },
    ...{ left: [], scores: [], parts: [] },
  };
  if (ran !== undefined) record?.profiles.push(ran);
  const left = filtered(profile, cycle, ran, last);
  if (left.length === 0) return undefined;
  const scored = score(profile, cycle, left, ran);
  const endpoints = profile.picker.pick(cycle, scored);
  if (ran !== undefined) ran.picked = endpoints;
  return { endpoints, scored };
}

/** Selects any endpoint that passes the filters, for a request without data to score by. */
export function runUnread(profile: Profile, cycle: Cycle): ProfileResult | undefined {
  const left = filtered(profile, cycle);
  const chosen = left[Math.floor(cycle.chance.random() * left.length)];
  return chosen && { endpoints: [chosen], scored: [{ endpoint: chosen, score: 0 }] };
}

/** Names of the filters that no configuration lists, for explained decisions. */
const healthFilter: PluginIdentity = { type: "server-health", name: "server-health" };
const lastFilter: PluginIdentity = { type: "pair-health", name: "pair-health" };

/** Returns the endpoints that pass the filters and are not ejected. If there are none, ejected endpoints pass too. */
function filtered(
  profile: Profile,
  cycle: Cycle,
  ran?: ProfileRecord,
  last?: LastFilter,
): readonly Endpoint[] {
  const { candidates, fit } = cycle;
  if (fit.length === candidates.length) return filteredOf(candidates, profile, cycle, ran, last);
  if (ran !== undefined) {
    ran.profile = { ...ran.profile, filters: [{ plugin: healthFilter }, ...profile.filters] };
    ran.left.push(fit);
  }
  const left = filteredOf(fit, profile, cycle, ran, last);
  if (left.length > 0) return left;
  if (ran !== undefined) {
    ran.profile = profile;
    ran.left.length = 0;
  }
  return filteredOf(candidates, profile, cycle, ran, last);
}

function filteredOf(
  endpoints: readonly Endpoint[],
  { filters }: Profile,
  cycle: Cycle,
  ran?: ProfileRecord,
  last?: LastFilter,
): readonly Endpoint[] {
  let left = endpoints;
  for (const { filter } of filters) {
    if (left.length === 0) break;
    left = filter.filter(cycle, left);
    ran?.left.push(left);
  }
  const kept = last === undefined || left.length === 0 ? left : last(left);
  if (ran !== undefined && kept.length < left.length) {
    ran.profile = { ...ran.profile, filters: [...ran.profile.filters, { plugin: lastFilter }] };
    ran.left.push(kept);
  }
  return kept;
}

function score(
  { scorers }: Profile,
  cycle: Cycle,
  endpoints: readonly Endpoint[],
  ran: ProfileRecord | undefined,
): Scored[] {
  const totals = new Float64Array(endpoints.length);
  for (const { scorer, weight } of scorers) {
    const parts = ran && newParts(scorer, endpoints);
    const scores = scorer.score(cycle, endpoints, parts);
    ran?.scores.push(scores);
    ran?.parts.push(parts);
    for (let at = 0; at < totals.length; at += 1)
      totals[at] = (totals[at] as number) + weight * clamp(scores[at] as number);
  }
  return endpoints.map((endpoint, at) => ({ endpoint, score: totals[at] as number }));
}

/** Returns the list that receives the parts of a scorer's scores; undefined if they are not recorded. */
const newParts = ({ parts }: Scorer, { length }: readonly Endpoint[]): number[] | undefined =>
  parts === undefined || length > limits.explainedEndpoints.value
    ? undefined
    : new Array<number>(parts.length * length).fill(Number.NaN);

/** Clamps to [0, 1]; NaN becomes 0. */
export const clamp = (score: number) => (score > 0 ? Math.min(score, 1) : 0);
