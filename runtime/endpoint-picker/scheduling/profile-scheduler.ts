import type { Endpoint, LiveState } from "../datastore/endpoint.ts";
import { RequestError } from "../request-error.ts";
import { Cycle } from "./cycle.ts";
import type { HandlerResult, LaunchHook, ProfileHandler, SaturationDetector } from "./plugin.ts";
import type { PrefixCache } from "./prefix-cache/prefix-cache.ts";
import { type Profile, runProfile } from "./profile.ts";
import { promptTokens } from "./prompt-tokens.ts";
import type { Chance, Decision, Flight, Scheduler, SchedulingRequest } from "./scheduler.ts";

export interface ProfileSchedulerParts {
  readonly parsers: readonly string[];
  readonly profiles: readonly Profile[];
  readonly handler: ProfileHandler;
  readonly detector: SaturationDetector;
  readonly launchHooks: readonly LaunchHook[];
  /** Caches that learn from where requests go; the first also tells how many tokens are new to a server. */
  readonly prefixCaches: readonly PrefixCache[];
  /** Milliseconds after which metrics are not believed. */
  readonly staleAfter: number;
}

/** A decision with what `launch` needs of the cycle that made it. */
interface CycleDecision extends Decision {
  readonly cycle: Cycle;
  readonly result: HandlerResult;
}

export class ProfileScheduler implements Scheduler {
  readonly parsers: readonly string[];
  readonly #parts: ProfileSchedulerParts;
  readonly #profiles: ReadonlyMap<string, Profile>;

  constructor(parts: ProfileSchedulerParts) {
    this.#parts = parts;
    this.parsers = parts.parsers;
    this.#profiles = new Map(parts.profiles.map((profile) => [profile.name, profile]));
  }

  saturation(endpoints: readonly Endpoint[], now: number): number {
    return this.#parts.detector.saturation(endpoints, now);
  }

  schedule(request: SchedulingRequest, endpoints: readonly Endpoint[], chance: Chance): Decision {
    const { handler, staleAfter } = this.#parts;
    if (endpoints.length === 0)
      throw new RequestError(
        "ServiceUnavailable",
        "failed to find endpoint candidates for serving the request",
        { reason: "rejected-no-endpoints" },
      );
    const cycle = new Cycle(request, endpoints, chance, staleAfter);
    const result = handler.handle(cycle, (name) => {
      const profile = this.#profiles.get(name);
      const ran = profile && runProfile(profile, cycle);
      if (ran !== undefined) cycle.results.set(name, ran);
      return ran;
    });
    const chosen = result.primary?.endpoints[0];
    if (result.primary === undefined || chosen === undefined)
      throw new RequestError("ResourceExhausted", "no endpoints available for the given request", {
        reason: "rejected-saturated",
      });
    if (wantsCache(request) && !this.#hasCached(cycle, chosen))
      throw new RequestError("PreconditionFailed", "no decode worker has the requested KV cache");
    const decision: CycleDecision = {
      endpoints: result.primary.endpoints,
      headers: result.headers,
      removeHeaders: handler.ownHeaders,
      scores: new Map(result.primary.scored.map((each) => [each.endpoint.address, each.score])),
      cycle,
      result,
    };
    return decision;
  }

  launch(_request: SchedulingRequest, decision: Decision): Flight {
    const { cycle, result } = decision as CycleDecision;
    const [primary] = decision.endpoints as [Endpoint];
    const load = (endpoint: Endpoint) => new Load(endpoint.live, this.#newTokens(cycle, endpoint));
    const loads = [load(primary), result.prefillers.map(load)] as const;
    for (const cache of this.#parts.prefixCaches) {
      const match = cycle.prefix(cache);
      for (const endpoint of [primary, ...result.prefillers]) cache.insert(match, endpoint);
    }
    const headers = this.#parts.launchHooks.flatMap(
      (hook) => hook.launched(cycle, primary, result.prefillers) ?? [],
    );
    return flight(...loads, headers);
  }

  retain(endpoints: readonly Endpoint[]): void {
    for (const cache of this.#parts.prefixCaches) cache.retain(endpoints);
  }

  #hasCached(cycle: Cycle, endpoint: Endpoint): boolean {
    return this.#parts.prefixCaches.some(
      (cache) => cycle.prefix(cache).matchedBlocks(endpoint) > 0,
    );
  }

  /** Estimated prompt tokens that the server has not cached. */
  #newTokens(cycle: Cycle, endpoint: Endpoint): number {
    const [cache] = this.#parts.prefixCaches;
    return cache === undefined
      ? promptTokens(cycle.request)
      : cycle.prefix(cache).uncachedTokens(endpoint);
  }
}

/** RFC 7240 preference of a client that falls back to another way where no server has its prompt cached. */
const wantsCache = ({ headers }: SchedulingRequest) =>
  (headers.get("prefer") ?? "").split(",").some((each) => /^\s*if-available\s*(;|$)/i.test(each));

/** What a request weighs on one endpoint, until it is taken off. */
class Load {
  readonly #live: LiveState;
  #requests = 1;
  #tokens: number;

  constructor(live: LiveState, tokens: number) {
    this.#live = live;
    this.#tokens = tokens;
    live.runningRequests += 1;
    live.runningTokens += tokens;
  }

  /** The prompt is worked off. */
  endPrefill(): void {
    this.#live.runningTokens -= this.#tokens;
    this.#tokens = 0;
  }

  end(): void {
    this.endPrefill();
    this.#live.runningRequests -= this.#requests;
    this.#requests = 0;
  }
}

/** At the first token prefillers are done, and decoders with the prompt. */
function flight(
  primary: Load,
  prefillers: readonly Load[],
  responseHeaders: Flight["responseHeaders"],
): Flight {
  const firstToken = () => {
    primary.endPrefill();
    for (const prefiller of prefillers) prefiller.end();
  };
  return {
    responseHeaders,
    firstToken,
    end() {
      firstToken();
      primary.end();
    },
  };
}
