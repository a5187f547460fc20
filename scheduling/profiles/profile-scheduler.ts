import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import { hasDecoder } from "../endpoints/roles.ts";
import type { SaturationDetector } from "../endpoints/saturation.ts";
import type { RecentRate } from "../recent-rate.ts";
import { clientsOf } from "../requests/clients.ts";
import type { Chance, InFlightRequest, SchedulingRequest } from "../requests/request.ts";
import { RequestError } from "../requests/request-error.ts";
import type { RequestHeaders } from "../requests/request-headers.ts";
import { bytesPerToken } from "../requests/text-tokens.ts";
import type { SchedulingObserver } from "../scheduling-observer.ts";
import { Load } from "../server-model/load.ts";
import { type SentParts, SentRequest } from "../server-model/sent-request.ts";
import type { ServerModels } from "../server-model/server-models.ts";
import { Cycle } from "./cycle.ts";
import type { PreRequestHook, ProfileHandler, PromptCosts, RunProfile } from "./plugin.ts";
import { type Profile, runProfile, runUnread } from "./profile.ts";
import type { Decision, Scheduler, UnreadDecision } from "./scheduler.ts";
import { type NamedPrefixCache, SchedulerState } from "./scheduler-state.ts";
import type { PrefixRecord, SchedulingRecord } from "./scheduling-record.ts";

export interface ProfileSchedulerParts {
  readonly parsers: readonly string[];
  readonly profiles: readonly Profile[];
  readonly handler: ProfileHandler;
  readonly detector: SaturationDetector;
  readonly preRequestHooks: readonly PreRequestHook[];
  /** Prompt costs that a scorer uses; undefined if no scorer uses prompt costs. */
  readonly promptCosts?: PromptCosts | undefined;
  /** Caches that record where prompts are sent. The first one also determines the uncached tokens of a prompt. */
  readonly prefixCaches: readonly NamedPrefixCache[];
  /** Maximum age of metrics, in ms. */
  readonly staleAfterMs: number;
  readonly servers: ServerModels;
  readonly arrivals: RecentRate;
  readonly observer: SchedulingObserver;
}

type Loads = Pick<SentParts, "primary" | "prefillers">;

export class ProfileScheduler implements Scheduler {
  readonly parsers: readonly string[];
  readonly detector: SaturationDetector;
  readonly state: SchedulerState;
  readonly #parts: ProfileSchedulerParts;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #caches;

