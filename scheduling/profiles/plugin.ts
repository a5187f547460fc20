import { z } from "zod";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Replicas } from "../endpoints/rendezvous.ts";
import type { SaturationDetector } from "../endpoints/saturation.ts";
import type { CeilingPolicy, FairnessPolicy, OrderingPolicy } from "../flow-control/policies.ts";
import type { PairHealth } from "../pairs/pair-health.ts";
import type { PrefixCache } from "../prefix-cache/prefix-match.ts";
import type { RecentRate } from "../recent-rate.ts";
import type { SchedulingRequest } from "../requests/request.ts";
import type { PrefillSpeeds } from "../server-model/prefill-speeds.ts";
import type { Cycle } from "./cycle.ts";
import type { ProfileResult, Scored } from "./profile-result.ts";

/** Excludes endpoints that must not receive a request. */
export interface Filter {
  filter(cycle: Cycle, endpoints: readonly Endpoint[]): readonly Endpoint[];
}

/** Rates how well each endpoint suits a request: one number in [0, 1] per endpoint, in the same order. */
export interface Scorer {
  /** Names of the numbers that a score is computed from, for explained decisions. Default: none. */
  readonly parts?: readonly string[];
  /** @param parts receives the numbers of `parts` for each endpoint, one endpoint after the other */
  score(cycle: Cycle, endpoints: readonly Endpoint[], parts?: number[]): ArrayLike<number>;
}

/** Selects one or more of the scored endpoints, in the order in which the proxy tries them. */
export interface Picker {
  pick(cycle: Cycle, scored: readonly Scored[]): readonly Endpoint[];
}

/**
 * Runs the filters, scorers and picker of a profile, with `last` after its filters. Undefined if no endpoint passes.
 */
export type RunProfile = (name: string, last?: LastFilter) => ProfileResult | undefined;

/** Excludes endpoints that a handler knows to be unfit, but never all of them. */
export type LastFilter = (endpoints: readonly Endpoint[]) => readonly Endpoint[];

/** Result of all profiles: the endpoint of the request, and the endpoints of its other stages. */
export interface HandlerResult {
  /** Undefined if no endpoint passes the filters. */
  readonly primary: ProfileResult | undefined;
  /** Endpoints that compute the prompt for the primary one. */
  readonly prefillers: readonly Endpoint[];
  /** Endpoints that encode images and audio first. Default: none. */
  readonly encoders?: readonly Endpoint[];
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Selects the profiles that run for a request, and interprets their results. */
export interface ProfileHandler {
  /** Whether requests may be served in stages on several model servers. Default false. */
  readonly disaggregates?: boolean;
  /** Health of prefiller-decoder pairs, if the handler selects pairs. */
  readonly pairs?: PairHealth;
  handle(cycle: Cycle, run: RunProfile): HandlerResult;
  /** Replaces `handle` for a request whose body was not read. Default: `handle`. */
  handleUnread?(cycle: Cycle, run: RunProfile): HandlerResult;
}

/** Decides whether another endpoint than `endpoint` computes a request's prompt or encodes its media. */
export interface Decider {
  disaggregate(cycle: Cycle, endpoint: Endpoint | undefined): boolean;
}

export type ResponseHeader = readonly [name: string, value: string];

/** Receives the selected endpoints of each request, and may add headers to the response. */
export interface PreRequestHook {
  /** Returns headers for the response, or undefined if there are none. */
  preRequest(
    cycle: Cycle,
    primary: Endpoint,
    prefillers: readonly Endpoint[],
  ): readonly ResponseHeader[] | undefined;
}

/** Returns the cost of a request's prompt on each endpoint, in tokens to compute. */
export type PromptCosts = (
  request: SchedulingRequest,
  endpoints: readonly Endpoint[],
  now: number,
) => ArrayLike<number>;

/** A configured plugin. Each capability that it implements is set. */
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

/** The parts of the configuration and of the pool's state that a plugin may use. */
export interface PluginContext {
  /** The prefix cache that the type declares in `prefixCache`. */
  prefixCache(): PrefixCache;
  /** A decider that the type declares in `deciders`. */
  decider(name: string): Decider;
  readonly profileNames: readonly string[];
  /** Replicas of the picker. */
  readonly replicas: Replicas;
  /** Prefill speeds of the pool's servers. */
  readonly speeds: Pick<PrefillSpeeds, "msPerToken">;
  /** Recent rate of the requests that this picker sends to the pool. */
  readonly arrivals: Pick<RecentRate, "perSecond" | "seenFor">;
}

/** Kinds of plugin. A few plugins have two kinds. */
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
 * A plugin type with upstream's name and parameters: its valid configuration, the plugins that it needs, and its
 * factory.
 */
export interface PluginType<Parameters = unknown> {
  readonly type: string;
  readonly kinds: readonly PluginKind[];
  /** One line for the documentation. */
  readonly summary: string;
  readonly parameters: z.ZodType<Parameters>;
  /**
   * Returns which prefix cache the plugin reads: from the named producer, else from the first one, else from a new one.
   */
  readonly prefixCache?: (parameters: Parameters) => PrefixCacheNeed;
  /** Names of the deciders that the plugin uses. */
  readonly deciders?: (parameters: Parameters) => readonly string[];
  /** Names of the profiles that a handler runs. Default: all configured profiles. */
  readonly profiles?: (parameters: Parameters) => readonly string[];
  /** Whether a handler allows only one profile. Default false. */
  readonly single?: boolean;
  /** Settings that the picker does not apply, one sentence each. */
  readonly warnings?: (parameters: Parameters) => readonly string[];
  create(parameters: Parameters, context: PluginContext): Plugin;
}

export interface PrefixCacheNeed {
  readonly producer?: string | undefined;
  /** Set if the plugin needs KV events: parameters of the producer that is created if none is listed. */
  readonly precise?: Readonly<Record<string, unknown>> | undefined;
}

/** Type-checks a plugin type's factory against its parameters. Default of `parameters`: none. */
export const pluginType = <Parameters>({
  parameters = z.strictObject({}) as z.ZodType<Parameters>,
  ...type
}: Partial<Pick<PluginType<Parameters>, "parameters">> &
  Omit<PluginType<Parameters>, "parameters">): PluginType =>
  ({ ...type, parameters }) as PluginType;
