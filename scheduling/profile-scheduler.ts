import { Cycle } from "./cycle.ts";
import type { AvoidedEdge, PodHealth } from "./edge-health.ts";
import type { Endpoint, LiveState } from "./endpoint.ts";
import { shortPrompt } from "./first-token-delay.ts";
import { Load } from "./load.ts";
import { OthersPrompts } from "./others-prompts.ts";
import { Places } from "./places/places.ts";
import type { PreRequestHook, ProfileHandler, PromptCosts, RunProfile } from "./plugin.ts";
import type { PrefillSpeeds } from "./prefill-speeds.ts";
import type { PrefixCache, PrefixMatch } from "./prefix-cache/prefix-match.ts";
import { type Profile, runProfile, runUnread } from "./profile.ts";
import { PromptProgress } from "./prompt-progress.ts";
import type { RecentRate } from "./recent-rate.ts";
import type { Replicas } from "./rendezvous.ts";
import { RequestError } from "./request-error.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { hasDecoder } from "./roles.ts";
import type { SaturationDetector } from "./saturation.ts";
import { poolSaturation } from "./saturation.ts";
import type {
  Chance,
  Decision,
  InFlightRequest,
  Scheduler,
  SchedulingRequest,
  UnreadDecision,
} from "./scheduler.ts";
import type { PluginIdentity, SchedulingObserver } from "./scheduling-observer.ts";
import type { PrefixRecord, SchedulingRecord } from "./scheduling-record.ts";
import { type AnswerOutcome, ServerHealth } from "./server-health.ts";
import { bytesPerToken } from "./text-tokens.ts";
import { UnwatchedLoads } from "./unwatched-loads.ts";

export interface ProfileSchedulerParts {
  readonly parsers: readonly string[];
  readonly profiles: readonly Profile[];
  readonly handler: ProfileHandler;
  readonly detector: SaturationDetector;
  readonly preRequestHooks: readonly PreRequestHook[];
  /** How a scorer weighs prompts; undefined where none does. */
  readonly promptCosts?: PromptCosts | undefined;
  /** Caches that learn from where requests go; the first also tells how many tokens are new to a server. */
  readonly prefixCaches: readonly NamedPrefixCache[];
  /** Milliseconds after which metrics are not believed. */
  readonly staleAfterMs: number;
  readonly replicas: Replicas;
  readonly speeds: PrefillSpeeds;
  readonly arrivals: RecentRate;
  readonly observer: SchedulingObserver;
}

export interface NamedPrefixCache {
  readonly plugin: PluginIdentity;
  readonly cache: PrefixCache;
}

export class ProfileScheduler implements Scheduler {
  readonly parsers: readonly string[];
  readonly detector: SaturationDetector;
  readonly #parts: ProfileSchedulerParts;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #unwatched = new UnwatchedLoads();
  readonly #others = new OthersPrompts();
  readonly #progress = new PromptProgress();
  readonly #places = new Places();
  readonly health: ServerHealth;
  readonly speeds: PrefillSpeeds;
  readonly #matchesOf = new Map<PluginIdentity, ReturnType<SchedulingObserver["matchesOf"]>>();

  constructor(parts: ProfileSchedulerParts) {
    this.#parts = parts;
    this.parsers = parts.parsers;
    this.detector = parts.detector;
    this.speeds = parts.speeds;
    this.health = new ServerHealth(parts.speeds);
    this.#profiles = new Map(parts.profiles.map((profile) => [profile.name, profile]));
  }

  saturation(endpoints: readonly Endpoint[], now: number): number {
    return poolSaturation(this.#parts.detector, endpoints, now);
  }

  canAnswer(endpoints: readonly Endpoint[]): boolean {
    return this.#parts.handler.disaggregates ? hasDecoder(endpoints) : endpoints.length > 0;
  }

  schedule(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    chance: Chance,
    record?: SchedulingRecord,
  ): Decision {
    if (record !== undefined) record.candidates = endpoints;
    const { handler } = this.#parts;
    assertSome(endpoints);
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
      get scores() {
        return new Map(primary.scored.map((each) => [each.endpoint.address, each.score]));
      },
      dispatch: () => this.#dispatch(cycle, chosen, result.prefillers),
    };
  }

