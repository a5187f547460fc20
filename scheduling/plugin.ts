import type { z } from "zod";
import type { Cycle } from "./cycle.ts";
import type { Endpoint } from "./endpoint.ts";
import type { CeilingPolicy, FairnessPolicy, OrderingPolicy } from "./flow-control/policies.ts";
import type { PairHealth } from "./pair-health.ts";
import type { PrefixCache } from "./prefix-cache/prefix-match.ts";
import type { RecentRate } from "./recent-rate.ts";
import type { Replicas } from "./rendezvous.ts";
import type { SchedulingRequest } from "./request.ts";
import type { SaturationDetector } from "./saturation.ts";
import type { PrefillSpeeds } from "./server-model/prefill-speeds.ts";

/** Leaves out endpoints that a request must not go to. */
export interface Filter {
  filter(cycle: Cycle, endpoints: readonly Endpoint[]): readonly Endpoint[];
}

/** Says how well each endpoint suits a request: one number in [0, 1] for each, in their order. */
export interface Scorer {
  score(cycle: Cycle, endpoints: readonly Endpoint[]): ArrayLike<number>;
}

export interface Scored {
  readonly endpoint: Endpoint;
  /** Sum of weight times score. */
  readonly score: number;
}

/** Chooses among scored endpoints: one or more, the first to be tried first. */
export interface Picker {
  pick(cycle: Cycle, scored: readonly Scored[]): readonly Endpoint[];
}

/** Filter, score and pick by one profile, `last` the last of its filters. Undefined where they leave nothing. */
export type RunProfile = (name: string, last?: LastFilter) => ProfileResult | undefined;

/** Leaves out endpoints that a handler knows to be unfit, and never all of them. */
export type LastFilter = (endpoints: readonly Endpoint[]) => readonly Endpoint[];

export interface ProfileResult {
  readonly endpoints: readonly Endpoint[];
  readonly scored: readonly Scored[];
}

/** What came of all profiles: where the request goes, and who else has a part in it. */
export interface HandlerResult {
  /** Undefined where no endpoint is left. */
  readonly primary: ProfileResult | undefined;
  /** Endpoints that prefill for the primary one. */
  readonly prefillers: readonly Endpoint[];
  /** Endpoints that encode pictures and sounds first. Default: none. */
  readonly encoders?: readonly Endpoint[];
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Decides which profiles run for a request, and what their results mean. */
export interface ProfileHandler {
  /** Requests may be served in stages on several model servers. Default false. */
  readonly disaggregates?: boolean;
  /** Which pairs of pods work together, where it chooses pairs. */
  readonly pairs?: PairHealth;
  handle(cycle: Cycle, run: RunProfile): HandlerResult;
  /** In place of `handle` for a request whose body nobody read. Default `handle`. */
  handleUnread?(cycle: Cycle, run: RunProfile): HandlerResult;
}

/** Decides whether a request is prefilled, or encoded, elsewhere than on `endpoint`. */
export interface Decider {
  disaggregate(cycle: Cycle, endpoint: Endpoint | undefined): boolean;
}

/** A header of a response. */
export type ResponseHeader = readonly [name: string, value: string];

/** Learns where a request went, and may tell the client. */
export interface PreRequestHook {
  /** Returns headers for the response; undefined if it has none. */
  preRequest(
    cycle: Cycle,
    primary: Endpoint,
    prefillers: readonly Endpoint[],
  ): readonly ResponseHeader[] | undefined;
}

/** What a request's prompt costs on each of some endpoints, in tokens to compute. */
export type PromptCosts = (
  request: SchedulingRequest,
  endpoints: readonly Endpoint[],
  now: number,
) => ArrayLike<number>;

/** A configured plugin: each capability that it implements is set. */
export interface Plugin {
  readonly filter?: Filter;
  readonly scorer?: Scorer;
  readonly promptCosts?: PromptCosts;
  readonly picker?: Picker;
  readonly profileHandler?: ProfileHandler;
  readonly decider?: Decider;
  readonly detector?: SaturationDetector;
  readonly preRequestHook?: PreRequestHook;
  readonly fairness?: FairnessPolicy;
  readonly ordering?: OrderingPolicy;
  readonly ceilings?: CeilingPolicy;
}

/** What a plugin may use of the configuration around it. */
export interface PluginContext {
  /** The prefix cache that its description says it reads. */
  prefixCache(): PrefixCache;
  /** A decider that its description says it asks. */
  decider(name: string): Decider;
  readonly profileNames: readonly string[];
  /** Replicas of the picker. */
  readonly replicas: Replicas;
  /** How fast the pool's servers compute prompts. */
  readonly speeds: Pick<PrefillSpeeds, "msPerToken">;
  /** How many requests this picker sends to the pool, lately. */
  readonly arrivals: Pick<RecentRate, "perSecond" | "seenFor">;
}

/** What a plugin can be; a few are two things. */
export type PluginKind =
  | "filter"
  | "scorer"
  | "picker"
  | "profileHandler"
  | "decider"
  | "detector"
  | "fairness"
  | "ordering"
  | "ceilings";

/**
 * A kind of plugin that takes part in scheduling, by upstream's name and parameters: what a configuration may say of it,
 * what it needs of the others, and how it is made.
 */
export interface PluginType<Parameters = unknown> {
  readonly type: string;
  readonly kinds: readonly PluginKind[];
  /** One line for the documentation. */
  readonly summary: string;
  readonly parameters: z.ZodType<Parameters>;
  /** It reads a prefix cache: that of the producer named, of the first one, or one of its own. */
  readonly prefixCache?: (parameters: Parameters) => PrefixCacheNeed;
  /** Names of the deciders that it asks. */
  readonly deciders?: (parameters: Parameters) => readonly string[];
  /** Profiles that a handler runs; without them whatever there are. */
  readonly profiles?: (parameters: Parameters) => readonly string[];
  /** A handler for which only one profile may be configured. */
  readonly single?: boolean;
  /** What is asked for and not done. */
  readonly warnings?: (parameters: Parameters) => readonly string[];
  create(parameters: Parameters, context: PluginContext): Plugin;
}

export interface PrefixCacheNeed {
  readonly producer?: string | undefined;
  /** It goes by KV events, of a producer with these parameters where none is listed. */
  readonly precise?: Readonly<Record<string, unknown>> | undefined;
}

/** Keeps a type's parameters and its factory in step. */
export const pluginType = <Parameters>(type: PluginType<Parameters>): PluginType =>
  type as PluginType;
