/** kube-scheduler's `0/8 nodes are available: ...` and Volcano's `0/8 nodes are unavailable: ...`, up to the full stop. */
const histogram = /\b0\/(\d+) nodes are (?:un)?available: (.+?)\.(?=\s|$)/;

/** Volcano's counts of a gang: `pod group is not ready, 5 Pending, 5 minAvailable; Pending: 2 Schedulable, 3 Unschedulable`. */
const counts = /pod group is (?:not )?ready, (.+? minAvailable)(?:; Pending: ([^.]+))?/;

/** Events of Volcano about a gang that it does not start to place, with the resources that are short. */
const refusals: ReadonlyArray<readonly [pattern: RegExp, words: string]> = [
  [/^resource in cluster is overused(?:: (.*))?$/, "the cluster has too few free"],
  [/^queue resource quota insufficient(?:: (.*))?$/, "the queue has too few free"],
];

/** A reason of a scheduler, in words for one node and for several. */
type Reason = readonly [pattern: RegExp, one: string, several: string];

/** Reasons of the plugins of kube-scheduler, which Volcano also calls. Other reasons are printed as they are. */
const reasons: readonly Reason[] = [
  [/^Insufficient (.+)$/, "lacks free $1", "lack free $1"],
  [
    /^didn't match Pod's node affinity(?:\/selector)?$/,
    "lacks the labels that the pods select",
    "lack the labels that the pods select",
  ],
  [
    /^had untolerated taint \{(.+?): (.*)\}$/,
    "has the taint $1=$2, which the pods do not tolerate",
    "have the taint $1=$2, which the pods do not tolerate",
  ],
  [
    /^(?:had untolerated taint\(s\)|had taints that the pod didn't tolerate)$/,
    "has a taint that the pods do not tolerate",
    "have a taint that the pods do not tolerate",
  ],
  [/^were unschedulable$/, "is cordoned", "are cordoned"],
  [
    /^pod number exceeded$|^Too many pods$/,
    "has its full number of pods",
    "have their full number of pods",
  ],
  [
    /^didn't match the requested node name$/,
    "is not the node that the pods name",
    "are not the node that the pods name",
  ],
];

/** Whether a message contains the reasons of nodes, and not only Volcano's counts of pods. */
export const namesNodes = (message: string): boolean => histogram.test(message);

/**
 * Formats a scheduler's message as `of 8 nodes, 3 lack free nvidia.com/gpu, 5 have a taint that the pods do not tolerate`;
 * returns a message of an unknown form unchanged. A node counts once for each of its reasons.
 */
export function shortageIn(message: string): string {
  if (/^no nodes available to schedule pods/.test(message)) return "the cluster has no node";
  for (const [pattern, words] of refusals) {
    const [found, listed = ""] = pattern.exec(message) ?? [];
    const resources = listed.replaceAll(/\b(overused|insufficient) /g, "") || "resources";
    if (found !== undefined) return `${words} ${resources} for the whole gang`;
  }
  const [, total, nodes] = histogram.exec(message) ?? [];
  if (nodes !== undefined) return ofNodes(Number(total), nodes);
  const [, states, waiting] = counts.exec(message) ?? [];
  return states === undefined ? message : ofPods(states, waiting ?? "");
}

function ofNodes(total: number, text: string): string {
  const counted = text.split(/, (?=\d+ )/).map((each) => {
    const [, count, reason] = /^(\d+) (?:node\(s\) )?(.+)$/.exec(each) ?? [];
    return reason === undefined ? undefined : `${count} ${inWords(reason, count === "1")}`;
  });
  if (counted.some((each) => each === undefined)) return text;
  return `of ${total} node${total === 1 ? "" : "s"}, ${counted.join(", ")}`;
}

function inWords(reason: string, isOne: boolean): string {
  const known = reasons.find(([pattern]) => pattern.test(reason));
  if (known === undefined) return reason;
  const [pattern, one, several] = known;
  return reason.replace(pattern, isOne ? one : several).replace(/=,/, ",");
}

/** Describes a gang about which Volcano reports only how many pods are in which state. */
function ofPods(states: string, waiting: string): string {
  const count = (text: string, state: string) =>
    Number(new RegExp(`(\\d+) ${state}\\b`).exec(text)?.[1] ?? 0);
  const minimum = count(states, "minAvailable");
  const existing = [...states.matchAll(/(\d+) (?!minAvailable)[A-Z]\w*/g)].reduce(
    (sum, [, each]) => sum + Number(each),
    0,
  );
  if (existing < minimum) return `${existing} of the ${minimum} pods of the gang exist`;
  const [fits, fitsNot] = [count(waiting, "Schedulable"), count(waiting, "Unschedulable")];
  return fits > 0
    ? `${fits} of ${fits + fitsNot} waiting pods ${fits === 1 ? "fits" : "fit"}, and Volcano gives no reason for the ${fitsNot === 1 ? "other" : "others"}`
    : "Volcano gives no reason";
}