  #cycle(
    request: SchedulingRequest,
    candidates: readonly Endpoint[],
    chance: Chance,
    model?: string,
  ): Cycle {
    const { staleAfterMs, prefixCaches } = this.#parts;
    const fit = this.health.fit(candidates, model, chance.now);
    return new Cycle({
      ...{ request, candidates, fit, chance, staleAfterMs },
      counting: prefixCaches[0]?.cache,
    });
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

  /** By the cache that tells how many tokens are new to a server. */
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
    assertSome(endpoints);
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
    const { streaming = false } = cycle.request.payload;
    const isLone = streaming && prefillers.length === 0 && hasNoPrompts(primary.live);
    const load = (endpoint: Endpoint) =>
      new Load(endpoint, cycle.uncachedTokens(endpoint), streaming);
    const loads = [load(primary), prefillers.map(load)] as const;
    this.health.sent(primary, loads[0], cycle.request.targetModel, cycle.chance);
    this.#parts.arrivals.add(cycle.chance.now);
    this.#others.sent(cycle.uncachedTokens(prefillers[0] ?? primary));
    for (const { plugin, cache } of this.#parts.prefixCaches) {
      const match = cycle.prefix(cache);
      this.#observeMatch(plugin, match, primary);
      for (const sent of loads.flat()) cache.insert(match, sent.endpoint, sent);
    }
    const headers = this.#parts.preRequestHooks.flatMap(
      (hook) => hook.preRequest(cycle, primary, prefillers) ?? [],
    );
    const [prefiller] = prefillers;
    const pair = prefiller && { prefiller, decoder: primary };
    if (pair) this.#parts.handler.edges?.sent(prefiller, primary, cycle.chance.now);
    return this.#inFlight(...loads, headers, pair, isLone ? cycle.chance.now : undefined, cycle);
  }

  settle({ live }: Endpoint): void {
    this.#unwatched.settle(live);
    if (this.#parts.replicas.count > 1) this.#others.settle(live, this.speeds.msPerToken);
    else live.othersTokens = 0;
    this.speeds.read(live);
    this.health.read(live);
    this.#progress.settle(live, this.speeds.msPerToken);
    this.#places.settle(live);
  }

  expire(before: number): void {
    this.#unwatched.expire(before);
  }

  retain(endpoints: readonly Endpoint[]): void {
    const servers = new Set(endpoints.map(({ live }) => live));
    this.#unwatched.retain(servers);
    this.#others.retain(servers);
    this.#progress.retain(servers);
    this.#places.retain(servers);
    this.speeds.retain(servers);
    this.health.retain(servers);
    for (const { cache } of this.#parts.prefixCaches) cache.retain(endpoints);
    this.#parts.handler.edges?.retain(endpoints);
  }

  avoidedEdges(now: number): readonly AvoidedEdge[] {
    return this.#parts.handler.edges?.avoided(now) ?? [];
  }

  podHealth(endpoints: readonly Endpoint[], now: number): readonly PodHealth[] {
    return this.#parts.handler.edges?.pods(endpoints, now) ?? [];
  }

  prefixIndexes(): ReadonlyArray<{ readonly plugin: PluginIdentity; readonly size: number }> {
    return this.#parts.prefixCaches.map(({ plugin, cache }) => ({ plugin, size: cache.size }));
  }

  #observeMatch(plugin: PluginIdentity, match: PrefixMatch, endpoint: Endpoint): void {
    const blockBytes = match.blockTokens * bytesPerToken;
    let matched = this.#matchesOf.get(plugin);
    if (matched === undefined) {
      matched = this.#parts.observer.matchesOf(plugin);
      this.#matchesOf.set(plugin, matched);
    }
    const bytes = match.matchedBlocks(endpoint) * blockBytes;
    matched(bytes, match.totalBlocks * blockBytes, match.source(endpoint));
  }

  /** At the first token prefillers are done, and decoders with the prompt. */
  #inFlight(
    primary: Load,
    prefillers: readonly Load[],
    responseHeaders: InFlightRequest["responseHeaders"],
    pair: { readonly prefiller: Endpoint; readonly decoder: Endpoint } | undefined,
    loneSince: number | undefined,
    { request: { targetModel }, chance }: Cycle,
  ): InFlightRequest {
    const { edges } = this.#parts.handler;
    const { endpoint } = primary;
    let failed = false;
    /** Outcome of an answer that begins right and wrong; undefined once it is recorded, or if the client is the cause. */
    let open: { right?: AnswerOutcome; wrong: AnswerOutcome } | undefined;
    let last = chance.now;
    const judge = (outcome: AnswerOutcome | undefined, now: number) => {
      if (outcome !== undefined)
        this.health.ended(endpoint, targetModel, outcome, { ...chance, now });
      open = undefined;
    };
    return {
      responseHeaders,
      answered: (headers, now) => {
        last = now;
        failed = headers.get(":status") !== "200";
        this.health.answered(endpoint, primary, now);
        const status = Number(headers.get(":status") ?? 0);
        if (status >= 500) judge("failed", now);
        else if (status === 429) judge("busy", now);
        else if (status === 404) open = { wrong: "unknown-model" };
        else if (status < 300) open = { right: "succeeded", wrong: "failed" };
        if (pair) edges?.answered(headers, pair.prefiller, pair.decoder, now);
      },
      firstToken: (now, isWrong = false) => {
        judge(isWrong ? open?.wrong : open?.right, now);
        if (loneSince !== undefined && !failed) this.#beganAlone(primary, loneSince, now);
        primary.firstToken();
        for (const prefiller of prefillers) {
          prefiller.firstToken();
          prefiller.end();
        }
      },
      end: (_, isEmpty = false) => {
        if (isEmpty) judge(open?.wrong, last);
        this.health.left(endpoint, primary);
        primary.end();
        for (const prefiller of prefillers) prefiller.end();
      },
      unwatch: (now, completed) => {
        // What came of a prefill elsewhere is in the answer's headers.
        if (pair && edges) return false;
        const loads = [primary, ...prefillers];
        if (!loads.every(({ live }) => this.#tellsRequests(live, now))) return false;
        if (!this.health.mayLeave(endpoint, targetModel, now)) return false;
        this.health.left(endpoint, primary);
        primary.onEnd = completed;
        if (loneSince !== undefined)
          primary.onTold = (at) => this.#beganAlone(primary, loneSince, at);
        for (const load of loads) this.#unwatched.add(load, now);
        return true;
      },
    };
  }

  #beganAlone({ live, promptTokens: tokens, began, sent }: Load, since: number, at: number): void {
    if (began || tokens > shortPrompt || live.sentRequests !== sent) return;
    this.speeds.began(live, { at, delayMs: at - since, tokens });
  }

  /** Whether the server's metrics say how many requests it has, and will be read again. */
  #tellsRequests({ metrics }: LiveState, now: number): boolean {
    return metrics?.tellsRequests === true && now - metrics.at <= this.#parts.staleAfterMs;
  }

  #hasCached(cycle: Cycle, endpoint: Endpoint): boolean {
    return this.#parts.prefixCaches.some(
      ({ cache }) => cycle.prefix(cache).ownBlocks(endpoint) > 0,
    );
  }
}

