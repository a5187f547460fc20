import { simulationDefaults } from "../../../testing/model-server/simulation.ts";
import type { Trace } from "../trace.ts";
import { slowed, traceOf } from "../traces.ts";

/** The traces whose variants a sweep runs: a shared prompt, common beginnings, prompts that share nothing, chats, documents. */
export const bases = [
  "one shared prompt",
  "40 prefixes",
  "400 prefixes",
  "nothing shared, 4 pods",
  "chats",
  "documents",
] as const;

/** Pods of each base. */
const pods = 4;

type Vary = (trace: Trace) => Trace;

/** Requests arrive `factor` times more slowly. */
const stretched =
  (factor: number): Vary =>
  (trace) => ({
    ...trace,
    measureFrom: trace.measureFrom * factor,
    requests: trace.requests.map((request) => ({ ...request, at: request.at * factor })),
  });

/** `count` pods, with the same number of requests per pod as before. */
const ofPods =
  (count: number): Vary =>
  (trace) => ({ ...stretched(pods / count)(trace), pods: count });

/** The first pod has 1 / `factor` of the speed, and the load is reduced by the same capacity. */
const slowPod =
  (factor: number): Vary =>
  (trace) => ({
    ...stretched(pods / (pods - 1 + 1 / factor))(trace),
    engineOf: { 0: slowed(factor, trace.engine) },
  });

/** Half of the pods have a quarter of the KV cache. */
const unequalMemory: Vary = (trace) => {
  const { cacheBlocks } = { ...simulationDefaults, ...trace.engine };
  const small = { ...trace.engine, cacheBlocks: cacheBlocks / 4 };
  return { ...trace, engineOf: { 2: small, 3: small } };
};

/** The middle of the time in which requests arrive. */
const middleOf = ({ requests, measureFrom }: Trace) =>
  (measureFrom + (requests.at(-1)?.at ?? measureFrom)) / 2;

/** The first pod dies, and the three that are left have all to do. */
const podDies: Vary = (trace) => {
  const slower = stretched(pods / (pods - 1))(trace);
  return { ...slower, changes: [{ at: middleOf(slower), pod: 0, change: "dies" }] };
};

/** Two cold pods join. */
const podsJoin: Vary = (trace) => ({
  ...trace,
  pods: pods + 2,
  changes: [4, 5].map((pod) => ({ at: middleOf(trace), pod, change: "joins" as const })),
});

/** Each answer has five times the number of tokens, and only a quarter of the requests arrive. */
const longAnswers: Vary = (trace) => {
  const slower = stretched(4)(trace);
  const requests = slower.requests.map(({ answer: _, ...request }) => ({
    ...request,
    outputTokens: request.outputTokens * 5,
  }));
  return { ...slower, requests };
};

/** Variants of each base. */
export const variants: Readonly<Record<string, Vary>> = {
  "as it is": (trace) => trace,
  "2 pods": ofPods(2),
  "16 pods": ofPods(16),
  "half the load": stretched(2),
  "a pod of half the speed": slowPod(2),
  "a pod of a quarter of the speed": slowPod(4),
  "two pods with a quarter of the memory": unequalMemory,
  "a pod dies": podDies,
  "two pods join": podsJoin,
  "long answers": longAnswers,
};

/** A variant of a base for a seed. */
export function variantOf(base: string, variant: string, seed: number): Trace {
  const vary = variants[variant];
  if (vary === undefined)
    throw new Error(`no variant ${variant}; there are: ${Object.keys(variants).join(", ")}`);
  return { ...vary(traceOf(base, seed)), name: `${base}, ${variant}` };
}
