import type { LeaderWorkerSet } from "./objects.ts";

/**
 * Reasons for which a LeaderWorkerSet gets no pods: the upstream webhook refuses it, its controller fails on it, or
 * this stand-in does not support it. The stand-in must not start pods that a real cluster would not.
 */
export function refusalsOf(lws: LeaderWorkerSet): string[] {
  return [...nameRefusals(lws), ...sizeRefusals(lws), ...rolloutRefusals(lws), ...notPlayed(lws)];
}

/**
 * Pods carry the label controller-revision-hash, `{StatefulSet}-{up to 10 characters}`, and a label value has at
 * most 63 characters. The controller makes one StatefulSet for the leaders and one per group for its workers.
 */
const statefulSetNameLength = 52;

function* nameRefusals({ metadata, spec }: LeaderWorkerSet) {
  const { name } = metadata;
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    yield `name ${name} is not a DNS-1035 label: the webhook refuses it`;
  }
  const isMultiNode = spec.leaderWorkerTemplate.size > 1;
  const longest = isMultiNode ? `${name}-${Math.max(0, spec.replicas - 1)}` : name;
  if (longest.length > statefulSetNameLength) {
    yield `StatefulSet name ${longest} has ${longest.length} characters; with more than ${statefulSetNameLength} ` +
      "its pods cannot carry their revision label and are not created";
  }
}

function* sizeRefusals({ spec }: LeaderWorkerSet) {
  if (spec.leaderWorkerTemplate.size < 1) {
    yield `leaderWorkerTemplate.size is ${spec.leaderWorkerTemplate.size}: the webhook refuses less than 1`;
  }
}

function* rolloutRefusals({ spec }: LeaderWorkerSet) {
  const rollout = spec.rolloutStrategy?.rollingUpdateConfiguration;
  if (rollout === undefined) {
    yield "rolloutStrategy.rollingUpdateConfiguration is absent: the controller panics on it. Write it out in full";
    return;
  }
  const { maxUnavailable, maxSurge, partition } = rollout;
  const isNothing = (value: number | string) => /^0%?$/.test(String(value));
  if (isNothing(maxUnavailable) && isNothing(maxSurge) && spec.replicas > 0) {
    yield "maxUnavailable and maxSurge are both 0: the webhook refuses it";
  }
  if (partition < 0) yield `partition is ${partition}: the webhook refuses less than 0`;
}

function* notPlayed({ metadata, spec }: LeaderWorkerSet) {
  const { subGroupPolicy, volumeClaimTemplates } = spec.leaderWorkerTemplate;
  const maxSurge = spec.rolloutStrategy?.rollingUpdateConfiguration?.maxSurge ?? 0;
  const isExclusive = Object.keys(metadata.annotations ?? {}).some((key) =>
    /^leaderworkerset\.sigs\.k8s\.io\/(subgroup-)?exclusive-topology$/.test(key),
  );
  if (subGroupPolicy !== undefined) yield "this stand-in does not play subGroupPolicy";
  if (volumeClaimTemplates !== undefined) yield "this stand-in does not play volumeClaimTemplates";
  if (!/^0%?$/.test(String(maxSurge))) yield "this stand-in does not play maxSurge";
  if (isExclusive) yield "this stand-in does not play exclusive-topology";
}
