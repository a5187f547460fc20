import { conditionsOf, listed, type Moment } from "./conditions.ts";
import { type PodReadiness, podsInWords } from "./pod-obstacle.ts";
import { type LLMServerPoolFinding, llmServerPoolReasons } from "./reasons.ts";
import type { LLMServerPoolStatus } from "./schemas.ts";

export type MatchLabels = Readonly<Record<string, string>>;

/** Another pool that selects one of the same pods. */
export interface SharedPod {
  /** Name of the InferencePool. */
  readonly pool: string;
  readonly pod: string;
}

export interface LLMServerPoolView {
  readonly name: string;
  /** Undefined if the object has none that can be parsed. */
  readonly selector: MatchLabels | undefined;
  /** Problems with parsing the object. */
  readonly problems: readonly string[];
  /** Selector of the InferencePool of the same name; undefined if it does not exist. */
  readonly poolSelector: MatchLabels | undefined;
  /** Reason that the shared picker does not serve the pool. */
  readonly refusal: string | undefined;
  /** Pods that the pool selects. */
  readonly pods: readonly PodReadiness[];
  readonly shared: readonly SharedPod[];
  /** Reason that the other fields are out of date. */
  readonly stale: string | undefined;
}

/** Computes the status of a pool. Like `statusOf`, it depends only on its arguments. */
export function llmServerPoolStatus(
  view: LLMServerPoolView,
  previous: LLMServerPoolStatus | undefined,
  moment: Moment,
): LLMServerPoolStatus {
  const { pods, stale } = view;
  const counted = { known: pods.length, ready: pods.filter(({ ready }) => ready).length };
  const endpoints = stale === undefined ? counted : previous?.endpoints;
  return {
    ...(moment.generation === undefined ? {} : { observedGeneration: moment.generation }),
    conditions: conditionsOf(
      llmServerPoolReasons,
      [accepted(view), overlapping(view), podsReady(view)],
      previous?.conditions,
      moment,
    ),
    ...(endpoints === undefined ? {} : { endpoints }),
  };
}

function accepted(view: LLMServerPoolView): LLMServerPoolFinding {
  const { name, selector, problems, poolSelector, refusal, stale } = view;
  const type = "Accepted";
  const no = (
    reason: "PoolNotFound" | "SelectorDiffers" | "PortUnavailable" | "InvalidSpec",
    message: string,
  ) => ({ type, status: "False", reason, message }) as const;
  if (stale !== undefined) return { type, status: "Unknown", reason: "StaleCache", message: stale };
  if (selector === undefined || problems.length > 0) return no("InvalidSpec", problems.join("; "));
  if (poolSelector === undefined)
    return no(
      "PoolNotFound",
      `InferencePool ${name} does not exist, so no requests are routed to the pool`,
    );
  if (refusal !== undefined) return no("PortUnavailable", `InferencePool ${name}: ${refusal}`);
  return sameLabels(selector, poolSelector)
    ? {
        type,
        status: "True",
        reason: "Accepted",
        message: `InferencePool ${name} routes requests to the pool`,
      }
    : no("SelectorDiffers", `InferencePool ${name} selects ${inWords(poolSelector)}`);
}

function overlapping({ shared, stale }: LLMServerPoolView): LLMServerPoolFinding {
  const type = "Overlapping";
  if (stale !== undefined) return { type, status: "Unknown", reason: "StaleCache", message: stale };
  if (shared.length === 0)
    return {
      type,
      status: "False",
      reason: "NoSharedPods",
      message: "no pod belongs to another pool",
    };
  const words = shared.map(({ pool, pod }) => `InferencePool ${pool} also selects pod ${pod}`);
  return { type, status: "True", reason: "SharedPods", message: listed(words) };
}

function podsReady({ pods, stale }: LLMServerPoolView): LLMServerPoolFinding {
  const type = "PodsReady";
  if (stale !== undefined) return { type, status: "Unknown", reason: "StaleCache", message: stale };
  if (pods.length === 0)
    return { type, status: "False", reason: "NoPods", message: "the pool selects no pods" };
  const message = podsInWords(pods);
  return pods.some(({ ready }) => ready)
    ? { type, status: "True", reason: "PodsReady", message }
    : { type, status: "False", reason: "NoReadyPods", message };
}

const inWords = (labels: MatchLabels) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");

const sameLabels = (a: MatchLabels, b: MatchLabels) => inWords(a) === inWords(b);

/** Whether a selector selects an object with these labels. */
export const selects = (selector: MatchLabels, labels: MatchLabels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

/** Whether both selectors can select the same pod: no key has two values. */
export const canOverlap = (a: MatchLabels, b: MatchLabels): boolean =>
  Object.entries(a).every(([key, value]) => b[key] === undefined || b[key] === value);