  constructor(parts: ProfileSchedulerParts) {
    this.#parts = parts;
    this.parsers = parts.parsers;
    this.detector = parts.detector;
    this.state = new SchedulerState(parts.servers, parts.prefixCaches, parts.handler.pairs);
    this.#caches = parts.prefixCaches.map(({ plugin, cache }) => {
      return { cache, matched: parts.observer.matchesOf(plugin) };
    });
    this.#profiles = new Map(parts.profiles.map((profile) => [profile.name, profile]));
  }

  canAnswer(endpoints: readonly Endpoint[]): boolean {
    return this.#parts.handler.disaggregates ? hasDecoder(endpoints) : endpoints.length > 0;
  }

  *prepare(request: SchedulingRequest, endpoints: readonly Endpoint[]): Generator<number, void> {
    for (const { cache } of this.#parts.prefixCaches)
      yield* cache.prepare?.(request, endpoints) ?? [];
  }

  schedule(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    chance: Chance,
    record?: SchedulingRecord,
  ): Decision {
    if (record !== undefined) record.candidates = endpoints;
    const { handler } = this.#parts;
    if (endpoints.length === 0) throw noCandidates();
    const cycle = this.#cycle(request, endpoints, chance, request.targetModel);
    const result = handler.handle(cycle, (name, last) => {
      const profile = this.#profiles.get(name);
      const ran = profile && runProfile(profile, cycle, record, last);
      if (ran !== undefined) cycle.results.set(name, ran);
      return ran;
    });
    if (record !== undefined) record.prefix = this.#prefixRecord(cycle);
    const { primary } = result;
    const chosen = primary?.endpoints[0];
    if (primary === undefined || chosen === undefined) throw noneLeft(endpoints);
    if (wantsCache(request) && !this.#hasCached(cycle, chosen))
      throw new RequestError("PreconditionFailed", "no decode worker has the requested KV cache");
    return {
      endpoints: primary.endpoints,
      headers: result.headers,
      scores: () => new Map(primary.scored.map((each) => [each.endpoint.address, each.score])),
      dispatch: () => this.#dispatch(cycle, chosen, result.prefillers),
    };
  }

  #cycle(
    request: SchedulingRequest,
    candidates: readonly Endpoint[],
    chance: Chance,
    model?: string,
  ): Cycle {
    const { servers, staleAfterMs, prefixCaches } = this.#parts;
    const clients = clientsOf(request);
    const fit = servers.health.fit(candidates, model, chance.now, clients);
    return new Cycle({
      ...{ request, candidates, fit, clients, chance, staleAfterMs },
      counting: prefixCaches[0]?.cache,
    });
  }

  evictsWorkingSet(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): boolean {
    const [first] = this.#parts.prefixCaches;
    return first?.cache.evictsWorkingSet?.(request, endpoints, now) ?? false;
  }

  promptCosts(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): ArrayLike<number> {
    const { promptCosts, prefixCaches } = this.#parts;
    if (promptCosts !== undefined) return promptCosts(request, endpoints, now);
    const [counting] = prefixCaches;
    if (counting === undefined) return endpoints.map(() => 0);
    const match = counting.cache.match(request, endpoints);
    return match.uncachedIn(endpoints);
  }

  /** Describes the match in the cache that determines the uncached tokens. */
  #prefixRecord(cycle: Cycle): PrefixRecord | undefined {
    const [first] = this.#parts.prefixCaches;
    if (first === undefined) return undefined;
    const match = cycle.prefix(first.cache);
    const { blockTokens, totalBlocks } = match;
    return { blockTokens, totalBlocks, cachedBlocks: match.matchedIn(cycle.candidates) };
  }

  scheduleUnread(
    headers: RequestHeaders,
    endpoints: readonly Endpoint[],
    chance: Chance,
  ): UnreadDecision {
    const { handler } = this.#parts;
    if (endpoints.length === 0) throw noCandidates();
    const cycle = this.#cycle(unread(headers), endpoints, chance);
    const run: RunProfile = (name) => {
      const profile = this.#profiles.get(name);
      return profile && runUnread(profile, cycle);
    };
    const { primary, headers: set } =
      handler.handleUnread?.(cycle, run) ?? handler.handle(cycle, run);
    if (primary === undefined) throw noneLeft(endpoints);
    return { endpoints: primary.endpoints, headers: set };
  }

  #dispatch(cycle: Cycle, primary: Endpoint, prefillers: readonly Endpoint[]): InFlightRequest {
    const { chance, clients, request } = cycle;
    const { streaming = false } = request.payload;
    const { handler, preRequestHooks, servers, staleAfterMs } = this.#parts;
    const isLone = streaming && prefillers.length === 0 && hasNoPrompts(primary.live);
    const load = (endpoint: Endpoint) =>
      new Load(endpoint, cycle.uncachedTokens(endpoint), streaming);
    const loads = { primary: load(primary), prefillers: prefillers.map(load) };
    this.#count(cycle, loads);
    this.#cache(cycle, loads);
    const responseHeaders = preRequestHooks.flatMap(
      (hook) => hook.preRequest(cycle, primary, prefillers) ?? [],
    );
    const [prefiller] = prefillers;
    const { pairs } = handler;
    if (prefiller !== undefined) pairs?.sent(prefiller, primary, chance.now);
    const model = request.targetModel;
    return new SentRequest(servers, {
      ...loads,
      ...{ model, clients, chance, isLone, responseHeaders, pairs, staleAfterMs },
    });
  }

  /** Counts a request at its servers. */
  #count(cycle: Cycle, { primary, prefillers }: Loads): void {
    const { chance, clients, request } = cycle;
    const { endpoint } = prefillers[0] ?? primary;
    const { arrivals, servers } = this.#parts;
    servers.health.sent(primary.endpoint, primary, request.targetModel, chance, clients);
    arrivals.add(chance.now);
    servers.sent(cycle.uncachedTokens(endpoint));
    this.#observePrompt(cycle, endpoint);
  }

  /** Stores the prompt of a request in the prefix caches. */
  #cache(cycle: Cycle, { primary, prefillers }: Loads): void {
    for (const { cache, matched } of this.#caches) {
      const match = cycle.prefix(cache);
      const { endpoint } = primary;
      const blockBytes = match.blockTokens * bytesPerToken;
      const bytes = match.matchedBlocks(endpoint) * blockBytes;
      matched(bytes, match.totalBlocks * blockBytes, match.source(endpoint));
      for (const sent of [primary, ...prefillers])
        cache.insert(match, sent.endpoint, cycle.chance.now, sent);
    }
  }

  /** @param chosen the endpoint that computes the prompts */
  #observePrompt(cycle: Cycle, chosen: Endpoint): void {
    const [counting] = this.#parts.prefixCaches;
    if (counting === undefined) return;
    const match = cycle.prefix(counting.cache);
    const { blockTokens, totalBlocks } = match;
    let best = 0;
    for (const blocks of match.matchedIn(cycle.candidates)) if (blocks > best) best = blocks;
    this.#parts.observer.prompt(
      Math.max(cycle.promptTokens, totalBlocks * blockTokens),
      match.matchedBlocks(chosen) * blockTokens,
      best * blockTokens,
    );
  }

  #hasCached(cycle: Cycle, endpoint: Endpoint): boolean {
    return this.#parts.prefixCaches.some(
      ({ cache }) => cycle.prefix(cache).ownBlocks(endpoint) > 0,
    );
  }
}

const noCandidates = () =>
  new RequestError(
    "ServiceUnavailable",
    "failed to find endpoint candidates for serving the request",
    { reason: "rejected-no-endpoints" },
  );

/**
 * Returns the error if no endpoint passed the filters. If no endpoint decodes, the pool cannot serve, but another
 * cluster may be able to.
 */
const noneLeft = (endpoints: readonly Endpoint[]) =>
  hasDecoder(endpoints)
    ? new RequestError("ResourceExhausted", "no endpoints available for the given request", {
        reason: "rejected-saturated",
      })
    : noCandidates();

/** The request that plugins see if the body was not read. */
const unread = (headers: RequestHeaders): SchedulingRequest => ({
  id: "",
  headers,
  payload: { prompts: [], tokensBeyond: 0, cacheSalt: "" },
  targetModel: "",
  priority: 0,
  fairnessId: "",
  owner: "",
});

/** Whether a new request is computed immediately, as far as the picker knows. */
const hasNoPrompts = (live: LiveState) => live.prompts.size === 0 && live.externalTokens === 0;

/** RFC 7240 preference of a client that has a fallback if no server has its prompt cached. */
const wantsCache = ({ headers }: SchedulingRequest) =>
  (headers.get("prefer") ?? "").split(",").some((each) => /^\s*if-available\s*(;|$)/i.test(each));
