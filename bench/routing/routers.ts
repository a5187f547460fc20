import { buildScheduler } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { simulationDefaults, tokenChars } from "../../testing/model-server/simulation.ts";
import { upstreamProfile } from "../../testing/upstream-profile.ts";
import type { Pod } from "./pod.ts";
import { Random } from "./random.ts";
import { replicated } from "./replicas.ts";
import { scheduled, type Watching } from "./scheduled.ts";
import { type Router, type Run, simulate } from "./simulate.ts";
import { type Arrival, strategyOf, type Trace } from "./trace.ts";

/** Makes a router for a trace; undefined if it cannot serve it. */
export type MakeRouter = (trace: Trace, random: Random) => Router | undefined;

/** Ways to choose a pod: those that know nothing, those that know what no picker can, and the scheduler as it ships. */
export const routers: Readonly<Record<string, MakeRouter>> = {
  random: (_, random) => byCost(random, () => 0),
  "round robin": (_, random) => roundRobin(random),
  "least outstanding": (_, random) => byCost(random, ({ outstanding }) => outstanding),
  "prefix oracle": (_, random) =>
    byCost(
      random,
      ({ simulation, outstanding }, { prompt }) =>
        outstanding / 1e6 - simulation.cachedTokens(prompt),
    ),
  "cost oracle": (_, random) => byCost(random, timeToFirstToken),
  // Neither prefills elsewhere.
  "upstream's default": ({ prefillers }, random) =>
    prefillers === undefined ? configured(upstreamProfile, random) : undefined,
  "upstream's best": ({ prefillers }, random) =>
    prefillers === undefined ? configured(upstreamsBest, random) : undefined,
  "upstream's calibrated pair": (trace, random) =>
    trace.prefillers === undefined ? configured(calibratedPair(trace), random) : undefined,
  planned: (trace, random) => planned(trace, random),
  "planned, 3 replicas": ({ prefillers }, random) =>
    prefillers === undefined ? replicated(3, random) : undefined,
  // The picker leaves a request when it has its endpoint, and knows of its end by the server's metrics alone.
  "planned, unwatched": (trace, random) => planned(trace, random, { watches: false }),
};

/** Runs a trace of a seed by a router of the same seed; undefined if the router cannot serve it. */
export function runBy(make: MakeRouter, trace: Trace, seed: number): Run | undefined {
  const router = routerOfSeed(make, trace, seed);
  return router && simulate(trace, router);
}

/** A router draws otherwise than the trace of its seed. */
export const routerOfSeed = (make: MakeRouter, trace: Trace, seed: number): Router | undefined =>
  make(trace, new Random(seed + 1_000));

/** The best that was found of upstream's plugins, on most traces: cached prefixes by a filter, and load by tokens. */
export const bestOfUpstream = [
  { pluginRef: "prefix-cache-affinity-filter", weight: 0 },
  { pluginRef: "active-request-scorer", weight: 1 },
  { pluginRef: "token-load-scorer", weight: 2 },
];

/** These as a configuration. */
export const upstreamsBest = JSON.stringify({
  apiVersion: "llm-d.ai/v1alpha1",
  kind: "EndpointPickerConfig",
  // Upstream wants the producer named that counts tokens for a scorer.
  plugins: ["inflight-load-producer", ...bestOfUpstream.map(({ pluginRef }) => pluginRef)].map(
    (type) => ({ type }),
  ),
  schedulingProfiles: [{ name: "default", plugins: bestOfUpstream }],
});

/**
 * The pair of plugins that upstream's guides recommend. Its one number is the speed of the trace's engine in a step that computes
 * a single prompt. Prompts of any length are matched.
 */
export function calibratedPair({ engine }: Trace): string {
  const { maxBatchedTokens, prefillTokensPerSecond, stepMs } = { ...simulationDefaults, ...engine };
  const stepSeconds = stepMs / 1_000 + maxBatchedTokens / prefillTokensPerSecond;
  const peakPrefillThroughput = Math.round(maxBatchedTokens / stepSeconds);
  const filter = "prefix-cache-affinity-filter";
  return JSON.stringify({
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    plugins: [
      { type: "inflight-load-producer" },
      { type: "approx-prefix-cache-producer", parameters: { maxPrefixTokensToMatch: 1_048_576 } },
      { type: filter, parameters: { peakPrefillThroughput } },
      { type: "token-load-scorer" },
    ],
    schedulingProfiles: [
      { name: "default", plugins: [{ pluginRef: filter }, { pluginRef: "token-load-scorer" }] },
    ],
  });
}

function planned(trace: Trace, random: Random, watching?: Watching): Router {
  const text = JSON.stringify(endpointPickerConfig(strategyOf(trace)));
  const { config } = loadPickerConfig(text, "the planned configuration");
  return scheduled(buildScheduler(config), random, watching);
}

/** The scheduler by an EndpointPickerConfig, as YAML or JSON. */
export const configured = (text: string, random: Random): Router =>
  scheduled(buildScheduler(loadPickerConfig(text, "the configuration").config), random);

type Cost = (pod: Pod, request: Arrival) => number;

/** Chooses the cheapest matching pod, at random among equals, and the cheapest prefiller if there are any. */
function byCost(random: Random, cost: Cost): Router {
  const cheapest = (pods: readonly Pod[], request: Arrival): Pod | undefined => {
    const costs = pods.map((pod) => cost(pod, request));
    const least = Math.min(...costs);
    const best = pods.filter((_, at) => costs[at] === least);
    return best[Math.floor(random.next() * best.length)];
  };
  return {
    route(request, pods) {
      const pod = cheapest(withRole(pods, "decoder"), request);
      return pod && { pod, prefiller: cheapest(withRole(pods, "prefiller"), request) };
    },
  };
}

function roundRobin(random: Random): Router {
  let turn = random.between(0, 1_000);
  return {
    route(_, pods) {
      turn += 1;
      const nth = (of: readonly Pod[]) => of[turn % of.length];
      const pod = nth(withRole(pods, "decoder"));
      return pod && { pod, prefiller: nth(withRole(pods, "prefiller")) };
    },
  };
}

const withRole = (pods: readonly Pod[], role: Pod["role"]) =>
  pods.filter((pod) => pod.role === role);

/** Milliseconds that a prompt would take at a pod from now on, computed from the engine's state. */
function timeToFirstToken({ simulation }: Pod, { prompt }: Arrival): number {
  const { options, state, promptTokensAhead } = simulation;
  const uncached = prompt.length / tokenChars - simulation.cachedTokens(prompt);
  const tokens = promptTokensAhead + uncached;
  const step = options.stepMs + state.running * options.stepMsPerSequence;
  const steps = Math.ceil(tokens / options.maxBatchedTokens);
  // If the batch is full, another request must end first: assumes an answer of a hundred tokens per slot.
  const beyond = Math.max(0, state.running + state.waiting + 1 - options.maxSequences);
  const untilSlot = (beyond * 100 * step) / options.maxSequences;
  return steps * step + (1_000 * tokens) / options.prefillTokensPerSecond + untilSlot;
}
