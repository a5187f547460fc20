import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { clamp } from "../../../scheduling/profiles/profile.ts";
import type {
  ProfileRecord,
  SchedulingRecord,
} from "../../../scheduling/profiles/scheduling-record.ts";
import type {
  ExplainedDecision,
  ExplainedProfile,
  ExplainPage,
} from "../../../sdk/routing/explained-decision.ts";
import type { DecisionRecord, DecisionRing, QueueRecord } from "./decision-ring.ts";

/** Number of ids that are listed if the query has no request id. */
const listed = 50;

/**
 * Page `/debug/explain`: the decisions on the request in the query parameter `request-id`, or else the ids of the last
 * requests.
 *
 * @param now milliseconds of the picker's clock
 */
export function explainPage(ring: DecisionRing, query: URLSearchParams, now: number): ExplainPage {
  const id = query.get("request-id");
  const recent = (record: DecisionRecord) => ({
    requestId: record.id,
    ageMilliseconds: Math.round(now - record.at),
    model: record.labels.model,
    chosen: record.chosen[0]?.address ?? null,
  });
  return {
    kept: ring.size,
    ...(id === null
      ? { last: ring.last(listed).map(recent) }
      : { decisions: ring.of(id).map((record) => explained(record, now)) }),
  };
}

/** Returns a record in the form of the page. */
export function explained(record: DecisionRecord, now: number): ExplainedDecision {
  const { id, at, labels, rewrite, queue, scheduledAt, scheduling } = record;
  const { chosen, refusal, response } = record;
  return {
    requestId: id,
    ageMilliseconds: Math.round(now - at),
    model: labels.model,
    targetModel: labels.targetModel,
    service: labels.service ?? null,
    rewrite: rewrite ?? null,
    flow: { fairnessId: labels.fairnessId, priority: labels.priority },
    waitedMilliseconds: scheduledAt === undefined ? null : Math.round(scheduledAt - at),
    queue: queueOf(queue),
    candidates: scheduling.candidates.map((endpoint, index) => ({
      ...nameOfEndpoint(endpoint),
      cachedBlocks: scheduling.prefix?.cachedBlocks[index] ?? null,
    })),
    prefix: prefixOf(scheduling),
    profiles: scheduling.profiles.map((profile) => explainedProfile(profile, scheduling)),
    chosen: chosen.map(({ address }) => address),
    refusal: refusal === undefined ? null : { code: refusal.code, message: refusal.message },
    served:
      response === undefined
        ? null
        : { endpoint: response.served?.address ?? null, status: response.status },
    timeline: timelineOf(record),
  };
}

function timelineOf({
  at,
  startedAt,
  scheduledAt,
  response,
}: DecisionRecord): ExplainedDecision["timeline"] {
  if (startedAt === undefined || scheduledAt === undefined || response === undefined) return null;
  const { firstTokenSeconds, seconds } = response;
  return {
    readMilliseconds: tenths(at - startedAt),
    scheduledMilliseconds: tenths(scheduledAt - startedAt),
    firstBytesMilliseconds:
      firstTokenSeconds === undefined ? null : tenths(firstTokenSeconds * 1_000),
    endMilliseconds: tenths(seconds * 1_000),
  };
}

const tenths = (milliseconds: number) => Math.round(milliseconds * 10) / 10;

const nameOfEndpoint = ({ address, namespace, pod, rank }: Endpoint) => ({
  endpoint: address,
  pod: `${namespace}/${pod}`,
  rank,
});

const queueOf = (queue: QueueRecord | undefined) =>
  queue === undefined
    ? null
    : {
        band: queue.flow.priority,
        flow: queue.flow.id,
        saturation: queue.saturation ?? null,
        ceiling: queue.ceiling ?? null,
      };

const prefixOf = ({ prefix }: SchedulingRecord) =>
  prefix === undefined
    ? null
    : { blockTokens: prefix.blockTokens, totalBlocks: prefix.totalBlocks };

function explainedProfile(
  { profile, left, scores, parts, picked }: ProfileRecord,
  { candidates }: SchedulingRecord,
): ExplainedProfile {
  const { name, filters } = profile;
  // Empty if the filters left no endpoint to score.
  const scorers = profile.scorers.slice(0, scores.length);
  let before = candidates;
  const dropped = left.flatMap((kept, index) => {
    const gone = before.filter((endpoint) => !kept.includes(endpoint));
    before = kept;
    const by = filters[index]?.plugin.name ?? "";
    return gone.map(({ address }) => ({ endpoint: address, by }));
  });
  return {
    name,
    dropped,
    scorers: scorers.map(({ plugin, weight }) => ({ ...plugin, weight })),
    scored: before.map(({ address }, index) => {
      const own = scores.map((each) => clamp(each[index] as number));
      const total = own.reduce((sum, each, at) => sum + (scorers[at]?.weight ?? 0) * each, 0);
      const partsOf = scorers.map(({ scorer }, at) => named(scorer.parts, parts[at], index));
      return { endpoint: address, scores: own, parts: partsOf, total };
    }),
    picked: picked.map(({ address }) => address),
  };
}

/** Returns the parts of the score of the endpoint at `index`, by name; null if they are not recorded. */
function named(
  names: readonly string[] = [],
  parts: readonly number[] | undefined,
  index: number,
): Readonly<Record<string, number>> | null {
  const own = parts?.slice(index * names.length, (index + 1) * names.length);
  if (own === undefined || own.some(Number.isNaN)) return null;
  return Object.fromEntries(names.map((name, at) => [name, own[at] as number]));
}
