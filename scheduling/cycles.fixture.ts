import {
  type Endpoint,
  hostPort,
  type LiveState,
  type ModelServerMetrics,
  newLiveState,
  unreportedMetrics,
} from "./endpoints/endpoint.ts";
import type { Replicas } from "./endpoints/rendezvous.ts";
import { pluginTypes } from "./plugins/index.ts";
import {
  prefixCacheOf,
  prefixCacheProducer,
} from "./plugins/producers/approx-prefix-cache-producer.ts";
import type { PrefixCache } from "./prefix-cache/prefix-match.ts";
import { Cycle } from "./profiles/cycle.ts";
import type { Decider, Plugin, PluginContext } from "./profiles/plugin.ts";
import type { Scored } from "./profiles/profile-result.ts";
import type { SchedulingRequest } from "./requests/request.ts";

/** Endpoints, requests and plugins for tests. The time is `now`, which is also the time of all metrics. */

export const now = 10_000;
export const staleAfterMs = 2000;

export const metrics = (change: Partial<ModelServerMetrics> = {}): ModelServerMetrics => ({
  at: now,
  ...unreportedMetrics,
  reportsRequests: true,
  ...change,
});

/** Metrics that are one millisecond too old to be used. */
export const stale = (change: Partial<ModelServerMetrics> = {}) =>
  metrics({ at: now - staleAfterMs - 1, ...change });

type EndpointChange = Partial<Omit<Endpoint, "live">> & { readonly live?: Partial<LiveState> };

/** Returns a pod at 10.0.0.1:8000 unless `change` sets another address. */
export function endpoint(pod: string, { live, ...change }: EndpointChange = {}): Endpoint {
  const { ip = "10.0.0.1", port = 8000, rank = 0 } = change;
  return {
    id: `default/${pod}-rank-${rank}`,
    namespace: "default",
    pod,
    podUid: `uid-${pod}`,
    rank,
    ip,
    port,
    address: hostPort(ip, port),
    labels: {},
    ...change,
    live: { ...newLiveState(), ...live },
  };
}

type EndpointEach<Of extends readonly unknown[]> = { -readonly [At in keyof Of]: Endpoint };

/** Returns pods with these names, at 10.0.0.1, 10.0.0.2, … */
export const endpointsOf = <const Pods extends readonly string[]>(...pods: Pods) =>
  pods.map((pod, at) => endpoint(pod, { ip: `10.0.0.${at + 1}` })) as EndpointEach<Pods>;

/** Returns the pods a, b, c, …, each with the given live state. */
export const endpointsWith = <const Lives extends ReadonlyArray<Partial<LiveState>>>(
  ...lives: Lives
) =>
  lives.map((live, at) =>
    endpoint(String.fromCharCode(97 + at), { ip: `10.0.0.${at + 1}`, live }),
  ) as EndpointEach<Lives>;

export const podsOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ pod }) => pod);

export interface RequestChange {
  readonly prompts?: readonly string[];
  readonly cacheSalt?: string;
  readonly hasMedia?: boolean;
  readonly targetModel?: string;
  readonly owner?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const request = ({
  prompts = [],
  cacheSalt = "",
  targetModel = "m",
  owner = "",
  headers = {},
  hasMedia = false,
}: RequestChange = {}): SchedulingRequest => ({
  id: "request",
  headers: new Map(Object.entries(headers)),
  payload: { prompts, tokensBeyond: 0, cacheSalt, hasMedia },
  targetModel,
  priority: 0,
  fairnessId: "default-flow",
  owner,
});

export interface CycleChange extends RequestChange {
  readonly at?: number;
  readonly random?: () => number;
  /** The cache that determines the uncached tokens of a prompt. */
  readonly cache?: PrefixCache;
}

export const cycleOf = (
  endpoints: readonly Endpoint[],
  { at = now, random = () => 0.5, cache, ...change }: CycleChange = {},
): Cycle =>
  new Cycle({
    ...{ request: request(change), candidates: endpoints, chance: { now: at, random } },
    ...{ staleAfterMs, counting: cache },
  });

export const newPrefixCache = (parameters: object = {}, replicas?: Replicas): PrefixCache =>
  prefixCacheOf(prefixCacheProducer.parameters.parse(parameters), replicas);

/** Returns a prompt of `count` blocks of 64 tokens. Prompts with the same letter share their prefix. */
export const blocks = (count: number, letter = "x") => letter.repeat(count * 64 * 4);

export interface Surroundings {
  readonly cache?: PrefixCache;
  readonly profileNames?: readonly string[];
  readonly replicas?: Replicas;
  /** Default: 10,000 tokens per second. */
  readonly speeds?: PluginContext["speeds"];
  /** Requests per second over a long time. Default: 1,000,000, more than any plugin needs. */
  readonly perSecond?: number;
  readonly deciders?: Readonly<Record<string, Decider>>;
  readonly warnings?: string[];
}

/** Creates a plugin of the registry. */
export function pluginOf(
  type: string,
  parameters: unknown = {},
  around: Surroundings = {},
): Plugin {
  const known = pluginTypes.find((each) => each.type === type);
  if (known === undefined) throw new Error(`no plugin ${type}`);
  const { cache = newPrefixCache(), profileNames = ["default"], deciders = {} } = around;
  const context: PluginContext = {
    prefixCache: () => cache,
    decider: (name) => deciders[name] ?? { disaggregate: () => false },
    profileNames,
    replicas: around.replicas ?? { count: 1 },
    speeds: around.speeds ?? { msPerToken: 0.1 },
    arrivals: { perSecond: () => around.perSecond ?? 1_000_000, seenFor: () => 1_000_000 },
  };
  const given = known.parameters.parse(parameters);
  around.warnings?.push(...(known.warnings?.(given) ?? []));
  return known.create(given, context);
}

export const scoresOf = ({ scorer }: Plugin, cycle: Cycle, endpoints = cycle.candidates) =>
  Array.from(scorer?.score(cycle, endpoints) ?? []);

/** Returns the names of the pods that pass a filter. */
export const leftBy = ({ filter }: Plugin, cycle: Cycle, endpoints = cycle.candidates) =>
  podsOf(filter?.filter(cycle, endpoints) ?? []);

export const scored = (endpoints: readonly Endpoint[], scores: readonly number[]): Scored[] =>
  endpoints.map((endpoint, at) => ({ endpoint, score: scores[at] ?? 0 }));