function assertSome(endpoints: readonly Endpoint[]): void {
  if (endpoints.length === 0) throw noCandidates();
}

const noCandidates = () =>
  new RequestError(
    "ServiceUnavailable",
    "failed to find endpoint candidates for serving the request",
    { reason: "rejected-no-endpoints" },
  );

/** Why no profile left an endpoint. Where none decodes, the pool has nothing to serve with, and another cluster may have. */
const noneLeft = (endpoints: readonly Endpoint[]) =>
  hasDecoder(endpoints)
    ? new RequestError("ResourceExhausted", "no endpoints available for the given request", {
        reason: "rejected-saturated",
      })
    : noCandidates();

/** What plugins see of a request whose body nobody read. */
const unread = (headers: RequestHeaders): SchedulingRequest => ({
  id: "",
  headers,
  payload: { prompts: [], tokensBeyond: 0, cacheSalt: "" },
  targetModel: "",
  priority: 0,
  fairnessId: "",
  owner: "",
});

/** A request that comes now is computed at once, as far as the picker knows. */
const hasNoPrompts = (live: LiveState) => live.prompts.size === 0 && live.othersTokens === 0;

/** RFC 7240 preference of a client that falls back to another way where no server has its prompt cached. */
const wantsCache = ({ headers }: SchedulingRequest) =>
  (headers.get("prefer") ?? "").split(",").some((each) => /^\s*if-available\s*(;|$)/i.test(each));
